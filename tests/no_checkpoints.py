"""No checkpoints: nothing is kept, nothing can be undone, and both are said."""

from __future__ import annotations

from collections.abc import Collection

from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.events import FilesChanged
from interpreter.protocol.messages import Action
from interpreter.protocol.ports import Checkpoint, OnConflict

NOTHING_KEPT = "Nothing can be undone: this session keeps no checkpoints."


class NoCheckpoints:
    """Keeps nothing."""

    def warnings(self, action: Action) -> tuple[str, ...]:
        """Nothing is promised, so nothing is warned of."""
        return ()

    def preview(self, action: Action) -> str:
        """Nothing is looked at."""
        return ""

    def effects(self) -> str:
        """Nothing is known."""
        return ""

    def begin(self, action: Action) -> str | None:
        """Nothing is kept."""
        return None

    def end(self) -> FilesChanged | None:
        """Nothing is known."""
        return None

    def undo(self, count: int = 1, conflicts: OnConflict = "refuse") -> str:
        """Say that it cannot be done."""
        raise CheckpointError(NOTHING_KEPT)

    def redo(self, conflicts: OnConflict = "refuse") -> str:
        """Say that it cannot be done."""
        raise CheckpointError(NOTHING_KEPT)

    def discard(self) -> str:
        """Say that it cannot be done."""
        raise CheckpointError(NOTHING_KEPT)

    def diff(self, name: str, only: Collection[str] = ()) -> str:
        """Say that it cannot be done."""
        raise CheckpointError(NOTHING_KEPT)

    def list(self) -> tuple[Checkpoint, ...]:
        """There are none."""
        return ()

    def close(self) -> None:
        """Nothing to give back."""
