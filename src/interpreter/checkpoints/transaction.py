"""Files and variables, kept before every block and restored together."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from interpreter.checkpoints.effects.data_changes import data_notes, scope_note
from interpreter.checkpoints.effects.differences import describe
from interpreter.checkpoints.effects.known_edits import known_edits
from interpreter.checkpoints.effects.previews import preview, readable, sentence, too_large_to_keep
from interpreter.checkpoints.files import FileKeeper, FileReport
from interpreter.checkpoints.variables.states import StateKeeper, StateReport
from interpreter.protocol.changed_files import change_list
from interpreter.protocol.errors import CheckpointConflict, CheckpointError, RuntimeFailure
from interpreter.protocol.events import FilesChanged
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.ports import Checkpoint, OnConflict
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible


@frozen
class _Entry:
    """A block, and the language whose variables it may have changed."""

    name: str
    label: str
    created: float
    language: str = ""
    report: FileReport | None = None
    earlier: bool = False
    """Whether it ran in another process, whose variables are gone."""


class Transaction:
    """The checkpoints of one session. Languages are attached as their runtimes start."""

    def __init__(
        self,
        files: FileKeeper,
        workspace: Path,
        canonical: Callable[[str], str] = lambda language: language,
        traffic: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        self._files = files
        self._canonical = canonical
        self._traffic = traffic  # the hosts that the last block reached, and how many bytes went
        self._workspace = workspace
        self._announced: set[str] = set()
        self._states: dict[str, StateKeeper] = {}
        blocks = files.blocks()
        entries = {b: _Entry(b.name, b.label, b.created, earlier=True) for b in blocks}
        self._done = [entry for block, entry in entries.items() if not block.undone]
        self._undone = [entry for block, entry in entries.items() if block.undone][::-1]
        self._count = max((int(b.name) for b in blocks if b.name.isdigit()), default=0)
        self._running = False

    def attach(self, language: str, keeper: StateKeeper) -> None:
        """Keep this language's variables from now on."""
        self._states[language] = keeper

    def begin(self, action: Action) -> str | None:
        """A block is about to run; the checkpoint's name."""
        self._count += 1
        name = f"{self._count:06}"
        language = self._canonical(action.language) if isinstance(action, Code) else ""
        entry = _Entry(name, _label(action), time.time(), language)
        self._files.begin(name, entry.label, lambda: self._keep_variables(entry))
        for gone in self._undone:
            self._forget(gone)
        self._undone = []
        self._done.append(entry)
        self._running = True
        return name

    def _keep_variables(self, entry: _Entry) -> None:
        if entry.language in self._states:
            self._states[entry.language].before(entry.name)

    def warnings(self, action: Action) -> tuple[str, ...]:
        """What should be said before a block runs: files that it names and that cannot be kept."""
        if not isinstance(action, Code):
            return ()
        found = list(too_large_to_keep(action.source, self._workspace, self._files.largest_file))
        self._announced = {str(self._workspace / path) for path, _ in found}
        return tuple(sentence(path, size) for path, size in found)

    def preview(self, action: Action) -> str:
        """What a block will do to files, as far as its text tells."""
        if not isinstance(action, Code):
            return ""
        block = (self._canonical(action.language), action.source, self._workspace)
        return "\n".join(filter(None, (preview(*block), known_edits(*block))))

    def was_announced(self, path: str) -> bool:
        """Whether the user was told, before this block ran, that a file cannot be undone."""
        return path in self._announced

    def end(self) -> FilesChanged | None:
        """The block has ended; what it did to files."""
        if not self._running:
            return None
        self._running = False
        if keeper := self._states.get(self._done[-1].language):
            keeper.after()
        report = self._files.end()
        report = replace(report, notes=(*report.notes, *self._worth_a_look(report)))
        self._done[-1] = replace(self._done[-1], report=report)
        self._forget_all_but(report.kept)
        known = bool(report.changes or report.notes)
        return FilesChanged(report.changes, report.notes) if known else None

    def _worth_a_look(self, report: FileReport) -> Iterator[str]:
        """What the block did to data, and that it did something to most of the files."""
        if not report.changes:
            return
        if scope := scope_note(report.changes, self._workspace):
            yield scope
        if any(change.kind in ("modified", "renamed") for change in report.changes):
            yield from data_notes(self._files.differences(self._done[-1].name), self._workspace)

    def effects(self) -> str:
        """One line about what the last block did: files, bytes, hosts; empty if nothing."""
        report = self._done[-1].report if self._done else None
        texts = [_changed(report, self._workspace)] if report and report.changes else []
        hosts = [f"{host} ({readable(size)})" for host, size in self._traffic().items()]
        texts += [f"hosts: {', '.join(hosts[:8])}"] if hosts else []
        return "; ".join(texts)

    def undo(self, count: int = 1, conflicts: OnConflict = "refuse") -> str:
        """Go back `count` blocks; one line that says what was restored."""
        if not 1 <= count <= len(self._done):
            raise CheckpointError(f"There are {len(self._done)} blocks that can be undone.")
        if self._running:
            self.end()
        spared = self._settled(self._files.conflicts(count), conflicts)
        undone = self._done[-count:]
        self._keep_for_redo(undone)
        problems: list[str] = []
        for entry in reversed(undone):
            problems += self._files.undo(entry.name, spared)
            self._undone.append(self._done.pop())
        states = self._go_back(undone)
        return _undone_text(undone, spared, problems, states)

    def redo(self, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo of a block back; one line that says what was done."""
        if not self._undone:
            raise CheckpointError("There is nothing to redo.")
        spared = self._settled(self._files.conflicts_of_redo(), conflicts)
        entry = self._undone.pop()
        problems = self._files.redo(entry.name, spared)
        self._done.append(entry)
        states = self._go_forward(entry)
        parts = [f"Redone: {entry.label or entry.name}", *_states_text(states)]
        return "; ".join([*parts, *_left_text(spared, problems)])

    def discard(self) -> str:
        """Undo the last block for good: what a dry run does when its effect is not wanted."""
        text = self.undo(conflicts="keep")
        self._files.discard()
        self._forget(self._undone.pop())
        return text

    def diff(self, name: str, only: Collection[str] = ()) -> str:
        """What a block changed, as text; of these files alone, if any are named."""
        if all(entry.name != name for entry in self._done):
            raise CheckpointError(f"There is no block {name!r} to compare; see the checkpoints.")
        found = self._files.differences(name)
        if only:
            found = tuple(one for one in found if one.change.path in only)
        return describe(found, self._workspace)

    def list(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, oldest first."""
        done = [Checkpoint(e.name, e.label, e.created) for e in self._done]
        undone = [Checkpoint(e.name, e.label, e.created, undone=True) for e in self._undone]
        return (*done, *reversed(undone))

    def close(self) -> None:
        """Give back processes; what is on disk stays for a later session."""
        for keeper in self._states.values():
            keeper.close()
        self._files.close()

    def _settled(self, found: tuple[str, ...], conflicts: OnConflict) -> tuple[str, ...]:
        if found and conflicts == "refuse":
            raise CheckpointConflict(found)
        return found if conflicts == "keep" else ()

    def _keep_for_redo(self, undone: Sequence[_Entry]) -> None:
        for language in {entry.language for entry in undone} & set(self._states):
            newest = next(e for e in reversed(undone) if e.language == language)
            try:
                self._states[language].keep_now(f"redo-{newest.name}")
            except CheckpointError:
                continue  # no kernel any more: there is nothing that a redo could bring back

    def _go_back(self, undone: Sequence[_Entry]) -> Mapping[str, StateReport | CheckpointError]:
        oldest = {entry.language: entry for entry in reversed(undone)}
        found: dict[str, StateReport | CheckpointError] = {}
        for language in sorted(set(oldest) & set(self._states)):
            found[language] = self._restored(language, oldest[language].name)
        return found

    def _go_forward(self, entry: _Entry) -> Mapping[str, StateReport | CheckpointError]:
        """The state after a block is the one before the next block of its language."""
        if entry.language not in self._states:
            return {}
        later = (e for e in reversed(self._undone) if e.language == entry.language)
        following = next(later, None)
        name = following.name if following else f"redo-{entry.name}"
        return {entry.language: self._restored(entry.language, name)}

    def _restored(self, language: str, name: str) -> StateReport | CheckpointError:
        try:
            return self._states[language].restore(name)
        except CheckpointError as error:
            return error
        except RuntimeFailure as error:  # files have gone the way already, and so do messages
            return CheckpointError(f"variables stay as they are: {error}")

    def _forget(self, entry: _Entry) -> None:
        if entry.language in self._states:
            self._states[entry.language].forget(entry.name)
            self._states[entry.language].forget(f"redo-{entry.name}")

    def _forget_all_but(self, names: Sequence[str]) -> None:
        kept = set(names)
        for entry in [entry for entry in self._done if entry.name not in kept]:
            self._done.remove(entry)
            self._forget(entry)


def _label(action: Action) -> str:
    if isinstance(action, Code):
        lines = [line.strip() for line in action.source.splitlines() if line.strip()]
        return lines[0][:80] if lines else action.language
    return action.tool if isinstance(action, ActionCall) else ""


def _changed(report: FileReport, workspace: Path) -> str:
    listed = change_list(report.changes, lambda path: visible(path.removeprefix(f"{workspace}/")))
    by_kind = {kind: [one.text for one in listed if one.kind == kind] for kind in _KINDS}
    texts = [f"{kind} {_names(found)}" for kind, found in by_kind.items() if found]
    written = sum(change.size or 0 for change in report.changes)
    return f"files: {', '.join(texts)} ({readable(written)})"


_KINDS = ("added", "modified", "deleted", "renamed")


def _names(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _undone_text(
    undone: Sequence[_Entry],
    spared: tuple[str, ...],
    problems: Sequence[str],
    states: Mapping[str, StateReport | CheckpointError],
) -> str:
    blocks = "1 block" if len(undone) == 1 else f"{len(undone)} blocks"
    paths = {c.path for entry in undone if entry.report for c in entry.report.changes}
    files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    parts = [f"Undone: {blocks}, {files} put back", *_states_text(states)]
    if any(entry.earlier for entry in undone):
        parts = [f"Undone: {blocks} of before the restart, and files put back"]
        parts += [*_states_text(states), "variables stay as they are"]
    return "; ".join([*parts, *_left_text(spared, problems)])


def _states_text(states: Mapping[str, StateReport | CheckpointError]) -> list[str]:
    return [
        f"{language}: {state.sentence() if isinstance(state, StateReport) else state}"
        for language, state in states.items()
    ]


def _left_text(spared: tuple[str, ...], problems: Sequence[str]) -> list[str]:
    parts = []
    if spared:
        parts.append(f"left as somebody else changed them: {', '.join(spared[:8])}")
    if problems:
        parts.append(f"could not be put back: {', '.join(problems[:8])}")
    return parts
