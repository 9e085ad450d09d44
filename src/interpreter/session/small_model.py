"""What makes a small model succeed: short requests, errors it can use, answers that are not lost.

`SmallModel` is a model around a model. Before each request it looks at how the turn has gone so
far and rewrites the request; after a reply it checks that what the code printed reached the user.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from interpreter.protocol.events import ActionProposed, ModelEvent, ReplyFinished, TextDelta, Usage
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Message, Text, user_says
from interpreter.protocol.ports import Model, Request
from interpreter.protocol.values import frozen
from interpreter.session.small_answers import answer_in, lacks_a_value, trouble_with
from interpreter.session.small_rounds import Round, rounds_of, split_turn
from interpreter.session.small_words import (
    AFRESH,
    CANNOT_BE,
    DONE,
    EXAMPLE,
    NOTHING_PRINTED,
    NUDGE,
    PRINTED,
    error_hint,
    faithful,
    form_asked_for,
    is_an_order,
    is_only_a_promise,
    needs_code,
    request_for_code,
)

OUTPUT_SHOWN = 1_500  # characters of output that the model is shown
EXECUTE = "execute"  # one tool is enough for a small model
REPEATS = 2  # failures after which an attempt starts afresh


@frozen
class Plan:
    """The request as the small model gets it, and what its reply has to be."""

    messages: tuple[Message, ...]
    variation: int = 0
    output: str = ""
    """What the answer has to carry."""
    answer: str = ""
    """The answer itself, when there is nothing left to ask."""
    must_act: bool = False
    """Whether a reply without code would be a guess."""

    def is_unfinished(self, said: str) -> bool:
        """Whether a reply without code is no answer yet."""
        return self.must_act or is_only_a_promise(said)


class SmallModel:
    """A model around a small model; `varied` makes it sample from a seed."""

    def __init__(self, model: Model, varied: Callable[[int], Model]) -> None:
        self.name = model.name
        self.capabilities = model.capabilities
        self._models = {0: model}
        self._varied = varied

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        plan = next_request(request.messages)
        if plan.answer:
            yield TextDelta(plan.answer)
            yield ReplyFinished("stop", Usage(dollars=0.0))
            return
        asked = Request(
            system=f"{EXAMPLE}\n{request.system}",
            messages=plan.messages,
            tools=tuple(tool for tool in request.tools if tool.name == EXECUTE),
        )
        if plan.output:
            yield from self._answer(asked, plan, interrupt)
            return
        said, acted, end = yield from self._ask(asked, plan.variation, interrupt)
        if not acted and end is not None and plan.is_unfinished(said):
            nudged = (*asked.messages, _assistant(said), user_says(NUDGE))
            again = replace(asked, messages=nudged)
            _, _, end = yield from self._ask(again, plan.variation, interrupt)
        if end is not None:
            yield end

    def _answer(
        self, request: Request, plan: Plan, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, None]:
        """An answer made of what was printed; words wait until it is known what they are worth."""
        held: list[TextDelta] = []
        end = None
        with closing(self._reply(request, plan.variation, interrupt)) as events:
            for event in events:
                if isinstance(event, TextDelta):
                    held.append(event)
                elif isinstance(event, ReplyFinished):
                    end = event
                else:  # it goes on with another block
                    yield from held
                    held.clear()
                    yield event
        said = "".join(piece.text for piece in held)
        if said.strip() or end is not None:
            yield TextDelta(faithful(said, plan.output, request.messages[-3].text))
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
        self, request: Request, variation: int, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, None]:
        if variation not in self._models:
            self._models[variation] = self._varied(variation)
        yield from self._models[variation].stream(request, interrupt)


def next_request(messages: Sequence[Message]) -> Plan:
    """What to ask next, judged by the blocks that ran since the user spoke."""
    before, question, since = split_turn(messages)
    rounds = rounds_of(since)
    if question is None:
        return Plan(tuple(messages))
    computable = needs_code(question.text)
    more = request_for_code(question.text) if computable else ""
    asked = (*before, _with_more(question, more) if more else question)
    if not rounds:
        return Plan(asked, must_act=computable)
    if rounds[-1].failed:
        return _after_failure(asked, rounds, question.text)
    then = _after_output if rounds[-1].output.strip() else _after_silence
    return then(asked, rounds, question.text)


def _after_silence(asked: tuple[Message, ...], rounds: list[Round], question: str) -> Plan:
    """An order may be done without a word; a question is not answered by silence."""
    last = rounds[-1]
    known = f" Variables now: {last.variables}" if last.variables else ""
    words, variation = (DONE, 0) if is_an_order(question) else (NOTHING_PRINTED, len(rounds))
    told = (_assistant(last.code), user_says(words.format(variables=known)))
    return Plan((*asked, *told), variation)


def _after_output(asked: tuple[Message, ...], rounds: list[Round], question: str) -> Plan:
    """Take the output for the answer, or ask for a better one, or for an answer made of it.

    A better one is sampled, as after an error: greedy, the block came again word for word. Where a
    value is missing the block is not shown again: small models cling to what they wrote.
    """
    last = rounds[-1]
    if lacks_a_value(question, last.output) and not _said_before(rounds):
        wrong = CANNOT_BE.format(output=_shortened(last.output))
        return Plan((*asked[:-1], _with_more(asked[-1], wrong)), len(rounds), must_act=True)
    if (trouble := trouble_with(question, last)) and not _said_before(rounds):
        return Plan((*asked, _assistant(last.code), user_says(trouble)), len(rounds))
    if answer := answer_in(question, last.output):
        return Plan((), answer=answer)
    shown = _shortened(last.output)
    said = PRINTED.format(output=shown, form=form_asked_for(question))
    return Plan((*asked, _assistant(last.code), user_says(said)), output=shown)


def _with_more(question: Message, text: str) -> Message:
    return replace(question, parts=(*question.parts, Text(f"\n\n{text}")))


def _after_failure(asked: tuple[Message, ...], rounds: list[Round], question: str) -> Plan:
    """Repair the block, sampling: greedy, it would be written again word for word.

    When that does not help, take an answer from before, or begin again and say what went wrong.
    """
    failures = _failures_in_a_row(rounds)
    last = rounds[-1]
    if failures >= REPEATS and (answer := _earlier_answer(rounds, question)):
        return Plan((), answer=answer)
    if failures > REPEATS or (failures == REPEATS and _same_error(rounds)):
        errors = dict.fromkeys(one.summary for one in rounds if one.failed)
        learnt = AFRESH.format(errors="\n".join(f"- {error}" for error in errors))
        return Plan((*asked[:-1], _with_more(asked[-1], learnt)), failures, must_act=True)
    return Plan((*asked, _assistant(last.code), user_says(error_hint(last))), failures)


def _failures_in_a_row(rounds: list[Round]) -> int:
    count = 0
    for one in reversed(rounds):
        if not one.failed:
            break
        count += 1
    return count


def _said_before(rounds: list[Round]) -> bool:
    """Whether an earlier block printed the same, or enough blocks were asked to do better."""
    printed = [one.output.strip() for one in rounds if not one.failed]
    return len(printed) > REPEATS or printed[-1] in printed[:-1]


def _earlier_answer(rounds: list[Round], question: str) -> str:
    """An answer that a block printed before others failed to do better."""
    answers = [answer_in(question, one.output) for one in rounds if not one.failed]
    return next(filter(None, reversed(answers)), "")


def _same_error(rounds: list[Round]) -> bool:
    return rounds[-1].summary == rounds[-2].summary


def _assistant(text: str) -> Message:
    return Message("assistant", (Text(text),))


def _shortened(output: str) -> str:
    text = output.strip()
    if len(text) <= OUTPUT_SHOWN:
        return text
    half = OUTPUT_SHOWN // 2
    return f"{text[:half]}\n...\n{text[-half:]}"
