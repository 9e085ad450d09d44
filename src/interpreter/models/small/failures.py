"""What to ask next after a block that failed, and when to say that something is not there."""

from __future__ import annotations

from collections import Counter

from interpreter.models.small.checks.absent import is_named
from interpreter.models.small.checks.answers import answer_in
from interpreter.models.small.effort import CIRCLES
from interpreter.models.small.form.asked import COLUMNS, listed
from interpreter.models.small.prompts.hints import hint_for, missing_thing
from interpreter.models.small.prompts.words import (
    NOT_ANSWERED,
    UNCONFIRMED,
    each_failed,
    error_hint,
    failing_line,
    gave_up,
    lessons_of,
)
from interpreter.models.small.rounds import Round, failures_in_a_row
from interpreter.models.small.small_plan import (
    REPEATS,
    SmallPlan,
    assistant_says,
    shortened,
    with_more,
)
from interpreter.models.small.votes import is_result
from interpreter.models.small.wanted import file_to_write, needs_code
from interpreter.protocol.events import STILL_RUNS
from interpreter.protocol.messages import Message, user_says

MOST_FAILURES = 6  # in a row: nobody wants to wait for a seventh
MOST_CIRCLES = 2  # after a third the session ends the turn, and says nothing

BUSY = "Python still runs an earlier block. Ask again when that has ended, or end it first."


def after_failure(asked: tuple[Message, ...], rounds: list[Round], question: str) -> SmallPlan:
    """Repair the block, sampling: greedy, it would be written again word for word.

    When that does not help, take an answer from before, or begin again and say what went wrong.
    """
    failures = failures_in_a_row(rounds)
    last = rounds[-1]
    if last.summary.endswith(STILL_RUNS):
        return SmallPlan((), answer=BUSY)
    if last.repeated:
        return _after_repetition(asked, rounds, question)
    if failures >= REPEATS and (answer := earlier_answer(rounds, question)):
        return SmallPlan((), answer=answer)
    if absent := not_there(rounds, question, failures):
        return SmallPlan((), answer=absent)
    circles = sum(CIRCLES in one.summary for one in rounds)
    if failures >= MOST_FAILURES or circles >= MOST_CIRCLES:
        return SmallPlan((), answer=each_failed(failures, rounds))
    if failures > REPEATS or (failures == REPEATS and _same_error(rounds)):
        return SmallPlan(afresh(asked, rounds, question), failures, must_act=True)
    hint = error_hint(last, question)
    told = (assistant_says(last.code), user_says(hint))
    return SmallPlan((*asked, *told), failures, must_act=needs_code(question))


def last_word(rounds: list[Round], question: str, instead: str) -> str:
    """What is said where no more time is spent: the best there is, and what went wrong."""
    own = [one for one in rounds if not one.to_compare and not one.repeated] or rounds
    if not own[-1].failed and instead != NOT_ANSWERED:
        return instead
    if answer := earlier_answer(own, question):
        return answer
    if found := next((one for one in rounds if is_result(question, one)), None):
        return (answer_in(question, found.output) or shortened(found.output)) + UNCONFIRMED
    return each_failed(failures_in_a_row(own), own) if own[-1].failed else instead


def _after_repetition(asked: tuple[Message, ...], rounds: list[Round], question: str) -> SmallPlan:
    """Begin again without what came twice; in the end say what fails each time."""
    tried = [one for one in rounds if not one.repeated]
    if not tried or len(rounds) - len(tried) > REPEATS:
        last = tried[-1] if tried else rounds[-1]
        return SmallPlan((), answer=gave_up(failing_line(last), last.summary, rounds))
    return SmallPlan(afresh(asked, tried, question), len(rounds), must_act=True)


def not_there(rounds: list[Round], question: str, failures: int) -> str:
    """What the user is told when something is missing: at once if the user named it, and no column
    is called alike; else when the same failed twice, so that it is not written a third time."""
    if not failures:
        return ""
    error = rounds[-1].summary
    name, told = missing_thing(error, question, rounds[-1].source)
    if not told:
        return ""
    if name in listed(COLUMNS.search(question)) or name == file_to_write(question):  # to be made
        return ""
    named = is_named(name, question) and "There is: " not in hint_for(error, question)
    return told if named or (failures >= REPEATS and _same_error(rounds)) else ""


def failed_twice(rounds: list[Round]) -> tuple[str, ...]:
    """Lines that failed with the same error in two blocks."""
    failures = Counter((failing_line(one), one.summary) for one in rounds if one.failed)
    return tuple(line for (line, _), count in failures.items() if line and count >= REPEATS)


def afresh(asked: tuple[Message, ...], rounds: list[Round], question: str) -> tuple[Message, ...]:
    """The question again, with what went wrong so far."""
    return (*asked[:-1], with_more(asked[-1], lessons_of(rounds, question)))


def earlier_answer(rounds: list[Round], question: str) -> str:
    """An answer that a block printed before others failed to do better."""
    answers = [answer_in(question, one.output) for one in rounds if not one.failed]
    return next(filter(None, reversed(answers)), "")


def _same_error(rounds: list[Round]) -> bool:
    return rounds[-1].summary == rounds[-2].summary
