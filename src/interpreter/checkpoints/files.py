"""What every keeper of files offers: the journal, and shadow git where there is no journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from interpreter.checkpoints.effects.differences import Difference
from interpreter.protocol.events import FileChange
from interpreter.protocol.values import frozen


class BlockEntry(NamedTuple):
    """One block that is kept."""

    name: str
    label: str
    created: float
    undone: bool


@frozen
class FileReport:
    """What a block did to files, what could not be kept, and which blocks are kept now."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class FileKeeper(Protocol):
    """Keeps files before a block and puts them back."""

    @property
    def largest_file(self) -> int:
        """The bytes of the largest file that is kept when it is changed in place."""
        ...

    def begin(self, name: str, label: str, meanwhile: Callable[[], None]) -> None:
        """A block is about to run; what is to be done `meanwhile` touches no file that is kept."""
        ...

    def end(self) -> FileReport:
        """The block has ended."""
        ...

    def conflicts(self, count: int) -> tuple[str, ...]:
        """What somebody else changed since, among what an undo of `count` blocks would touch."""
        ...

    def conflicts_of_redo(self) -> tuple[str, ...]:
        """What somebody else changed since, among what a redo would touch."""
        ...

    def undo(self, name: str, spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Put files back to before the newest block; what could not be done, as text."""
        ...

    def redo(self, name: str, spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Do the block again that was undone last."""
        ...

    def discard(self) -> None:
        """Forget the block that was undone last."""
        ...

    def blocks(self) -> tuple[BlockEntry, ...]:
        """What is kept, oldest first."""
        ...

    def differences(self, name: str) -> tuple[Difference, ...]:
        """What a block changed, with where to find the content before and after."""
        ...

    def close(self) -> None:
        """Give back processes."""
        ...
