"""Loop mode: a model that stops too early is asked to go on until it says that it is done."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace

from interpreter.protocol.events import Event, TurnFinished
from interpreter.protocol.messages import Message, user_says
from interpreter.session.request.rewritten_model import RewrittenModel
from interpreter.session.session import Session

MOST_ROUNDS = 100


def looped(
    session: Session,
    first: Generator[Event, None, None],
    message: str,
    breakers: Iterable[str],
) -> Generator[Event, None, None]:
    """One turn after the other; `message` is said to the model each time and never kept."""
    ordinary, phrases = session.engine, tuple(breakers)
    nudge = user_says(message)
    nudged = RewrittenModel(ordinary.model, lambda messages: (*messages, nudge))
    nudging = replace(ordinary, model=nudged)
    turn = first
    try:
        for _ in range(MOST_ROUNDS):
            end = yield from _all_but_the_end(turn)
            if end.end != "answered" or _is_done(session.transcript, phrases):
                break
            session.engine = nudging
            turn = session.proceed()
        yield end
    finally:
        session.engine = ordinary


def _all_but_the_end(
    turn: Generator[Event, None, None],
) -> Generator[Event, None, TurnFinished]:
    end = TurnFinished("failed", "the turn did not end")
    with closing(turn):
        for event in turn:
            if isinstance(event, TurnFinished):
                end = event
            else:
                yield event
    return end


def _is_done(transcript: Sequence[Message], phrases: tuple[str, ...]) -> bool:
    last = transcript[-1] if transcript else None
    return last is None or any(phrase in last.text for phrase in phrases)
