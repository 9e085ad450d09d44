"""`verbose` and `debug`: what else happens in a turn, told to the log of the name `interpreter`."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from typing import assert_never

from interpreter.protocol.calls import in_one_line
from interpreter.protocol.events import (
    ActionProposed,
    ActionStarted,
    ActiveLine,
    ApprovalRequested,
    CheckpointDiscarded,
    CheckpointTaken,
    CodeDelta,
    Decided,
    DisplayShown,
    Event,
    ExecutionFinished,
    FilesChanged,
    HostCallFinished,
    HostCallProposed,
    HostCallRuled,
    InputRequested,
    MessageFinished,
    ModelEvent,
    ModelRetrying,
    ModelTold,
    Notice,
    OutputCleared,
    OutputDelta,
    ReasoningDelta,
    ReplyFinished,
    RuntimeEvent,
    TextDelta,
    TurnEvent,
    TurnFinished,
)
from interpreter.protocol.messages import Code
from interpreter.protocol.visible import sentence

LOG = logging.getLogger("interpreter")
LONGEST = 500  # characters of an event
TOO_EARLY = ("out_of_budget", "out_of_steps", "stuck")


def narrated(events: Generator[Event, None, None], *, debug: bool) -> Generator[Event, None, None]:
    """The same events; what is worth knowing is logged, with `debug` every one of them."""
    _make_heard(logging.DEBUG if debug else logging.INFO)
    with closing(events):
        for event in events:
            told = _told(event)
            if told:
                LOG.info("%s", sentence(told))
            if debug:
                LOG.debug("%.*s", LONGEST, repr(event))
            yield event


def with_warnings(events: Generator[Event, None, None]) -> Generator[Event, None, None]:
    """The same events; a program that sees no display is told why a turn ended too early."""
    with closing(events):
        for event in events:
            if isinstance(event, TurnFinished) and event.end in TOO_EARLY:
                LOG.warning("%s", sentence(event.detail))
            yield event


def _make_heard(level: int) -> None:
    """A program that has set up no logging gets it on stderr; one that has decides itself."""
    if not LOG.hasHandlers():
        LOG.addHandler(logging.StreamHandler())
        LOG.setLevel(level)


def _told(event: Event) -> str:
    if isinstance(event, ModelEvent):
        return _told_of_reply(event)
    return _told_of_block(event) if isinstance(event, RuntimeEvent) else _told_of_turn(event)


def _told_of_reply(event: ModelEvent) -> str:
    match event:
        case ReplyFinished(end, usage):
            counted = f", {usage.input} tokens in and {usage.output} out" if usage else ""
            return f"the model has answered ({end}{counted})"
        case ModelRetrying(reason, seconds):
            return f"asking again in {seconds:.1f} s: {reason}"
        case TextDelta() | ReasoningDelta() | CodeDelta() | ActionProposed():
            return ""
        case _:
            assert_never(event)


def _told_of_turn(event: TurnEvent) -> str:
    match event:
        case ActionStarted(action):
            what = action.language if isinstance(action, Code) else type(action).__name__
            return f"{what} begins to run"
        case CheckpointTaken(name):
            return f"checkpoint {name}"
        case FilesChanged(changes):
            return "files: " + ", ".join(f"{change.kind} {change.path}" for change in changes[:8])
        case TurnFinished(end, detail):
            return f"the turn ended: {end} {detail}".rstrip()
        case Decided() | CheckpointDiscarded() | MessageFinished():
            return ""
        case _:
            assert_never(event)


def _told_of_block(event: RuntimeEvent) -> str:
    match event:
        case ApprovalRequested(_, reason):
            return f"approval is needed: {reason}" if reason else "approval is needed"
        case ExecutionFinished(outcome, summary):
            return f"it ended: {outcome} {summary}".rstrip()
        case Notice(text):
            return text
        case HostCallRuled() | HostCallFinished():
            return in_one_line(event)
        case OutputDelta() | ModelTold() | DisplayShown() | OutputCleared() | ActiveLine():
            return ""
        case InputRequested() | HostCallProposed():
            return ""
        case _:
            assert_never(event)
