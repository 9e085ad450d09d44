"""`verbose` and `debug`: what else happens in a turn, told to the log of the name `interpreter`."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from typing import assert_never

from interpreter.protocol import events as ev
from interpreter.protocol.calls import in_one_line
from interpreter.protocol.messages import Code
from interpreter.protocol.visible import sentence

LOG = logging.getLogger("interpreter")
LONGEST = 500  # characters of an event
TOO_EARLY = ("out_of_budget", "out_of_steps", "stuck")


def narrated(
    events: Generator[ev.Event, None, None], *, debug: bool
) -> Generator[ev.Event, None, None]:
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


def with_warnings(events: Generator[ev.Event, None, None]) -> Generator[ev.Event, None, None]:
    """The same events; a program that sees no display is told why a turn ended too early."""
    with closing(events):
        for event in events:
            if isinstance(event, ev.TurnFinished) and event.end in TOO_EARLY:
                LOG.warning("%s", sentence(event.detail))
            yield event


def _make_heard(level: int) -> None:
    """A program that has set up no logging gets it on stderr; one that has decides itself."""
    if not LOG.hasHandlers():
        LOG.addHandler(logging.StreamHandler())
        LOG.setLevel(level)


def _told(event: ev.Event) -> str:
    if isinstance(event, ev.ModelEvent):
        return _told_of_reply(event)
    return _told_of_block(event) if isinstance(event, ev.RuntimeEvent) else _told_of_turn(event)


def _told_of_reply(event: ev.ModelEvent) -> str:
    match event:
        case ev.ReplyFinished(end, usage):
            counted = f", {usage.input} tokens in and {usage.output} out" if usage else ""
            return f"the model has answered ({end}{counted})"
        case ev.ModelRetrying(reason, seconds):
            return f"asking again in {seconds:.1f} s: {reason}"
        case ev.TextDelta() | ev.ReasoningDelta() | ev.CodeDelta() | ev.ActionProposed():
            return ""
        case _:
            assert_never(event)


def _told_of_turn(event: ev.TurnEvent) -> str:
    match event:
        case ev.ActionStarted(action):
            what = action.language if isinstance(action, Code) else type(action).__name__
            return f"{what} begins to run"
        case ev.CheckpointTaken(name):
            return f"checkpoint {name}"
        case ev.FilesChanged(changes):
            return "files: " + ", ".join(f"{change.kind} {change.path}" for change in changes[:8])
        case ev.TurnFinished(end, detail):
            return f"the turn ended: {end} {detail}".rstrip()
        case ev.Decided() | ev.CheckpointDiscarded() | ev.MessageFinished():
            return ""
        case _:
            assert_never(event)


def _told_of_block(event: ev.RuntimeEvent) -> str:
    match event:
        case ev.ApprovalRequested(_, reason):
            return f"approval is needed: {reason}" if reason else "approval is needed"
        case ev.ExecutionFinished(outcome, summary):
            return f"it ended: {outcome} {summary}".rstrip()
        case ev.Notice(text):
            return text
        case ev.HostCallRuled() | ev.HostCallFinished():
            return in_one_line(event)
        case (
            ev.OutputDelta()
            | ev.ModelTold()
            | ev.DisplayShown()
            | ev.OutputCleared()
            | ev.ActiveLine()
        ):
            return ""
        case ev.InputRequested() | ev.HostCallProposed():
            return ""
        case _:
            assert_never(event)
