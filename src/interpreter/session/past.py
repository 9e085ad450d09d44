"""Where each checkpoint stands in the conversation, and what was taken back of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interpreter.protocol.messages import Message
from interpreter.session.store.database import Store


class Mark(NamedTuple):
    """A checkpoint, and the place of the message that came of it, or would come next."""

    checkpoint: str
    place: int


class Undone(NamedTuple):
    """Messages that were taken back together, and the checkpoints that went with them."""

    messages: tuple[Message, ...]
    marks: tuple[Mark, ...]


class Past:
    """Kept in the store where there is one, so that a session that goes on can still go back."""

    def __init__(self, store: Store | None, session_id: str) -> None:
        self._store = store
        self._session = session_id
        self.marks: list[Mark] = []
        self.undone: list[Undone] = []
        if store is not None:
            self.marks = [Mark(*row) for row in store.marks(session_id)]
            self.undone = [
                Undone(messages, tuple(Mark(*row) for row in rows))
                for messages, rows in store.undone(session_id)
            ]

    def add(self, mark: Mark) -> None:
        """A checkpoint was taken."""
        self.marks.append(mark)
        if self._store is not None:
            self._store.mark(self._session, [mark])

    def drop_last(self) -> None:
        """The last checkpoint is gone: its block was only tried."""
        mark = self.marks.pop()
        if self._store is not None:
            self._store.unmark(self._session, [mark.checkpoint])

    def take_back(self, start: int, messages: tuple[Message, ...]) -> None:
        """The checkpoints from `start` on are undone, and these messages went with them."""
        marks = tuple(self.marks[start:])
        del self.marks[start:]
        self.undone.append(Undone(messages, marks))
        if self._store is not None:
            self._store.unmark(self._session, [mark.checkpoint for mark in marks])
            self._store.keep_undone(self._session, messages, marks)

    def bring_back(self) -> Sequence[Mark]:
        """What was undone last is done again."""
        undone = self.undone.pop()
        self.marks += undone.marks
        if self._store is not None:
            self._store.mark(self._session, undone.marks)
            self._store.forget_undone(self._session, len(self.undone))
        return undone.marks

    def forget_undone(self) -> None:
        """Another future begins: what was taken back stays so."""
        if self.undone:
            self.undone.clear()
            if self._store is not None:
                self._store.forget_undone(self._session)
