"""What Python holds, over the end of a session: saved when it is left, back when it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from interpreter.protocol.errors import CheckpointError, InterpreterError
from interpreter.settings.paths import data_directory

if TYPE_CHECKING:
    from interpreter.checkpoints.variables.kept import Owner
    from interpreter.checkpoints.variables.python import PythonVariables


class Memory:
    """The saved variables of the session that goes on on some ground."""

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

    def resume(self, start: Callable[[], object]) -> str:
        """Start Python and fill it with what was saved; one sentence for user and model."""
        told: list[str] = []
        self._variables.when_attached = lambda: told.append(self._kept.resume())
        try:
            start()
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
