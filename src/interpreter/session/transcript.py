"""The messages of a session: a list that can be read by anyone and only grows."""

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

    @overload
    def __getitem__(self, place: int) -> Message: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Message]: ...
    def __getitem__(self, place: int | slice) -> Message | Sequence[Message]:
        return self._messages[place]

    def __len__(self) -> int:
        return len(self._messages)
