"""What an interpreter can take back, and what it can try in a copy of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from interpreter.assembly import SessionFactory
from interpreter.facade.compatible.messages import Ledger
from interpreter.facade.compatible.options import Options, set_alike
from interpreter.models.nobody import NobodyToAsk
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.ports import Checkpoint, OnConflict
from interpreter.session.session import Session
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.assembly.attempts import Attempt


class GoingBack(Options):
    """Undo, and trying several ways, for an interpreter with `messages`."""

    _ledger: Ledger
    _attempt: Attempt | None = None

    def undo(self, count: int = 1, *, to: str = "", conflicts: OnConflict = "refuse") -> str:
        """Take the last blocks back, or all from the checkpoint `to` on; one line says what.

        `messages`, files and variables go back together. `conflicts` is for files that somebody
        else changed since: refuse, keep or overwrite them.
        """
        session = self._session_to_go_back()
        told = session.undo_to(to, conflicts) if to else session.undo(count, conflicts)
        self._ledger.mirror(session.transcript, most_output=self.max_output)
        return told

    def redo(self, *, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo back."""
        session = self._session_to_go_back()
        told = session.redo(conflicts)
        self._ledger.mirror(session.transcript, most_output=self.max_output)
        return told

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The states that can be gone back to, oldest first."""
        return self._session_to_go_back().engine.checkpoints().list()

    def diff(self, block: int | str = 1) -> str:
        """What a block did to files: the last one, the one before (2), or by its name."""
        return self._session_to_go_back().diff(block)

    # Trying several ways.

    def fork(self) -> Self:
        """Another interpreter with the same messages, variables, and files in a copy.

        Close it: what is not kept by then is gone.
        """
        from interpreter.assembly.attempts import Attempt  # noqa: PLC0415  (rarely asked for)

        session, other = self._session_to_go_back(), self._another()
        set_alike(self, other)
        attempt = Attempt(
            self._open_factory(),
            session,
            self._settings(render=False),
            approve=other._approve,
            answer=other._answer,
            model=NobodyToAsk(),
        )
        other.workspace = attempt.settings.workspace
        other._move_into(attempt)
        return other

    def compare(self, other: GoingBack) -> str:
        """What a fork of this interpreter did: messages, variables, files."""
        return other._as_attempt().compare()

    def keep(self, other: GoingBack, *, conflicts: OnConflict = "refuse") -> str:
        """Make what a fork did what happened here, as one block to be undone; the fork is over."""
        session, attempt = self._session_to_go_back(), other._as_attempt()
        told = attempt.keep(conflicts)
        self._ledger.mirror(session.transcript, most_output=self.max_output)
        other._attempt = None
        other.close()
        return told

    def _as_attempt(self) -> Attempt:
        if self._attempt is None:
            raise ConfigurationError("This is no fork, or it is over; fork() makes one.")
        return self._attempt

    def _drop_attempt(self) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            attempt.close()

    def _another(self) -> Self:
        return type(self)()

    # What the interpreter itself has.

    _approve: Any
    _answer: Any

    def close(self) -> None:
        """End every process that was started."""
        raise NotImplementedError

    def _session_to_go_back(self) -> Session:
        raise NotImplementedError

    def _open_factory(self) -> SessionFactory:
        raise NotImplementedError

    def _settings(self, *, render: bool = True) -> Settings:
        raise NotImplementedError

    def _move_into(self, attempt: Attempt) -> None:
        raise NotImplementedError
