"""What makes a small model succeed: short requests, errors it can use, answers that are not lost.

`SmallModel` is a model around a model. Before each request it looks at how the turn has gone so
far and rewrites the request; after a reply it checks that what the code printed reached the user.
Where several programs can be written at once, it compares what they print before it answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace

from interpreter.models.small.data import without_data
from interpreter.models.small.plan import SmallPlan, SmallTurn, assistant_says
from interpreter.models.small.votes import ballot
from interpreter.models.small.words import ANOTHER_DRAFT, EXAMPLE, LAST_VALUE, NUDGE, faithful
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReplyFinished,
    TextDelta,
    Usage,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message, user_says
from interpreter.protocol.ports import Model, Request

PYTHON = "python"
EXECUTE = "execute"  # one tool is enough for a small model
LONG = 20.0  # seconds that a block took: it is not worth that time again and again

Drafter = Callable[[Request, Interrupt], tuple[Code, ...]]
"""Writes several blocks for one request at once; none where it cannot, or nobody wants them."""


def no_drafts(request: Request, interrupt: Interrupt) -> tuple[Code, ...]:
    """For models that cannot write several at once."""
    return ()


class SmallModel:
    """A model around a small model; `varied` makes it sample from a seed."""

    def __init__(
        self,
        model: Model,
        varied: Callable[[int], Model],
        drafter: Drafter = no_drafts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.name
        self.capabilities = model.capabilities
        self._models = {0: model}
        self._varied = varied
        self._drafter = drafter
        self._drafted: tuple[object, tuple[str, ...]] = (None, ())
        self._clock = clock
        self._replied = clock()

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        yield from self._reply_to(request, interrupt)
        self._replied = self._clock()

    def _reply_to(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        turn = SmallTurn.of(request.messages)
        if turn.to_show:
            yield from _proposed(turn.to_show, LAST_VALUE)
            return
        drafts = self._drafts(turn, request, interrupt)
        counted = ballot(turn.question, turn.rounds, drafts)
        if drafts and counted.untried and not counted.is_decided:
            yield from _proposed(counted.untried[0], ANOTHER_DRAFT, to_compare=True)
            return
        plan = turn.next_request(counted if drafts else None)
        if plan.answer:
            yield TextDelta(plan.answer + plan.doubt)
            yield ReplyFinished("stop", Usage(dollars=0.0))
            return
        asked = _in_short(request, plan.messages)
        if plan.output:
            yield from self._answer(asked, plan, interrupt)
            return
        said, acted, end = yield from self._ask(asked, plan.variation, interrupt)
        if not acted and end is not None and plan.is_unfinished(said):
            nudged = (*asked.messages, assistant_says(said), user_says(NUDGE))
            again = replace(asked, messages=nudged)
            _, _, end = yield from self._ask(again, plan.variation, interrupt)
        if end is not None:
            yield end

    def _drafts(self, turn: SmallTurn, request: Request, interrupt: Interrupt) -> tuple[str, ...]:
        """Programs to compare the first one with, written once it has run."""
        if not turn.can_be_checked:
            return ()
        if self._drafted[0] != turn.identity:
            if len(turn.rounds) > 1 or self._clock() - self._replied > LONG:
                return ()
            blocks = self._drafter(_in_short(request, turn.for_drafts), interrupt)
            sources = tuple(block.source for block in blocks if block.language == PYTHON)
            self._drafted = (turn.identity, sources)
        return self._drafted[1]

    def _answer(
        self, request: Request, plan: SmallPlan, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, None]:
        """An answer made of what was printed; words wait until it is known what they are worth."""
        held: list[TextDelta] = []
        code: list[ModelEvent] = []
        end = None
        with closing(self._reply(request, plan.variation, interrupt, plan.output)) as events:
            for event in events:
                if isinstance(event, TextDelta):
                    held.append(event)
                elif isinstance(event, CodeDelta):
                    code.append(event)
                elif isinstance(event, ReplyFinished):
                    end = event
                elif _does_nothing(event):  # a block of comments beside the answer
                    code.clear()
                else:  # it goes on with another block
                    yield from (*held, *code, event)
                    held.clear()
                    code.clear()
        said = "".join(piece.text for piece in held)
        if said.strip() or end is not None:
            yield TextDelta(faithful(said, plan.output, request.messages[-3].text) + plan.doubt)
        if end is not None:
            yield end

    def close(self) -> None:
        """Give back what the models hold."""
        for model in self._models.values():
            model.close()

    def _ask(
        self, request: Request, variation: int, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, tuple[str, bool, ReplyFinished | None]]:
        """Pass the reply on but for its end: what was said, whether it acts, and that end."""
        said: list[str] = []
        acted, end = False, None
        with closing(self._reply(request, variation, interrupt)) as events:
            for event in events:
                if isinstance(event, ReplyFinished):
                    end = event
                    continue
                if isinstance(event, TextDelta):
                    said.append(event.text)
                acted = acted or isinstance(event, ActionProposed)
                yield event
        return "".join(said), acted, end

    def _reply(
        self, request: Request, variation: int, interrupt: Interrupt, printed: str = ""
    ) -> Generator[ModelEvent, None, None]:
        """What the model says and does; a block that is no code is something it says."""
        if variation not in self._models:
            self._models[variation] = self._varied(variation)
        with closing(_passed_on(self._models[variation].stream(request, interrupt))) as events:
            yield from without_data(events, printed)


def _in_short(request: Request, messages: tuple[Message, ...]) -> Request:
    """A request as a small model can take it."""
    return Request(
        system=f"{EXAMPLE}\n{request.system}",
        messages=messages,
        tools=tuple(tool for tool in request.tools if tool.name == EXECUTE),
    )


def _proposed(source: str, why: str, *, to_compare: bool = False) -> Iterator[ModelEvent]:
    """A block, as if it had been written just now."""
    yield TextDelta(why)
    yield CodeDelta(PYTHON, source)
    yield ActionProposed(Code(PYTHON, source, to_compare=to_compare))
    yield ReplyFinished("actions", Usage(dollars=0.0))


def _passed_on(events: Iterator[ModelEvent]) -> Generator[ModelEvent, None, None]:
    yield from events


def _does_nothing(event: ModelEvent) -> bool:
    """Whether it proposes a block in which there is nothing but comments."""
    if not isinstance(event, ActionProposed) or not isinstance(event.action, Code):
        return False
    lines = map(str.strip, event.action.source.splitlines())
    return all(not line or line.startswith("#") for line in lines)
