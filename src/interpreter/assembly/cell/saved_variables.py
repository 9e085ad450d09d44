"""What Python holds, beyond its kernel: saved on leaving, back when a session goes on, carried over
to a new cell."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from interpreter.protocol.errors import CheckpointError, InterpreterError
from interpreter.settings.paths import data_directory

if TYPE_CHECKING:
    from interpreter.assembly.cell.contents import CellContents
    from interpreter.checkpoints.variables.kept import Owner
    from interpreter.checkpoints.variables.python import PythonVariables


class SavedVariables:
    """The variables of a session that is kept."""

    def __init__(
        self,
        variables: PythonVariables,
        owner: Callable[[], Owner],
        notice: Callable[[str], None],
    ) -> None:
        from interpreter.checkpoints.variables.kept import KeptVariables
        from interpreter.checkpoints.variables.vault import Vault

        self._variables = variables
        self._notice = notice
        self._kept = KeptVariables(variables, Vault(data_directory() / "variables"), owner)

    def resume(self, start_python: Callable[[], object]) -> str:
        """Start Python and fill it with what was saved; one sentence for user and model."""
        told: list[str] = []
        self._variables.when_attached = lambda: told.append(self._kept.resume())
        try:
            start_python()
        except InterpreterError as error:
            told.append(f"The variables of this session are not back: {error}")
        sentence = told[0] if told else "The variables of this session are not kept."
        self._notice(sentence)
        return sentence

    def save(self, *, busy: bool) -> None:
        """The session is left."""
        try:
            if busy:
                self._notice("The variables were not saved: a block still runs in the background.")
            else:
                self._kept.save()
        except (CheckpointError, OSError) as error:
            self._notice(f"The variables were not saved: {error}")
        self.close()

    def close(self) -> None:
        """Save no more."""
        self._kept.close()


def carried_over(old: CellContents, move: Callable[[], CellContents]) -> str:
    """Take Python's variables along while `move` leaves their kernel; what came of it."""
    with tempfile.TemporaryFile() as file:
        had = old.variables.attached
        try:
            if had:
                old.variables.export(file)
        except CheckpointError as error:
            move()
            return f"the variables of Python are lost: {error}"
        new = move()
        if not had:
            return "Python had not started"
        try:
            new.run_quietly("python", "")
            return f"the variables of Python are back: {new.variables.adopt(file).sentence()}"
        except InterpreterError as error:
            return f"the variables of Python are not back: {error}"
