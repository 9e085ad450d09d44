"""Requests as a small model can take them, blocks that are ours, and who writes several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interpreter.models.small.prompts.examples import EXAMPLES
from interpreter.models.small.rounds import known_first
from interpreter.models.small.small_plan import with_more
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReplyFinished,
    TextDelta,
    Usage,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Attempt, Code, Message
from interpreter.protocol.ports import Request

PYTHON = "python"
EXECUTE = "execute"  # one tool is enough for a small model

STEP_BY_STEP = "Solve it step by step, with a short comment before each step."

Drafter = Callable[[Request, range, Interrupt], tuple[Code, ...]]
"""Writes several blocks for one request at once, those of these numbers: others differ from them;
none where it cannot, or nobody waits for them."""


def next_drafts(asked_for: int, most: int, together: int) -> range:
    """The numbers of the programs to be compared next: one at first, with which mostly all is said,
    and then as many at a time as are written hardly slower than one."""
    return range(asked_for, min(asked_for + (together if asked_for else 1), most))


def no_drafts(request: Request, numbers: range, interrupt: Interrupt) -> tuple[Code, ...]:
    """For models that cannot write several at once."""
    return ()


def in_short(request: Request, messages: tuple[Message, ...], *, head: str = EXAMPLES) -> Request:
    """A request as a small model can take it."""
    return Request(
        system=f"{head}\n{request.system}",
        messages=tuple(map(known_first, messages)),
        tools=tuple(tool for tool in request.tools if tool.name == EXECUTE),
    )


def step_by_step(request: Request, messages: tuple[Message, ...]) -> Request:
    """The same request for a program that is written in another way: that is said behind it, so
    that the engine, which has read all the rest, need not read it again."""
    *before, last = messages
    return in_short(request, (*before, with_more(last, STEP_BY_STEP)))


def proposed(
    source: str, why: str, *, to_compare: bool = False, attempt: Attempt = ""
) -> Iterator[ModelEvent]:
    """A block, as if it had been written just now."""
    yield TextDelta(why)
    yield CodeDelta(PYTHON, source)
    yield ActionProposed(Code(PYTHON, source, to_compare=to_compare, attempt=attempt))
    yield ReplyFinished("actions", Usage(dollars=0.0))


def told(answer: str) -> Iterator[ModelEvent]:
    """An answer that is ours."""
    yield TextDelta(answer)
    yield ReplyFinished("stop", Usage(dollars=0.0))


def sources_of(blocks: tuple[Code, ...]) -> tuple[str, ...]:
    """The programs among them."""
    return tuple(block.source for block in blocks if block.language == PYTHON)
