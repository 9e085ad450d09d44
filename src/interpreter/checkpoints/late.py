"""Checkpoints that are still being set up while the session already begins."""

from __future__ import annotations

from collections.abc import Callable, Collection

from interpreter.protocol.events import FilesChanged
from interpreter.protocol.messages import Action
from interpreter.protocol.ports import Checkpoint, Checkpoints, OnConflict


class LateCheckpoints:
    """Passes everything on to checkpoints that `get` waits for."""

    def __init__(
        self, get: Callable[[], Checkpoints], before_block: Callable[[], None] = lambda: None
    ) -> None:
        self._get = get
        self._before_block = before_block

    def preview(self, action: Action) -> str:
        """What a block will do to files, as far as its text tells."""
        return self._get().preview(action)

    def warnings(self, action: Action) -> tuple[str, ...]:
        """What should be said before a block runs."""
        return self._get().warnings(action)

    def effects(self) -> str:
        """What the last block did."""
        return self._get().effects()

    def begin(self, action: Action) -> str | None:
        """A block is about to run."""
        self._before_block()
        return self._get().begin(action)

    def end(self) -> FilesChanged | None:
        """The block has ended."""
        return self._get().end()

    def undo(self, count: int = 1, conflicts: OnConflict = "refuse") -> str:
        """Go back."""
        return self._get().undo(count, conflicts)

    def redo(self, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo back."""
        return self._get().redo(conflicts)

    def discard(self) -> str:
        """Undo the last block for good."""
        return self._get().discard()

    def diff(self, name: str, only: Collection[str] = ()) -> str:
        """What a block changed."""
        return self._get().diff(name, only)

    def list(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, oldest first."""
        return self._get().list()

    def close(self) -> None:
        """Give back space and processes."""
        self._get().close()
