"""Python's variables over the end of a session: saved on leaving and now and then, and resumed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from interpreter.checkpoints.variables.python import PythonVariables
from interpreter.checkpoints.variables.vault import Vault
from interpreter.protocol.errors import CheckpointError

_ALL_SESSIONS = 8 << 30  # bytes of the variables of all sessions together
_LEVELS = ("read-only", "workspace", "trusted", "off")  # what code may do, the least first


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose variables they are, how the code is confined that makes them, and where it works.

    Loading variables runs code, so what came about in one workspace stays there.
    """

    session: str
    level: str
    workspace: str = ""


class KeptVariables:
    """Keeps the variables of one session in the vault."""

    def __init__(
        self,
        variables: PythonVariables,
        vault: Vault,
        owner: Callable[[], Owner],
        every: float = 120.0,
    ) -> None:
        self._variables = variables
        self._vault = vault
        self._owner = owner
        self._every = every
        self._saving = threading.Lock()
        self._saved: tuple[str, Owner] | None = None
        self._used = False
        self._timer: threading.Timer | None = None
        variables.when_used = self._schedule

    def resume(self) -> str:
        """Fill the kernel with what was saved; one sentence about it for user and model."""
        try:
            owner = self._owner()
            file, level = self._vault.open(owner.session, owner.workspace)
            with file:
                if not _at_least_as_confined(owner.level, level):
                    raise CheckpointError(f"they were made in the sandbox {level!r}")
                report = self._variables.adopt(file)
        except CheckpointError as error:
            return f"The variables of this session are not back: {error}."
        return f"The variables of this session are back: {report.sentence()}."

    def save(self) -> None:
        """Write down how things are, unless that was done; CheckpointError says why it failed."""
        with self._saving:
            state, owner = (self._variables.state, self._owner()), self._owner()
            if not self._used or (state[0] and state == self._saved):
                return
            try:
                with self._vault.create(owner.session, owner.workspace) as file:
                    self._variables.export(file)
                    self._vault.seal(owner.session, file, owner.level, owner.workspace)
            except BaseException:
                self._vault.discard(owner.session, owner.workspace)
                raise
            self._saved = state
            self._vault.shrink(_ALL_SESSIONS)

    def close(self) -> None:
        """Save no more."""
        if self._timer is not None:
            self._timer.cancel()
        with self._saving:  # a save that has begun is finished first
            self._used = False

    def _schedule(self) -> None:
        self._used = True
        if self._timer is None or not self._timer.is_alive():
            self._timer = threading.Timer(self._every, self._save_quietly)
            self._timer.daemon = True
            self._timer.start()

    def _save_quietly(self) -> None:
        if self._variables.state:  # else a block runs; the next one comes by here again
            with contextlib.suppress(CheckpointError, OSError):  # on leaving it is tried once more
                self.save()


def _at_least_as_confined(now: str, then: str) -> bool:
    """Loading variables runs code, which must not get more rights than it had."""
    return now == then or (then in _LEVELS and now in _LEVELS[: _LEVELS.index(then)])
