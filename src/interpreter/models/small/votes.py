"""Several programs for one question, and which of their results to believe.

A small model errs in many ways and is right in one: where programs that were written
independently print the same, that is more often right than what any one of them prints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interpreter.models.small.checks.answers import (
    answer_in,
    lacks_a_value,
    trouble_with,
)
from interpreter.models.small.checks.computed import is_hard_coded
from interpreter.models.small.checks.conditions import columns_used
from interpreter.models.small.checks.sources import leans_on_others
from interpreter.models.small.checks.which import TEXT_COLUMN, values_in
from interpreter.models.small.form.asked import form_of
from interpreter.models.small.form.printed import NUMBER, data_in
from interpreter.models.small.mends.gaps import with_fewer_dropped
from interpreter.models.small.rounds import PICTURE, Round
from interpreter.protocol.values import frozen

ENOUGH = 2  # programs that agree
DENIES = re.compile(r"\b(?:not?|none|never|neither|insignificant)\b|n't\b", re.IGNORECASE)
LINES = 8  # of an output that can be compared
LABEL = re.compile(
    r"^(?=[^:=\n]{0,200}[A-Za-z])[^:=\n]{1,200}[:=]\s+(?=\S)", re.MULTILINE
)  # `more than 50: 4`


@frozen
class Ballot:
    """How the programs that have run so far agree."""

    leader: Round | None
    """One that printed what most of them printed; where they are even, the one that uses most of
    the columns that the request speaks of, or the first."""
    votes: int
    runner_up: int
    untried: tuple[str, ...]
    """Programs that have not run yet, each once."""
    in_spite: bool = False
    """Whether something is held against all of them, and they agree nevertheless."""
    without_answer: int = 0
    """How many gave none, or one that cannot be."""

    @property
    def is_in_doubt(self) -> bool:
        """Whether none was confirmed by another, and another printed something else."""
        return self.votes < ENOUGH and self.runner_up > 0

    @property
    def is_unconfirmed(self) -> bool:
        """Whether one gave an answer, and several others gave none."""
        return self.votes < ENOUGH and self.without_answer >= ENOUGH

    @property
    def is_decided(self) -> bool:
        """Whether nothing more needs to run."""
        return self.leader is not None and (self._is_agreed or not self.untried)

    @property
    def wants_more(self) -> bool:
        """Whether all have run, and still no two agree against the others."""
        return not self.untried and not self._is_agreed

    @property
    def _is_agreed(self) -> bool:
        return self.votes >= ENOUGH and self.votes > self.runner_up


def ballot(question: str, rounds: Sequence[Round], drafts: Sequence[str]) -> Ballot:
    """Count the votes; a program that was drafted twice counts twice and runs once."""
    sources = [draft.strip() for draft in drafts]
    answers = [one for one in rounds if is_an_answer(question, one)]
    groups = _groups(question, answers)
    tried = {one.source.strip() for one in rounds}
    untried = tuple(dict.fromkeys(source for source in sources if source not in tried))
    if in_spite := not groups and not untried:
        groups = _groups(question, [one for one in rounds if is_result(question, one)])
        groups = [group for group in groups if len(group) >= ENOUGH]
    counts = [sum(_votes(one, one is rounds[0], sources) for one in group) for group in groups]
    used = [columns_used(question, group[0].source) for group in groups]
    best = max(range(len(groups)), key=lambda at: (counts[at], used[at], -at), default=None)
    return Ballot(
        leader=None if best is None else groups[best][0],
        votes=0 if best is None else counts[best],
        runner_up=max((count for at, count in enumerate(counts) if at != best), default=0),
        untried=untried,
        in_spite=in_spite and best is not None,
        without_answer=len(rounds) - len(answers),
    )


def _groups(question: str, rounds: Sequence[Round]) -> list[list[Round]]:
    """Those together that printed the same."""
    groups: list[list[Round]] = []
    for one in rounds:
        group = next((group for group in groups if _agree(question, group[0], one)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return groups


def _agree(question: str, one: Round, other: Round) -> bool:
    said, other_said = (answer_in(question, each.output) or each.output for each in (one, other))
    values = {value for _, about in TEXT_COLUMN.findall(question) for value in values_in(about)}
    named, others = (_values_in(text, values) for text in (said, other_said))
    return agree(said, other_said) and (not named or not others or named == others)


def _values_in(text: str, values: set[str]) -> set[str]:
    """The values of the data that an output names: "Berlin: 5" is another answer than "Rome: 5"."""
    words = _words(text)
    return {value for value in values if value.isalpha() and value.lower() in words}


def _votes(one: Round, is_first: bool, sources: list[str]) -> int:
    drafted = sources.count(one.source.strip())
    return drafted + 1 if is_first or not drafted else drafted


def is_an_answer(question: str, one: Round) -> bool:
    """Whether a program printed something that can be an answer, and can be compared."""
    return is_result(question, one) and not trouble_with(question, one)


def is_result(question: str, one: Round) -> bool:
    """Whether it printed something that could be an answer, if all was done that was asked."""
    printed = one.output.strip()
    if one.failed or not printed or one.output == PICTURE:
        return False
    if one.to_compare and leans_on_others(one.source):
        return False
    if with_fewer_dropped(question, one.source) != one.source:
        return False
    if len(printed.splitlines()) > LINES and not form_of(question).kind:
        return False
    return not lacks_a_value(question, printed) and not is_hard_coded(question, one)


def can_be_compared(question: str, one: Round) -> bool:
    """Whether other programs could tell something about this one, or do better than it did."""
    if one.failed or not one.output.strip():
        return True
    short = len(one.output.strip().splitlines()) <= LINES and one.output != PICTURE
    return short or bool(form_of(question).kind)


def agree(one: str, other: str) -> bool:
    """Whether two outputs give the same values, as far as the coarser one is rounded."""
    parts, others = data_in(one), data_in(other)
    if isinstance(parts, dict) and isinstance(others, dict):
        return parts.keys() == others.keys() and all(
            _same(str(value), str(others[name])) for name, value in parts.items()
        )
    return _same(one, other)


def _same(one: str, other: str) -> bool:
    numbers, others = (NUMBER.findall(LABEL.sub("", text)) for text in (one, other))
    if len(numbers) != len(others):
        return False
    if not numbers:
        return _words(one) == _words(other)
    if bool(DENIES.search(one)) != bool(DENIES.search(other)):
        return False
    close = all(_close(*pair) for pair in zip(numbers, others, strict=True))
    said, other_said = _words_alone(one), _words_alone(other)
    return close and (len(said) != len(other_said) or said == other_said)


def _words_alone(text: str) -> list[str]:
    """The last words of lines without a number: `strength: weak` says something, too."""
    lines = (_words(line) for line in text.splitlines() if not NUMBER.search(line))
    return [words[-1] for words in lines if words]


def _close(one: str, other: str) -> bool:
    places = min(_decimals(one), _decimals(other))
    slack: float = 0.5000001 * 10**-places
    return abs(_value(one) - _value(other)) <= slack


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _decimals(text: str) -> int:
    return len(text.partition(".")[2]) if "e" not in text.lower() else 6


def _value(text: str) -> float:
    return float(text.replace(",", ""))
