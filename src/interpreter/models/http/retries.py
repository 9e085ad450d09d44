"""Asking again when a request or a stream is lost, without saying anything twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace

from interpreter.models.http.provider_errors import Rejected, Transient
from interpreter.models.options import Patience
from interpreter.protocol.errors import ModelError, RateLimited
from interpreter.protocol.events import (
    ActionProposed,
    ModelEvent,
    ModelRetrying,
    ReplyFinished,
    TextDelta,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Message, Text, user_says
from interpreter.protocol.ports import Request

CONTINUE = (
    "The connection was lost in the middle of your reply. Continue exactly where it stops; "
    "do not repeat any of it. An unfinished block of code must be written again from its beginning."
)

Events = Generator[ModelEvent, None, None]
Attempt = Callable[[Request], Events]


@dataclass(slots=True)
class _Shown:
    """What has already been seen of a reply."""

    prose: list[str]
    acted: bool = False

    def note(self, event: ModelEvent) -> None:
        if isinstance(event, TextDelta):
            self.prose.append(event.text)
        elif isinstance(event, ActionProposed):
            self.acted = True


def persevere(
    attempt: Attempt, request: Request, interrupt: Interrupt, patience: Patience
) -> Events:
    """The events of the first attempt that gets through to the end.

    Prose that was shown before a connection broke stays, and the model is asked to go on from
    there. A reply that already proposed an action ends where it broke.
    """
    shown = _Shown([])
    for number in range(1, patience.attempts + 1):
        trouble = yield from _tried(attempt(_continued(request, shown)), shown)
        if trouble is None or interrupt.requested:
            return
        if shown.acted:
            yield ReplyFinished("actions")
            return
        seconds = _pause_before_next(number, trouble, patience)
        if seconds is None:
            raise _last_word(trouble, number) from trouble
        yield ModelRetrying(str(trouble.error), seconds, number)
        if not interrupt.pause(seconds):
            return


def _tried(events: Events, shown: _Shown) -> Generator[ModelEvent, None, Transient | None]:
    """One attempt; the trouble that ended it, if it may be tried again."""
    try:
        with closing(events):
            for event in events:
                shown.note(event)
                yield event
    except Rejected as rejected:
        raise rejected.error from rejected
    except Transient as trouble:
        return trouble
    return None


def _continued(request: Request, shown: _Shown) -> Request:
    said = "".join(shown.prose)
    if not said.strip():
        return request
    more = (Message("assistant", (Text(said),)), user_says(CONTINUE))
    return replace(request, messages=(*request.messages, *more))


def _pause_before_next(number: int, trouble: Transient, patience: Patience) -> float | None:
    """Seconds until the next attempt, or None if there should be none."""
    if number >= patience.attempts:
        return None
    if trouble.retry_after is not None:
        wanted = trouble.retry_after
        return wanted if wanted <= patience.longest_retry_after else None
    longest = min(patience.first_pause * 2.0 ** (number - 1), patience.longest_pause)
    return longest * random.uniform(0.5, 1.0)  # so that many clients do not come back at once


def _last_word(trouble: Transient, attempts: int) -> ModelError:
    if trouble.retry_after is not None and isinstance(trouble.error, RateLimited):
        return RateLimited(f"{trouble.error} It asks to wait {trouble.retry_after:.0f} seconds.")
    if attempts > 1:
        return type(trouble.error)(f"{trouble.error} ({attempts} attempts.)")
    return trouble.error
