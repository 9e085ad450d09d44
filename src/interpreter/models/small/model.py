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

from interpreter.models.small.coding import Coding, written_text
from interpreter.models.small.data import without_data
from interpreter.models.small.forms import form_of
from interpreter.models.small.own_draft import own_draft
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.rendering import RENDERED
from interpreter.models.small.small_plan import BLOCK, SmallPlan, assistant_says
from interpreter.models.small.votes import ballot
from interpreter.models.small.words import (
    ANOTHER_DRAFT,
    EXAMPLE,
    IN_THE_FORM,
    LAST_VALUE,
    NUDGE,
    PUT_IT_RIGHT,
    SPENT,
    THE_FILE,
    faithful,
    finds_fault,
    gave_up,
)
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
from interpreter.protocol.values import frozen

PYTHON = "python"
EXECUTE = "execute"  # one tool is enough for a small model
FAULTS_BELIEVED = 2  # blocks after which a model may say that its own output is wrong
LONG = 20.0  # seconds that a block took, and more than the model did: it is not run again and again

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
        *,
        compares: Callable[[], bool] = lambda: True,
        notice: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.name
        self.capabilities = model.capabilities
        self._models = {0: model}
        self._varied = varied
        self._drafter = drafter
        self._compares = compares
        self._notice = notice
        self._drafted: tuple[object, tuple[str, ...]] = (None, ())
        self._clock = clock
        self._replied = clock()
        self._thought = 0.0

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        begun = self._clock()
        yield from self._reply_to(request, interrupt)
        self._replied = self._clock()
        self._thought = self._replied - begun

    def _reply_to(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        turn = SmallTurn.of(request.messages)
        if (coding := Coding.of(turn.question)) is not None:
            yield from self._code(coding, turn, request, interrupt)
            return
        if shown := turn.to_show:
            yield from _proposed(shown, IN_THE_FORM if shown.startswith(RENDERED) else LAST_VALUE)
            return
        if turn.to_look_at and self._compares():
            yield from _proposed(turn.to_look_at, THE_FILE, to_compare=True)
            return
        if turn.to_rewrite:
            yield from _proposed(turn.to_rewrite, IN_THE_FORM)
            return
        drafts = self._drafts(turn, request, interrupt)
        counted = ballot(turn.question, turn.rounds, drafts)
        if drafts and counted.untried and not counted.is_decided:
            yield from _proposed(counted.untried[0], ANOTHER_DRAFT, to_compare=True)
            return
        plan = turn.next_request(counted if drafts else None)
        if plan.answer:
            yield TextDelta(plan.answer + self._beside(plan, turn.question))
            yield ReplyFinished("stop", Usage(dollars=0.0))
            return
        asked = replace(_in_short(request, plan.messages), frame=plan.frame)
        if plan.output:
            ran = frozenset(one.source.strip() for one in turn.rounds if not one.failed)
            yield from self._answer(asked, plan, ran, interrupt)
        else:
            yield from self._work(asked, plan, turn, interrupt)

    def _code(
        self, coding: Coding, turn: SmallTurn, request: Request, interrupt: Interrupt
    ) -> Iterator[ModelEvent]:
        """Show the file and its tests, have it written as a whole, run the tests, repair it."""
        if not turn.rounds:
            yield from _proposed(coding.look, "The file and its tests:\n")
            return
        if answer := coding.answer(turn.rounds):
            yield TextDelta(answer)
            yield ReplyFinished("stop", Usage(dollars=0.0))
            return
        asked = replace(_in_short(request, turn.for_coding(coding)), frame=BLOCK)
        variation = sum(bool(written_text(one)) for one in turn.rounds)
        with closing(self._reply(asked, variation, interrupt)) as events:
            for event in events:
                if isinstance(event, ActionProposed) and isinstance(event.action, Code):
                    source = coding.writing(event.action.source)
                    yield CodeDelta(PYTHON, source)
                    yield ActionProposed(Code(PYTHON, source))
                elif not isinstance(event, CodeDelta):
                    yield event

    def _work(
        self, asked: Request, plan: SmallPlan, turn: SmallTurn, interrupt: Interrupt
    ) -> Iterator[ModelEvent]:
        """The next block, or words that need none; what is neither is asked for once more."""
        reply = yield from self._ask(asked, plan, interrupt)
        if reply.end is not None and (more := reply.what_is_wrong(plan)):
            again = (*asked.messages, assistant_says(reply.said), user_says(more))
            once_more = replace(plan, variation=plan.variation + bool(reply.spent))
            told = replace(asked, messages=again, frame=BLOCK)
            reply = yield from self._ask(told, once_more, interrupt)
        if reply.end is None:
            return
        if reply.spent:
            error = turn.rounds[-1].summary
            yield TextDelta(gave_up(reply.spent, error))
        elif not reply.acted and plan.known is not None:
            yield TextDelta(plan.honest(reply.said))
        yield replace(reply.end, end="stop") if reply.spent else reply.end

    def _drafts(self, turn: SmallTurn, request: Request, interrupt: Interrupt) -> tuple[str, ...]:
        """Programs to compare the first one with, written once it has run.

        Where we can write one ourselves, it comes first, and if it agrees it is enough.
        """
        if not turn.can_be_checked or self._drafter is no_drafts or not self._compares():
            return ()
        compared = [one for one in turn.rounds if one.to_compare]
        if compared and all(one.overruled for one in compared):  # the next one may not run either
            return ()
        own = own_draft(turn.question)
        ran = [one.source for one in turn.rounds]
        if own and (own not in ran or self._is_enough(own, turn)):
            return (own,) if len(ran) == 1 or own in ran else ()
        if self._drafted[0] != turn.identity:
            took = self._clock() - self._replied
            written = [one for one in ran if one != own and not one.startswith(RENDERED)]
            if len(written) > 1 or took > max(LONG, self._thought):
                return ()
            asked = replace(_in_short(request, turn.for_drafts), frame=BLOCK)
            blocks = self._drafter(asked, interrupt)
            sources = tuple(block.source for block in blocks if block.language == PYTHON)
            self._drafted = (turn.identity, (*filter(None, (own,)), *sources))
        return self._drafted[1]

    def _is_enough(self, own: str, turn: SmallTurn) -> bool:
        """Whether the program of ours, which ran, agrees with another or is alone in giving an
        answer that can be right."""
        counted = ballot(turn.question, turn.rounds, (own,))
        ours = counted.leader is not None and counted.leader.source == own
        return counted.votes > 1 or (ours and counted.runner_up == 0)

    def _answer(
        self, request: Request, plan: SmallPlan, ran: frozenset[str], interrupt: Interrupt
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
                elif _does_nothing(event, ran):
                    code.clear()
                else:  # it goes on with another block
                    yield from (*held, *code, event)
                    held.clear()
                    code.clear()
        said = "".join(piece.text for piece in held)
        if end is not None and finds_fault(said) and len(ran) <= FAULTS_BELIEVED:
            again = (*request.messages, assistant_says(said), user_says(PUT_IT_RIGHT))
            better = replace(request, messages=again, frame=BLOCK)
            yield from self._reply(better, plan.variation + 1, interrupt)
        elif said.strip() or end is not None:
            yield from self._given(said, end, request.messages[-3].text, plan)

    def _given(
        self, said: str, end: ReplyFinished | None, question: str, plan: SmallPlan
    ) -> Iterator[ModelEvent]:
        answer = plan.in_json(said) or faithful(said, plan.output, question)
        yield TextDelta(answer + self._beside(plan, question))
        if end is not None:
            yield end

    def _beside(self, plan: SmallPlan, question: str) -> str:
        """A doubt, which stands behind an answer; one that a program may read is given as it was
        asked for, and the doubt is said elsewhere."""
        if not form_of(question).kind:
            return plan.doubt
        if plan.doubt:
            self._notice(plan.doubt.strip())
        return ""

    def close(self) -> None:
        """Give back what the models hold."""
        for model in self._models.values():
            model.close()

    def _ask(
        self, request: Request, plan: SmallPlan, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, _Reply]:
        """Pass the reply on but for its end.

        Words wait for the code, without which they may be a guess, and code that may contain a
        line which failed twice waits until all of it is there.
        """
        held: list[ModelEvent] = []
        said: list[str] = []
        acted, spent, end = False, "", None
        with closing(self._reply(request, plan.variation, interrupt)) as events:
            for event in events:
                if isinstance(event, ReplyFinished):
                    end = event
                    continue
                if isinstance(event, TextDelta):
                    said.append(event.text)
                if isinstance(event, ActionProposed):
                    spent = _spent_line(event, plan.spent)
                    acted = not spent
                held.append(event)
                waits = isinstance(event, TextDelta) and plan.known is not None and not acted
                if waits or (plan.spent and not acted):
                    continue
                yield from held
                held.clear()
        return _Reply("".join(said), acted, spent, end)

    def _reply(
        self, request: Request, variation: int, interrupt: Interrupt, printed: str = ""
    ) -> Generator[ModelEvent, None, None]:
        """What the model says and does; a block that is no code is something it says."""
        if variation not in self._models:
            self._models[variation] = self._varied(variation)
        with closing(_passed_on(self._models[variation].stream(request, interrupt))) as events:
            yield from without_data(events, printed)


@frozen
class _Reply:
    """What a model said, and whether it does something."""

    said: str
    acted: bool
    spent: str
    """A line of its block that failed twice before, for which the block is not run."""
    end: ReplyFinished | None

    def what_is_wrong(self, plan: SmallPlan) -> str:
        """What it is told, so that it replies once more; nothing where the reply will do."""
        if self.spent:
            return SPENT.format(line=self.spent)
        return NUDGE if not self.acted and plan.is_unfinished(self.said) else ""


def _spent_line(event: ActionProposed, spent: tuple[str, ...]) -> str:
    source = event.action.source if isinstance(event.action, Code) else ""
    lines = {line.strip() for line in source.splitlines()}
    return next((line for line in spent if line in lines), "")


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


def _does_nothing(event: ModelEvent, ran: frozenset[str]) -> bool:
    """Whether it proposes a block of nothing but comments, or one whose output is known."""
    if not isinstance(event, ActionProposed) or not isinstance(event.action, Code):
        return False
    if event.action.source.strip() in ran:
        return True
    lines = map(str.strip, event.action.source.splitlines())
    return all(not line or line.startswith("#") for line in lines)
