"""Grants that a running cell cannot be given: the cell is opened anew with them between blocks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.protocol.errors import CheckpointError, InterpreterError

if TYPE_CHECKING:
    from interpreter.checkpoints.variables.states import StateReport
    from interpreter.sandboxes.cell.cell import Access
    from interpreter.sandboxes.grants import Scope


class Reopening:
    """What the next cell is to show, and whether it is wanted yet."""

    def __init__(self) -> None:
        self.wanted = False
        self._grants: dict[Path, tuple[Access, Scope]] = {}
        self._shown: frozenset[Path] = frozenset()

    def ask(self, path: Path, access: Access, scope: Scope) -> None:
        """The user has granted this."""
        self._grants[path] = (access, scope)
        self._shown -= {path}
        self.wanted = True

    def remember(self, path: Path, access: Access) -> None:
        """The cell has been given this for the session: one that is opened later shows it, too."""
        self._grants[path] = (access, "session")
        self._shown |= {path}

    def forget(self, path: Path) -> None:
        """The user has taken this back."""
        self._grants.pop(path, None)

    def of_session(self) -> tuple[tuple[Path, Access], ...]:
        """What was granted until the session ends."""
        return tuple((p, access) for p, (access, scope) in self._grants.items() if scope != "block")

    def paths(self, access: Access) -> tuple[Path, ...]:
        """What a new cell shows in this way."""
        return tuple(path for path, (wanted, _) in self._grants.items() if wanted == access)

    def opened(self) -> None:
        """There is a cell that shows it all."""
        self._shown = frozenset(self._grants)
        self.wanted = False

    def give_up(self) -> None:
        """There cannot be such a cell; the one that runs stays."""
        self._grants = {path: self._grants[path] for path in self._shown & self._grants.keys()}
        self.wanted = False

    def end_block(self) -> None:
        """A block is over: what was shown for it alone goes."""
        for path in self._shown & self._grants.keys():
            if self._grants[path][1] == "block":
                del self._grants[path]
                self.wanted = True


def carried_over(
    move: Callable[[], None],
    export: Callable[[Any], bool],
    start: Callable[[], object],
    adopt: Callable[[Any], StateReport],
) -> str:
    """Take Python's variables along while `move` leaves their kernel; what came of it."""
    with tempfile.TemporaryFile() as file:
        try:
            had = export(file)
        except CheckpointError as error:
            move()
            return f"the variables of Python are lost: {error}"
        move()
        if not had:
            return "Python had not started"
        try:
            start()
            return f"the variables of Python are back: {adopt(file).sentence()}"
        except InterpreterError as error:
            return f"the variables of Python are not back: {error}"
