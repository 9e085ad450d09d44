"""What to ask a small model next: judged by how the turn has gone so far."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from interpreter.models.small.checks.absent import said_to_be_absent
from interpreter.models.small.checks.answers import (
    answer_in,
    doubt_about,
    lacks_a_value,
    trouble_with,
)
from interpreter.models.small.checks.written_files import (
    look_at_file,
    rewritten_file,
    trouble_with_file,
)
from interpreter.models.small.coding.mends import mended
from interpreter.models.small.coding.task import Coding
from interpreter.models.small.failures import (
    afresh,
    after_failure,
    failed_twice,
    last_word,
    not_there,
)
from interpreter.models.small.faithful import as_sentence, with_reason
from interpreter.models.small.form.asked import form_of, wants_a_reason
from interpreter.models.small.form.places import with_plain_places
from interpreter.models.small.form.rendering import (
    in_places,
    rendering,
    with_keys,
)
from interpreter.models.small.into_file import answer_into_file, said_of_file, with_words
from interpreter.models.small.mends.put_right import once_it_ran, when_it_failed
from interpreter.models.small.orders import after_order
from interpreter.models.small.prompts.hints import CUSTOMARY, NO_NAME
from interpreter.models.small.prompts.words import (
    ATTEMPT,
    CANNOT_BE,
    DOUBT,
    IN_SPITE,
    NOT_WANTED,
    NOTHING_PRINTED,
    OR_GO_ON,
    PRINT_IT,
    PRINTED,
    UNCONFIRMED,
    form_asked_for,
    request_for_code,
)
from interpreter.models.small.rehearsal.copies import compared, in_doubt
from interpreter.models.small.requests import in_short, step_by_step
from interpreter.models.small.rounds import (
    Round,
    failures_in_a_row,
    rounds_of,
    split_turn,
    words_and_known,
)
from interpreter.models.small.small_plan import (
    REPEATS,
    SmallPlan,
    assistant_says,
    known_now,
    shortened,
    with_more,
)
from interpreter.models.small.votes import Ballot, can_be_compared
from interpreter.models.small.wanted import is_an_order, keeps_files, needs_code
from interpreter.protocol.changed_files import files_changed_in
from interpreter.protocol.messages import Attempt, Message, user_says
from interpreter.protocol.ports import Request
from interpreter.protocol.values import frozen

ASSIGNED = re.compile(r"^(\w+) *=(?!=)[^\n]*\Z", re.MULTILINE)  # the last line gives a name a value
JSON_OBJECT = '{"type": "object"}'


@frozen
class SmallTurn:
    """What the user asked, and what was done about it so far."""

    asked: tuple[Message, ...]
    """The conversation up to the question, with what stands after a question to be computed."""
    question: str
    rounds: list[Round]
    is_computable: bool
    can_be_checked: bool
    """Whether other programs may run beside those that did: nothing was changed by them, the user
    wanted each, and all have ended."""
    file: str = ""
    """Into which the answer is to be written, where that is all that is wanted of it."""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> SmallTurn:
        """Read it from the conversation."""
        before, question, since = split_turn(messages)
        if question is None:
            return cls(tuple(messages), "", [], False, False)
        said = words_and_known(question)
        text, file = answer_into_file(said)
        computable = needs_code(said)  # also by the file into which the answer is to be written
        is_asked = computable and not is_an_order(text)
        plainer = with_plain_places(text) if is_asked else text
        question = with_words(question, plainer) if file or plainer != text else question
        more = request_for_code(text) if computable else ""
        asked = (*before, with_more(question, more) if more else question)
        rounds = rounds_of(since)
        checked = computable and bool(rounds) and not is_an_order(text)
        alone = (
            checked
            and not files_changed_in(since)
            and not any(one.overruled and not one.to_compare for one in rounds)
            and not any(one.goes_on for one in rounds)
            and can_be_compared(text, rounds[0])
            and not not_there(rounds[:1], text, failures_in_a_row(rounds[:1]))
            and not said_to_be_absent(text, rounds[0])
        )
        return cls(asked, text, rounds, computable, alone, file)

    def for_coding(self, coding: Coding, *, afresh: bool = False) -> tuple[Message, ...]:
        """The question with the file and its tests, and what came of the best attempt, unless the
        model is to begin afresh."""
        looks = self.rounds[: 2 if coding.part else 1]
        added = coding.request(looks if afresh else self.rounds)
        return (*self.asked[:-1], user_says(f"{self.question}{added}"))

    @property
    def without_copies(self) -> SmallTurn:
        """The same; where nothing ran but on copies, as if what failed there had in earnest."""
        if not all(one.on_copy for one in self.rounds):
            return self
        failed = (one for one in self.rounds if one.failed and not one.overruled)
        own = [replace(one, to_compare=False, on_copy=False) for one in failed]
        return replace(self, rounds=own)

    @property
    def identity(self) -> object:
        """Tells turns apart."""
        return (len(self.asked), self.question)

    @property
    def attempt(self) -> Attempt:
        """An order is carried out as a whole, or not at all."""
        return "whole" if is_an_order(self.question) else ""

    @property
    def said_of_file(self) -> str:
        """What is said once the answer was written into its file; nothing before."""
        return said_of_file(self.file, self.rounds[-1]) if self.file and self.rounds else ""

    @property
    def to_show(self) -> str:
        """Code that shows the last block's value: one that it did not print, or not in the form
        that was asked for; empty where there is nothing to show."""
        last = self.rounds[-1] if self.rounds else None
        if last is None or last.failed or last.to_compare or not self.is_computable:
            return ""
        form = form_of(self.question)
        known = with_keys(form.keys, last.variables) or in_places(form.places_named, last.variables)
        if known and not form.written(last.output):
            shown = known
        elif last.output.strip():
            is_table = "\n" in last.output.strip() and not answer_in(self.question, last.output)
            shown = rendering(last.source, form.kind) if is_table else ""
        else:
            found = ASSIGNED.search(last.source.strip())
            shown = f"print({found.group(1)})" if found else ""
        tried = [one.source.strip() for one in self.rounds]
        return "" if shown in tried or is_an_order(self.question) else shown

    @property
    def to_mend(self) -> str:
        """The last block with an import that it forgot, with values where it printed their names in
        braces, or with rows that it dropped for nothing; empty where there is nothing of that kind,
        or it has had that."""
        last = self.rounds[-1] if self.rounds else None
        if last is not None and not last.failed:
            if (
                last.to_compare
                or last.files
                or is_an_order(self.question)
                or not self.is_computable
            ):
                return ""  # what has changed something is not run again
            better = once_it_ran(self.question, last.source, last.output)
            return "" if better in [one.source for one in self.rounds] else better
        found = NO_NAME.search(last.summary) if last and last.failed else None
        if last is None or last.overruled or last.on_copy:
            return ""
        better = when_it_failed(self.question, last.source, last.summary)
        if better != last.source:
            return "" if better in [one.source for one in self.rounds] else better
        if found is None:
            return ""
        name = found.group(1)
        better = mended(last.source)
        if better == last.source:
            better = f"{CUSTOMARY.get(name, '')}\n{better}".lstrip("\n")
        added = set(better.splitlines()) - set(last.source.splitlines())
        if not any(re.search(rf"^(?:import|from)\b.*\b{name}\b", line) for line in added):
            return ""
        return "" if better.strip() in [one.source.strip() for one in self.rounds] else better

    @property
    def to_look_at(self) -> str:
        """Code that shows the file that the last block wrote, where one was asked for and what it
        holds is not known from a copy."""
        last = self.rounds[-1].source.strip() if self.rounds else ""
        found = compared(self.question, self.rounds)
        known = found.tells_the_file and last == found.best
        return look_at_file(self.question, self.rounds) if self.is_computable and not known else ""

    @property
    def to_rewrite(self) -> str:
        """Code that writes the values of that file as was asked for, where they are known."""
        return rewritten_file(self.question, self.rounds) if self.is_computable else ""

    def for_draft(self, request: Request, number: int) -> Request:
        """What another program is written for. They are written step by step, and in turns as the
        first one was: programs of one kind err alike."""
        style = in_short if number % 2 else step_by_step
        return style(request, self._for_others)

    @property
    def _for_others(self) -> tuple[Message, ...]:
        """The question, and what the first program got wrong."""
        last = self._own[-1]
        if last.failed:
            return afresh(self.asked, self.rounds, self.question)
        if not last.output.strip():
            return (*self.asked[:-1], with_more(self.asked[-1], PRINT_IT))
        alone = replace(last, variables="")  # what was computed is computed anew
        if trouble := _cannot_be(self.question, last) or trouble_with(self.question, alone):
            told = ATTEMPT.format(output=shortened(last.output), trouble=trouble)
            return (*self.asked[:-1], with_more(self.asked[-1], told))
        return self.asked

    @property
    def _missed_by_others(self) -> str:
        """What the user is told of something that they named, and other programs did not find."""
        failed = (one for one in self.rounds if one.to_compare and one.failed)
        return next(filter(None, (not_there([one], self.question, 1) for one in failed)), "")

    @property
    def _own(self) -> list[Round]:
        return [one for one in self.rounds if not one.to_compare]

    def next_request(self, counted: Ballot | None = None, *, is_late: bool = False) -> SmallPlan:
        """What to ask next, judged by the blocks that ran since the user spoke; late, what there
        is has to do."""
        is_without = counted is not None and counted.leader is None
        if is_without and (absent := self._missed_by_others):
            return SmallPlan((), answer=absent)
        plan = self._planned(counted)
        if is_late and self.rounds and plan.wants_a_block:
            best = last_word(self.rounds, self.question, plan.instead)
            doubts = filter(None, (plan.doubt, UNCONFIRMED))
            doubt = next((one for one in doubts if best.endswith(one)), "")
            return SmallPlan((), answer=best.removesuffix(doubt), doubt=doubt)
        if not self.rounds and not self.is_computable:
            return plan
        said = (
            f"{one.output}\n{one.variables}\n{' '.join(one.files)}\n{one.summary}"
            for one in self.rounds
        )
        known = "\n".join((self.question, *said))
        spent = failed_twice(self.rounds)
        return replace(
            plan,
            known=known,
            spent=spent,
            keeps_files=self.question * keeps_files(self.question),
            attempt=plan.attempt or self.attempt,
        )

    def _planned(self, counted: Ballot | None) -> SmallPlan:
        if not self.rounds:
            return SmallPlan(self.asked, must_act=self.is_computable)
        rounds, doubt = [one for one in self.rounds if not one.to_compare], ""
        believed = counted is not None and counted.in_spite
        if counted is not None and counted.leader is not None:
            rounds = [*rounds, counted.leader]
            doubt = DOUBT if counted.is_in_doubt else UNCONFIRMED * counted.is_unconfirmed
        if rounds[-1].failed and rounds[-1].overruled:
            told = user_says(NOT_WANTED.format(reason=rounds[-1].summary))
            return SmallPlan((*self.asked, assistant_says(rounds[-1].code), told), len(rounds))
        if rounds[-1].failed:
            return after_failure(self.asked, rounds, self.question)
        if is_an_order(self.question):
            wrong = trouble_with_file(self.question, self.rounds)
            plan = after_order(self.asked, rounds, self.question, wrong)
            unsure = in_doubt(self.question, self.rounds) if plan.instead else ""
            return replace(plan, doubt=plan.doubt + unsure, instead=plan.instead + unsure)
        if not rounds[-1].output.strip():
            return _after_silence(self.asked, rounds)
        if absent := said_to_be_absent(self.question, rounds[-1]):
            return SmallPlan((), answer=absent)
        doubt = doubt_about(self.question, rounds[-1]) or doubt or (IN_SPITE if believed else "")
        settled = counted is not None and counted.leader is not None
        plan = _after_output(self.asked, rounds, self.question, believed=believed, settled=settled)
        return replace(plan, doubt=doubt)


def next_request(messages: Sequence[Message]) -> SmallPlan:
    """What to ask next, of a conversation in which no drafts were made."""
    return SmallTurn.of(messages).next_request()


def _after_silence(asked: tuple[Message, ...], rounds: list[Round]) -> SmallPlan:
    """A question is not answered by silence."""
    last = rounds[-1]
    told = NOTHING_PRINTED.format(variables=known_now(last))
    messages = (*asked, assistant_says(last.code), user_says(told))
    return SmallPlan(messages, len(rounds), must_act=True, backing=last.variables)


def _after_output(
    asked: tuple[Message, ...],
    rounds: list[Round],
    question: str,
    *,
    believed: bool = False,
    settled: bool = False,
) -> SmallPlan:
    """Take the output for the answer, or ask for a better one, or for an answer made of it.

    A better one is sampled, as after an error: greedy, the block came again word for word. Where a
    value is missing the block is not shown again: small models cling to what they wrote.
    """
    last = rounds[-1]
    if (trouble := _cannot_be(question, last)) and not _said_before(rounds):
        told = ATTEMPT.format(output=shortened(last.output), trouble=trouble)
        return SmallPlan((*asked[:-1], with_more(asked[-1], told)), len(rounds), must_act=True)
    if not believed and (trouble := trouble_with(question, last)) and not _said_before(rounds):
        messages = (*asked, assistant_says(last.code), user_says(trouble))
        printed = answer_in(question, last.output) or shortened(last.output)
        instead = printed + doubt_about(question, last)
        return SmallPlan(messages, len(rounds), instead=instead, reproach=trouble)
    if answer := answer_in(question, last.output):
        return SmallPlan((), answer=answer)
    if wants_a_reason(question) and (answer := with_reason(last.output, last.variables)):
        return SmallPlan((), answer=answer)
    shown = form_of(question).rounded(shortened(last.output))
    if sentence := as_sentence(question, shown):
        return SmallPlan((), answer=sentence)
    said = PRINTED.format(output=shown, form=form_asked_for(question))
    told = said if settled else said + OR_GO_ON
    messages = (*asked, assistant_says(last.code), user_says(told))
    form = form_of(question)
    schema = json.dumps(form.schema) if form.schema else JSON_OBJECT
    return SmallPlan(
        messages,
        output=shown,
        wants_json=schema if form.is_of_values else "",
        form=form,
        settled=settled,
    )


def _cannot_be(question: str, one: Round) -> str:
    return CANNOT_BE if lacks_a_value(question, one.output) else ""


def _said_before(rounds: list[Round]) -> bool:
    """Whether an earlier block printed the same, or enough blocks were asked to do better."""
    printed = [one.output.strip() for one in rounds if not one.failed]
    return len(printed) > REPEATS or printed[-1] in printed[:-1]
