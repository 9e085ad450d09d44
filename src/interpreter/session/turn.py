"""One turn: ask the model, run what it proposes, show it the result, until it proposes nothing.

The events of a turn are its only output. Whatever ends it early (an interrupt, a closed generator,
an error), what had been streamed is recorded first, so that the transcript is always consistent.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from interpreter.protocol.actions import FAILED_BEFORE, Decision
from interpreter.protocol.errors import ModelError, OutOfBudget
from interpreter.protocol.events import Decided, Event, MessageFinished, TurnFinished
from interpreter.protocol.messages import Action, Message
from interpreter.session.act import StuckDetector, decide, execute, refuse, skip
from interpreter.session.draft import Draft
from interpreter.session.engine import Turn


def run_turn(turn: Turn) -> Iterator[Event]:
    """Carry out one turn; the last event is TurnFinished."""
    try:
        yield (yield from _steps(turn))
    except OutOfBudget as stop:
        yield TurnFinished("out_of_budget", str(stop))
    except ModelError as error:
        yield TurnFinished("failed", str(error))
        raise


def _steps(turn: Turn) -> Generator[Event, None, TurnFinished]:
    limits = turn.engine.limits
    stuck = StuckDetector(limits.repeats)
    engine = replace(turn.engine, approve=stuck.noting(turn.engine.approve))
    turn = replace(turn, engine=engine)
    actions, sent_on = unanswered(turn.history), 0
    for _ in range(limits.steps):
        end = None
        if not actions:
            reply = yield from _listen(turn)
            actions = reply.actions if reply else ()
            end = _end_after_reply(reply, turn, stuck)
            if end and end.end == "answered" and turn.is_sent_on(sent_on):
                sent_on += 1
                continue
        end = end or (yield from _carry_out(actions, turn, stuck))
        if end:
            return end
        actions = ()
    steps = "1 step" if limits.steps == 1 else f"{limits.steps} steps"
    return TurnFinished("out_of_steps", f"stopped after {steps}")


def unanswered(history: Sequence[Message]) -> tuple[Action, ...]:
    """What the last reply proposes, when nothing has happened since."""
    if not history or history[-1].role != "assistant" or history[-1].completion != "complete":
        return ()
    return history[-1].actions


def _listen(turn: Turn) -> Generator[Event, None, Message | None]:
    """Hear the model out; None when it said nothing."""
    draft = Draft("assistant")
    asking, model = turn.engine.asking, turn.engine.model
    replies = asking.stream(model, turn.history, turn.interrupt)
    with turn.keeping(draft), closing(replies) as events:
        for event in events:
            draft.add(event)
            yield event
    reply = draft.message("interrupted" if turn.interrupt.requested else "complete")
    if reply is not None:
        turn.record(reply)
        yield MessageFinished(reply)
    return reply


def _end_after_reply(
    reply: Message | None, turn: Turn, stuck: StuckDetector
) -> TurnFinished | None:
    if turn.interrupt.requested:
        return TurnFinished("interrupted")
    if reply is None:
        reason = stuck.silence()
        return TurnFinished("stuck", reason) if reason else None
    return None if reply.actions else TurnFinished("answered")


def _carry_out(
    actions: tuple[Action, ...], turn: Turn, stuck: StuckDetector
) -> Generator[Event, None, TurnFinished | None]:
    """Do what was proposed, in order; a reason to end the turn also skips the rest."""
    end: TurnFinished | None = None
    for action in actions:
        if end:
            yield from skip(action, turn)
            continue
        if stuck.failed_before(action):
            decision = Decision("no", FAILED_BEFORE)
            yield Decided(action, decision)
        else:
            decision = yield from decide(action, turn)
        act = execute if decision.allows else refuse
        result = yield from act(action, decision, turn)
        end = _end_after_action(action, decision, result, turn, stuck)
    return end


def _end_after_action(
    action: Action, decision: Decision, result: Message, turn: Turn, stuck: StuckDetector
) -> TurnFinished | None:
    if turn.interrupt.requested:
        return TurnFinished("interrupted")
    if decision.answer == "stop" or (decision.answer == "no" and not decision.reason):
        return TurnFinished("declined", decision.reason)
    if reason := stuck.repeats(action, result):
        return TurnFinished("stuck", reason)
    return None
