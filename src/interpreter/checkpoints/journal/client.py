"""Files as a transaction, by a journal: what a block is about to destroy is kept first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, Literal

from interpreter.checkpoints.effects.differences import Difference
from interpreter.checkpoints.files import BlockEntry, FileReport
from interpreter.checkpoints.gates.denied_paths import DeniedPath
from interpreter.checkpoints.gates.program_watch import plain
from interpreter.checkpoints.journal.doorman import Doorman
from interpreter.checkpoints.journal.kept.history import Retention
from interpreter.checkpoints.journal.recorder import JournalLimits
from interpreter.checkpoints.journal.supervision import Ask, AskProgram, Supervision, nothing
from interpreter.checkpoints.journal.write_filter import write_filter
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.events import FileChange
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.ports import Launch
from interpreter.protocol.system.program_rules import ProgramRule
from interpreter.protocol.system.system_calls import native
from interpreter.protocol.values import frozen

_CHECKING = 30.0  # seconds for a program that does next to nothing
_SHIM = INSIDE / "cell" / "journal_shim.py"


def let_it_go_on(path: str, size: int, why: str) -> bool:
    """The answer of those who have nobody to ask about a file that cannot be kept."""
    return True


def start_nothing_asked_about(words: list[str], rule: str, why: str) -> bool:
    """The answer of those who have nobody to ask about a program."""
    return False


@frozen
class JournalOptions:
    """Where the journal keeps things, how much, and the Python that programs are started with."""

    store: Path
    roots: tuple[Path, ...]
    exchange: Path
    retention: Retention = field(default_factory=Retention)
    limits: JournalLimits = field(default_factory=JournalLimits)
    python: str = sys.executable
    protected: tuple[Path, ...] = ()
    """What the programs cannot write: they must not have it written by an undo, either."""
    programs: tuple[ProgramRule, ...] = ()
    """Which programs may not be started, or are asked about."""
    denied: tuple[DeniedPath, ...] = ()
    """What may not be changed, wherever it appears."""
    wraps: bool = True
    """Whether programs have to be wrapped; or their cell itself starts them under the journal."""


class FileJournal:
    """Keeps, undoes and redoes what programs do that are started through it."""

    def __init__(
        self,
        options: JournalOptions,
        ask: Ask = let_it_go_on,
        ask_program: AskProgram = start_nothing_asked_about,
    ) -> None:
        machine = native()
        if not machine:
            raise CheckpointError("The file journal needs Linux on x86_64 or aarch64.")
        self._options = options
        self._shim = options.exchange / "journal_shim.py"
        safe_files.write(self._shim, _SHIM.read_bytes())
        self.address = options.exchange / "journal.sock"
        """The socket where programs that start get the filter."""
        self._supervision = Supervision(_plain(options), ask, ask_program)
        program = write_filter(machine, programs=bool(options.programs))
        self._doorman = Doorman(self.address, program, self._supervision.admit)

    @property
    def largest_file(self) -> int:
        """The bytes of the largest file that is copied."""
        return self._options.limits.largest_copy

    @property
    def pid(self) -> int:
        """The process that answers the cell's calls."""
        return self._supervision.pid

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """The command that starts a program, and all that it starts, under the journal."""
        start = [self._options.python, "-I", "-S", str(self._shim), str(self.address)]
        return [*start, *argv] if self._options.wraps else [*argv]

    def check(self, launch: Launch) -> None:
        """Start a program in the cell and see that it is heard; CheckpointError says why not."""
        mark = self._options.exchange / "journal-check"
        words = self.wrap(["sh", "-c", ': > "$0"', str(mark)])
        try:
            program = launch(words, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise CheckpointError(f"The file journal does not work here: {error}.") from error
        try:
            status = program.wait(_CHECKING)
        except subprocess.TimeoutExpired as error:
            program.kill()
            raise CheckpointError(f"The file journal does not answer: {error}.") from error
        safe_files.remove(mark)
        health = self._supervision.call(do="health")
        if status or health["trouble"] or not health["heard"]:
            reasons = [*self._doorman.refusals, health["trouble"], f"status {status}"]
            reason = next(filter(None, reasons))
            raise CheckpointError(f"The file journal does not work here: {reason}.")

    def begin(self, name: str, label: str, meanwhile: Callable[[], None] = nothing) -> None:
        """A block is about to run."""
        self._supervision.call(meanwhile, do="begin", name=name, label=label)

    def end(self) -> FileReport:
        """What the block did. Its programs may go on; that still counts as the block's."""
        found = self._supervision.call(do="end")
        refusals = (
            f"a program was not started, as the journal could not watch it: {why}"
            for why in self._doorman.refusals
        )
        notes = (*found["notes"], *refusals)
        changes = tuple(_change(plain) for plain in found["changes"])
        return FileReport(changes, notes, tuple(found["kept"]))

    def conflicts(self, count: int) -> tuple[str, ...]:
        """What somebody else changed since, among what an undo of `count` blocks would touch."""
        return tuple(self._supervision.call(do="conflicts", count=count)["paths"])

    def conflicts_of_redo(self) -> tuple[str, ...]:
        """What somebody else changed since, among what a redo would touch."""
        return tuple(self._supervision.call(do="conflicts", redo=True)["paths"])

    def undo(self, name: str, spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Put files back to before the newest block; what could not be done, as text."""
        return self._problems(do="undo", name=name, spared=list(spared))

    def redo(self, name: str, spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Do the block again that was undone last."""
        return self._problems(do="redo", name=name, spared=list(spared))

    def discard(self) -> None:
        """Forget the block that was undone last."""
        self._supervision.call(do="discard")

    def blocks(self) -> tuple[BlockEntry, ...]:
        """What is kept, oldest first."""
        return tuple(BlockEntry(*entry) for entry in self._supervision.call(do="list")["blocks"])

    def differences(self, name: str) -> tuple[Difference, ...]:
        """What a block changed, with where to find the content before and after."""
        found = self._supervision.call(do="changes", name=name)["changes"]
        return tuple(
            Difference(_change(plain), _path(plain["before"]), _path(plain["after"]))
            for plain in found
        )

    def watch(self) -> bool:
        """From now on, keep what runs by itself before it changes; put back what was unanswered.

        Tells whether programs have done anything to files since `settle`.
        """
        return bool(self._supervision.call(do="watch")["late"])

    def flagged(self) -> tuple[list[tuple[str, Literal["added", "changed"]]], dict[str, str]]:
        """Paths that run by themselves and changed; and git's settings that were let through.

        Where there are none, that is settled with this.
        """
        found = self._supervision.call(do="flagged")
        return [(path, change) for path, change in found["flags"]], found["written"]

    def settle(self, *, allow: bool) -> tuple[str, ...]:
        """Keep what was flagged, or put it back; what could not be. No more until `watch`."""
        return tuple(self._supervision.call(do="settle", allow=allow)["failed"])

    def close(self) -> None:
        """Stop; the supervisor serves programs that still run, and ends with the last one."""
        self._doorman.close()
        self._supervision.close()

    def _problems(self, **message: Any) -> tuple[str, ...]:
        return tuple(self._supervision.call(**message)["problems"])


def _plain(options: JournalOptions) -> dict[str, Any]:
    return {
        "store": str(options.store),
        "roots": [str(root) for root in options.roots],
        "protected": [str(path) for path in options.protected],
        "retention": asdict(options.retention),
        "limits": asdict(options.limits),
        "programs": plain(options.programs),
        "denied": [[rule.text, rule.expression, rule.start] for rule in options.denied],
    }


def _change(plain: dict[str, Any]) -> FileChange:
    renamed_from = plain["origin"] if plain["kind"] == "renamed" else ""
    return FileChange(plain["path"], plain["kind"], plain["size"], renamed_from)


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
