"""The guards around a block: secrets, refused hosts, wanted paths, files that run themselves."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, assert_never

from interpreter.policies.autorun import AutorunGuard, FlaggedFile
from interpreter.policies.secrets import Secrets, SecretStream
from interpreter.protocol import events as ev
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.protocol.messages import ActionCall, Display, Stream
from interpreter.protocol.visible import visible
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.cell.held_place import HeldPlace
from interpreter.sandboxes.grants import Grants, Scope, Wish, wanted_paths
from interpreter.sandboxes.network.host_gate import HostGate
from interpreter.tools.guarded import After, Guard

if TYPE_CHECKING:
    from interpreter.assembly.cell.permissions import SessionGrants

_MOST_NAMED = 8
PRINTED_KEPT = 20_000  # characters of a block's output in which refused paths are looked for
MADE_BY_PROGRAMS = re.compile(r"\.|tmp[\w-]{4,}|pip-|npm-|node-|matplotlib|pymp-|sh-thd|[^.]*$")
"""Names in /tmp that nobody gave, or that say nothing about what is in them."""


class SilentGuard:
    """Watches one run of a tool; this one lets everything pass and has nothing to say."""

    def before(self) -> None:
        """The run is about to begin."""

    def passing(self, event: ev.RuntimeEvent) -> Iterable[ev.RuntimeEvent]:
        """What becomes of an event."""
        return (event,)

    def after(self) -> After:
        """The run is over. It may yield questions, and sentences for model and user."""
        yield from ()

    def close(self) -> None:
        """The run is over, however it ended, also without `after` or in the midst of it."""


class GuardChain(SilentGuard):
    """Several guards as one: each sees what those before it let pass."""

    def __init__(self, *guards: Guard) -> None:
        self._guards = guards

    def before(self) -> None:
        """Tell each."""
        for guard in self._guards:
            guard.before()

    def passing(self, event: ev.RuntimeEvent) -> Iterable[ev.RuntimeEvent]:
        """What the last one lets pass."""
        events = [event]
        for guard in self._guards:
            events = [passed for one in events for passed in guard.passing(one)]
        return events

    def after(self) -> After:
        """The questions and sentences of all."""
        for guard in self._guards:
            yield from guard.after()

    def close(self) -> None:
        """Tell each."""
        for guard in self._guards:
            guard.close()


class SecretGuard(SilentGuard):
    """Replaces the values of secret variables, and what is shaped like a key."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._streams: dict[Stream, SecretStream] = {}

    def passing(self, event: ev.RuntimeEvent) -> Iterator[ev.RuntimeEvent]:
        """Redact text; what may be half a secret waits for the rest."""
        match event:
            case ev.OutputDelta(text, stream):
                redactor = self._streams.setdefault(stream, self._secrets.stream())
                yield from _printed(redactor.feed(text), stream)
            case ev.DisplayShown(display):
                yield replace(event, display=self._shown(display))
            case ev.ExecutionFinished():
                for stream, redactor in self._streams.items():
                    yield from _printed(redactor.flush(), stream)
                yield replace(event, summary=self._secrets.redact(event.summary))
            case ev.HostCallProposed() | ev.HostCallRuled() | ev.HostCallFinished():
                yield self._called(event)
            case ev.ModelTold(text):
                yield ev.ModelTold(self._secrets.redact(text))
            case (
                ev.ApprovalRequested()
                | ev.Notice()
                | ev.InputRequested()
                | ev.OutputCleared()
                | ev.ActiveLine()
            ):
                yield event
            case _:
                assert_never(event)

    def _called(
        self, event: ev.HostCallProposed | ev.HostCallRuled | ev.HostCallFinished
    ) -> ev.HostCallProposed | ev.HostCallRuled | ev.HostCallFinished:
        call = replace(event.call, arguments=self._secrets.redact(event.call.arguments))
        if isinstance(event, ev.HostCallFinished):
            return replace(event, call=call, summary=self._secrets.redact(event.summary))
        if isinstance(event, ev.HostCallRuled):  # a refusal repeats the question
            reason = self._secrets.redact(event.decision.reason)
            return replace(event, call=call, decision=replace(event.decision, reason=reason))
        return replace(event, call=call)

    def _shown(self, display: Display) -> Display:
        faces = tuple(
            replace(face, data=self._secrets.redact(face.data))
            if isinstance(face.data, str)
            else face
            for face in display.faces
        )
        return replace(display, faces=faces)


def _printed(text: str, stream: Stream) -> Iterator[ev.OutputDelta]:
    if text:
        yield ev.OutputDelta(text, stream)


class HostGuard(SilentGuard):
    """Tells the model which hosts were refused, so that it does not try them again blindly."""

    def __init__(self, gate: HostGate) -> None:
        self._gate = gate

    def after(self) -> After:
        """What was refused."""
        refused = self._gate.end_block()
        if refused:
            hosts = ", ".join(refused[:8])
            yield f"the sandbox refused to connect to {hosts}"


class PassingFiles(SilentGuard):
    """Says which files a block left where they go with the session, and how to keep them."""

    def __init__(self, cell: ConfinedCell) -> None:
        self._cell = cell

    def before(self) -> None:
        """Look at what is there already; after the first block that is known."""
        if self._cell.known_passing is None:
            self._cell.known_passing = self._cell.passing_files()

    def after(self) -> After:
        """Name what is new, but for what programs make for themselves."""
        before, now = self._cell.known_passing or {}, self._cell.passing_files()
        self._cell.known_passing = now
        left = [path for path, size in now.items() if size and before.get(path) != size]
        left = [path for path in sorted(left) if not MADE_BY_PROGRAMS.match(Path(path).name)]
        if not left:
            return
        command = f"!cp {' '.join(map(shlex.quote, left[:4]))} ."
        names = ", ".join(left[:4]) + (f" and {len(left) - 4} more" if left[4:] else "")
        yield f"{names}: only in the sandbox's own /tmp, gone with the session; kept by {command}"


class PathGuard(SilentGuard):
    """Asks about places outside of the walls that a failed block wanted, and opens them."""

    def __init__(self, grants: Grants, session: SessionGrants, workspace: Path) -> None:
        self._grants = grants
        self._session = session
        self._workspace = workspace
        self._printed = ""
        self._failed = False
        self._trouble = ""

    def before(self) -> None:
        """Take back what was granted for a block that was broken off."""
        self._trouble = self._grants.begin_block()

    def passing(self, event: ev.RuntimeEvent) -> Iterator[ev.RuntimeEvent]:
        """Remember the end of what is printed."""
        if isinstance(event, ev.OutputDelta):
            self._printed = (self._printed + event.text)[-PRINTED_KEPT:]
        if isinstance(event, ev.ExecutionFinished):
            self._failed = event.outcome == "failed"
            self._printed += event.summary
        yield event

    def after(self) -> After:
        """Ask, grant, and say so: the block has failed, but the next try may not."""
        self._session.end_block()
        notes = [note for note in (self._trouble, self._grants.end_block()) if note]
        for wanted in wanted_paths(self._printed, self._workspace) if self._failed else ():
            try:
                held = self._grants.hold(wanted.path)
            except ConfigurationError as error:
                notes.append(str(error))
                continue
            wish = replace(wanted, path=held.path)
            call = ActionCall(wish.access, json.dumps({"path": str(wish.path)}))
            named = f", by the name {wanted.path}" if wanted.path != wish.path else ""
            reason = f"This block wants to {visible(wish.describe() + named)}."
            decision = yield ev.ApprovalRequested(call, reason)
            notes.append(self._granted(wish, held, decision))
        yield from notes

    def _granted(self, wish: Wish, held: HeldPlace, decision: Decision) -> str:
        if not decision.allows:
            return f"{wish.path} is outside of the sandbox, and was not granted"
        scopes: dict[str, Scope] = {"always": "workspace", "session": "session"}
        scope = scopes.get(decision.answer, "block")
        try:
            given = self._grants.give(held, wish.access, scope)
        except InterpreterError as error:
            return str(error)
        when = "for the next block" if scope == "block" else "from now on"
        if given.needs_restart:
            self._session.ask_for_new_cell(given.path, wish.access, scope)
            return (
                f"allowed: to {wish.describe()} {when}; for that the sandbox is opened "
                "anew: Python keeps its variables, other languages start afresh"
            )
        if scope == "session":
            self._session.remember(given.path, wish.access)
        return f"allowed: to {wish.describe()} {when}"


class News(SilentGuard):
    """Tells the model, with the next block, what the user has been told about its ground."""

    def __init__(self, news: list[str]) -> None:
        self._news = news

    def passing(self, event: ev.RuntimeEvent) -> Iterator[ev.RuntimeEvent]:
        """Say each thing once."""
        while isinstance(event, ev.ExecutionFinished) and self._news:
            yield ev.ModelTold(self._news.pop(0))
        yield event


class FileWatch(Protocol):
    """What the file journal knows of files that run by themselves."""

    def watch(self) -> bool:
        """Keep such files from now on before they change; have programs gone on until now?"""
        ...

    def flagged(self) -> tuple[list[tuple[str, Literal["added", "changed"]]], dict[str, str]]:
        """Which changed; and the digests of git's settings that were let through.

        Where none did, that is settled with this.
        """
        ...

    def settle(self, *, allow: bool) -> tuple[str, ...]:
        """Keep them or put them back; what could not be."""
        ...


class AutorunWatch(SilentGuard):
    """Takes back changes to files that run by themselves, unless the user wants them."""

    def __init__(self, guard: AutorunGuard, workspace: Path, files: FileWatch | None) -> None:
        self._guard = guard
        self._workspace = workspace.resolve()
        self._files = files
        self._undecided = False
        self._flagged = False  # by the journal, which waits for an answer

    def before(self) -> None:
        """Look at the files as they are."""
        self._undecided = True
        late = self._files is not None and self._files.watch()
        self._guard.begin(alone=not late)

    def after(self) -> After:
        """Ask about what changed; without an answer it goes."""
        paths, unseen = self._changed()
        decision = Decision("yes")
        if paths:
            names = ", ".join(visible(path) for path in paths[:_MOST_NAMED])
            names += f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
            call = ActionCall("autorun", json.dumps({"files": paths}))
            reason = f"The block changed files that run by themselves: {names}. Keep them?"
            decision = yield ev.ApprovalRequested(call, reason)
        failed = self._settle(unseen, allow=decision.allows)
        if decision.allows:
            return
        yield f"{names} would run by itself; it was not allowed, and was put back"
        if failed:
            yield f"could not be put back: {', '.join(map(visible, failed))}"

    def close(self) -> None:
        """Put back what nobody has answered for."""
        if self._undecided:
            _, unseen = self._changed()
            self._settle(unseen, allow=False)

    def _changed(self) -> tuple[list[str], tuple[FlaggedFile, ...]]:
        """All that changed, and the part of it that the journal has not seen."""
        if self._files is None:
            unseen = self._guard.end()
            return [flag.path for flag in unseen], unseen
        flagged, written = self._files.flagged()
        self._flagged = bool(flagged)
        seen = [self._relative(path) for path, _ in flagged]
        settled = {self._relative(path): digest for path, digest in written.items()}
        unseen = tuple(flag for flag in self._guard.end(settled) if not _is_among(flag.path, seen))
        return sorted({*seen, *(flag.path for flag in unseen)}), unseen

    def _settle(self, unseen: tuple[FlaggedFile, ...], *, allow: bool) -> tuple[str, ...]:
        self._undecided = False
        failed = self._files.settle(allow=allow) if self._files and self._flagged else ()
        self._flagged = False
        failed += () if allow else self._guard.revert(unseen)
        self._guard.rest()
        return failed

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self._workspace)


def _is_among(path: str, places: list[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)
