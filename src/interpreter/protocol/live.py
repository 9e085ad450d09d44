"""What the readers of a live session are told beside the events of its turns."""

from __future__ import annotations

from typing import Literal

from interpreter.protocol.events import Event
from interpreter.protocol.messages import Message
from interpreter.protocol.values import frozen

ClosedBy = Literal["user", "interrupt", "timeout", "end"]


@frozen
class TurnStarted:
    """A turn begins; the user's message, if there is one, is kept and part of the transcript."""

    message: Message | None


@frozen
class QuestionClosed:
    """The event with this number, which asked something, can no longer be answered."""

    question: int
    by: ClosedBy


@frozen
class WentBack:
    """The transcript is another one now, with so many messages: something was undone or redone."""

    told: str
    messages: int


@frozen
class SessionChanged:
    """Settings or the title of the session are other ones now."""


LiveEvent = Event | TurnStarted | QuestionClosed | WentBack | SessionChanged
