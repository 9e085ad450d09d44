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

from interpreter.models.small.checks.sources import deletes_what_nobody_named
from interpreter.models.small.coding.task import Coding
from interpreter.models.small.coding.writer import FileWriter
from interpreter.models.small.data import without_data
from interpreter.models.small.effort import Effort, without_circles
from interpreter.models.small.faithful import faithful
from interpreter.models.small.form.asked import form_of, number_alone
from interpreter.models.small.form.rendering import RENDERED
from interpreter.models.small.into_file import put_into_file
from interpreter.models.small.mends.put_right import before_it_runs
from interpreter.models.small.own_draft import own_draft
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.prompts.words import (
    ANOTHER_DRAFT,
    DELETES,
    IN_THE_FORM,
    LAST_VALUE,
    MENDED,
    NUDGE,
    PUT_IT_RIGHT,
    SPENT,
    THE_FILE,
    WOULD_DELETE,
    finds_fault,
    gave_up,
    is_only_a_promise,
)
from interpreter.models.small.rehearsal.rehearser import Rehearser
from interpreter.models.small.requests import (
    Drafter,
    in_short,
    next_drafts,
    no_drafts,
    proposed,
    sources_of,
    told,
)
from interpreter.models.small.small_plan import BLOCK, SmallPlan, assistant_says
from interpreter.models.small.votes import ballot
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReplyFinished,
    TextDelta,
    Usage,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, user_says
from interpreter.protocol.ports import Model, Request
from interpreter.protocol.values import frozen

FAULTS_BELIEVED = 2  # blocks after which a model may say that its own output is wrong
LONG = 20.0  # seconds that a block took, and more than the model did: it is not run again and again


class SmallModel:
    """A model around a small model; `varied` makes it sample from a seed."""

    def __init__(
        self,
        model: Model,
        varied: Callable[[int], Model],
        drafter: Drafter = no_drafts,
        *,
        drafts: Callable[[], int] = lambda: 4,
        together: int = 2,
        notice: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.name
        self.capabilities = model.capabilities
        self._models = {0: model}
        self._varied = varied
        self._drafter = drafter
        self._most = drafts
        self._together = together
        self._notice = notice
        self._drafted = _Drafted()
        self._clock = clock
        self._files = FileWriter(self._reply, drafter, drafts, self.capabilities, clock)
        self._effort = Effort()
        self._rehearser = Rehearser(self._reply, drafter, drafts, together, self._effort)
        self._replied = clock()
        self._thought = 0.0

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        begun = self._clock()
        turn = SmallTurn.of(request.messages)
        self._effort.of_turn(turn.identity, is_new=not turn.rounds)
        events = self._reply_to(turn, request, interrupt)
        waits = turn.file and not turn.said_of_file
        yield from put_into_file(events, turn.question, turn.file) if waits else events
        self._replied = self._clock()
        self._thought = self._replied - begun
        self._effort.add(self._thought)

    def _reply_to(
        self, turn: SmallTurn, request: Request, interrupt: Interrupt
    ) -> Iterator[ModelEvent]:
        if (coding := Coding.of(turn.question)) is not None:
            yield from self._files.stream(coding, turn, request, interrupt)
            return
        if said := turn.said_of_file:
            yield from told(said)
            return
        if self._rehearser.applies(turn) and (
            yield from self._rehearser.stream(turn, request, interrupt)
        ):
            return
        turn = turn.without_copies
        if step := next(self._own_steps(turn), None):
            source, words, to_compare = step
            attempt = "" if to_compare else turn.attempt
            yield from proposed(source, words, to_compare=to_compare, attempt=attempt)
            return
        drafts = self._drafts(turn, request, interrupt)
        counted = ballot(turn.question, turn.rounds, drafts)
        if drafts and counted.untried and not counted.is_decided:
            yield from proposed(counted.untried[0], ANOTHER_DRAFT, to_compare=True)
            return
        plan = turn.next_request(counted if drafts else None, is_late=self._effort.is_spent)
        if plan.answer:
            yield TextDelta(plan.answer + self._beside(plan, turn.question))
            yield ReplyFinished("stop", Usage(dollars=0.0))
            return
        asked = replace(in_short(request, plan.messages), frame=plan.frame)
        if plan.output:
            ran = frozenset(one.source.strip() for one in turn.rounds if not one.failed)
            yield from self._answer(asked, plan, turn.question, ran, interrupt)
        else:
            yield from self._work(asked, plan, turn, interrupt)

    def _own_steps(self, turn: SmallTurn) -> Iterator[tuple[str, str, bool]]:
        """Blocks for which nobody needs to be asked, each with what is said before it, and whether
        it is only looked at."""
        if shown := turn.to_show:
            yield shown, IN_THE_FORM if shown.startswith(RENDERED) else LAST_VALUE, False
        if better := turn.to_mend:
            yield better, MENDED, turn.rounds[-1].to_compare
        if look := turn.to_look_at if self._most() else "":
            yield look, THE_FILE, True
        if rewritten := turn.to_rewrite:
            yield rewritten, IN_THE_FORM, False

    def _work(
        self, asked: Request, plan: SmallPlan, turn: SmallTurn, interrupt: Interrupt
    ) -> Iterator[ModelEvent]:
        """The next block, or words that need none; what is neither is asked for once more."""
        reply = yield from self._ask(asked, plan, interrupt)
        if reply.end is not None and (more := reply.what_is_wrong(plan)):
            again = (*asked.messages, assistant_says(reply.said), user_says(more))
            once_more = replace(plan, variation=plan.variation + bool(reply.refused.spent))
            told = replace(asked, messages=again, frame=BLOCK)
            reply = yield from self._ask(told, once_more, interrupt)
        if reply.end is None:
            return
        if reply.refused.repeats:
            yield TextDelta(plan.instead)
        elif reply.refused.deletes:
            yield TextDelta(WOULD_DELETE)
        elif reply.refused.spent:
            error = turn.rounds[-1].summary
            yield TextDelta(gave_up(reply.refused.spent, error, turn.rounds))
        elif not reply.acted and plan.known is not None:
            said = plan.honest(reply.said)
            yield TextDelta(number_alone(turn.question, said) or said)
        yield replace(reply.end, end="stop") if reply.refused != _Refused() else reply.end

    def _drafts(self, turn: SmallTurn, request: Request, interrupt: Interrupt) -> tuple[str, ...]:
        """Programs to compare the first one with, written once it has run.

        Where we can write one ourselves, it comes first, and if it agrees it is enough.
        """
        if not turn.can_be_checked or self._drafter is no_drafts or not self._most():
            return ()
        compared = [one for one in turn.rounds if one.to_compare]
        if compared and all(one.overruled for one in compared):  # the next one may not run either
            return ()
        own = own_draft(turn.question)
        ran = [one.source for one in turn.rounds]
        if own and (own not in ran or self._is_enough(own, turn)):
            return (own,) if len(ran) == 1 or own in ran else ()
        if self._drafted.turn != turn.identity:
            took = self._clock() - self._replied
            ended = [one.source for one in turn.rounds if not one.failed]
            written = [one for one in ended if one != own and not one.startswith(RENDERED)]
            if len(written) > 1 or took > max(LONG, self._thought):
                return ()
            self._drafted = _Drafted(turn.identity, tuple(filter(None, (own,))))
        counted = ballot(turn.question, turn.rounds, self._drafted.sources)
        if counted.wants_more and not self._effort.is_spent:
            self._draft_more(turn, request, interrupt)
        return self._drafted.sources

    def _draft_more(self, turn: SmallTurn, request: Request, interrupt: Interrupt) -> None:
        """A few at a time: mostly the first ones agree, and where there are few processors each
        takes time."""
        drafted = self._drafted
        numbers = next_drafts(drafted.asked_for, self._most(), self._together)
        if numbers and not interrupt.requested:
            asked = replace(turn.for_draft(request, numbers.start), frame=BLOCK)
            more = sources_of(self._drafter(asked, numbers, interrupt))
            better = (before_it_runs(turn.question, one) for one in more)
            sources = (*drafted.sources, *better)
            self._drafted = _Drafted(drafted.turn, sources, numbers.stop)

    def _is_enough(self, own: str, turn: SmallTurn) -> bool:
        """Whether the program of ours, which ran, agrees with another or is alone in giving an
        answer that can be right."""
        counted = ballot(turn.question, turn.rounds, (own,))
        ours = counted.leader is not None and counted.leader.source == own
        return counted.votes > 1 or (ours and counted.runner_up == 0)

    def _answer(
        self,
        request: Request,
        plan: SmallPlan,
        question: str,
        ran: frozenset[str],
        interrupt: Interrupt,
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
                elif plan.settled or _does_nothing(event, ran):
                    code.clear()
                else:  # it goes on with another block
                    yield from (*held, *code, event)
                    held.clear()
                    code.clear()
        said = "".join(piece.text for piece in held)
        doubted = not plan.settled and finds_fault(said) and len(ran) <= FAULTS_BELIEVED
        if end is not None and doubted:
            again = (*request.messages, assistant_says(said), user_says(PUT_IT_RIGHT))
            better = replace(request, messages=again, frame=BLOCK)
            yield from self._reply(better, plan.variation + 1, interrupt)
        elif said.strip() or end is not None:
            yield from self._given(said, end, question, plan)

    def _given(
        self, said: str, end: ReplyFinished | None, question: str, plan: SmallPlan
    ) -> Iterator[ModelEvent]:
        said = "" if plan.settled and is_only_a_promise(said) else said
        answer = plan.in_json(said) or faithful(said, plan.output, question)
        yield TextDelta(answer + self._beside(plan, question))
        if end is not None:
            yield replace(end, end="stop") if plan.settled else end

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
        refused, acted, end = _Refused(), False, None
        with closing(self._reply(request, plan.variation, interrupt)) as events:
            for event in events:
                if isinstance(event, ReplyFinished):
                    end = event
                    continue
                if isinstance(event, TextDelta):
                    said.append(event.text)
                if isinstance(event, ActionProposed):
                    event = _as_attempt(event, plan)
                    refused = _Refused.of(event, plan)
                    acted = refused == _Refused()
                held.append(event)
                waits = isinstance(event, TextDelta) and plan.known is not None and not acted
                if waits or (plan.may_be_refused and not acted):
                    continue
                yield from held
                held.clear()
        return _Reply("".join(said), acted, refused, end)

    def _reply(
        self, request: Request, variation: int, interrupt: Interrupt, printed: str = ""
    ) -> Generator[ModelEvent, None, None]:
        """What the model says and does; a block that is no code is something it says."""
        if variation not in self._models:
            self._models[variation] = self._varied(variation)
        with closing(_passed_on(self._models[variation].stream(request, interrupt))) as events:
            yield from without_circles(without_data(events, printed))


@frozen
class _Drafted:
    """Programs that were written to be compared, in one turn."""

    turn: object = None
    sources: tuple[str, ...] = ()
    asked_for: int = 0


@frozen
class _Refused:
    """Why a block is not run."""

    repeats: bool = False
    """It has done its work already."""
    deletes: bool = False
    """It deletes files, which nobody asked for."""
    spent: str = ""
    """A line of it failed twice before."""

    @classmethod
    def of(cls, event: ActionProposed, plan: SmallPlan) -> _Refused:
        source = event.action.source if isinstance(event.action, Code) else ""
        lines = {line.strip() for line in source.splitlines()}
        return cls(
            repeats=source.strip() in plan.ran,
            deletes=deletes_what_nobody_named(plan.keeps_files, source),
            spent=next((line for line in plan.spent if line in lines), ""),
        )


@frozen
class _Reply:
    """What a model said, and whether it does something."""

    said: str
    acted: bool
    refused: _Refused
    end: ReplyFinished | None

    def what_is_wrong(self, plan: SmallPlan) -> str:
        """What it is told, so that it replies once more; nothing where the reply will do."""
        if self.refused.repeats:
            return ""
        if self.refused.spent:
            return SPENT.format(line=self.refused.spent)
        if self.refused.deletes:
            return DELETES
        return NUDGE if not self.acted and plan.is_unfinished(self.said) else ""


def _as_attempt(event: ActionProposed, plan: SmallPlan) -> ActionProposed:
    if not isinstance(event.action, Code):
        return event
    return ActionProposed(replace(event.action, attempt=plan.attempt))


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
