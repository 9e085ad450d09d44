"""The messages of a session: a list that anyone can read and only the session changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from interpreter.protocol.messages import Message


class Transcript(Sequence[Message]):
    """A live, read-only view for everyone but the session, which adds to it."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)

    def add(self, message: Message) -> None:
        """Append a message; the session's privilege."""
        self._messages.append(message)

    def cut(self, place: int) -> tuple[Message, ...]:
        """Take everything from a place on away; the session's privilege."""
        gone = tuple(self._messages[place:])
        del self._messages[place:]
        return gone

    @overload
    def __getitem__(self, place: int) -> Message: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Message]: ...
    def __getitem__(self, place: int | slice) -> Message | Sequence[Message]:
        return self._messages[place]

    def __len__(self) -> int:
        return len(self._messages)
