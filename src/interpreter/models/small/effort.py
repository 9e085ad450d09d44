"""How much is done about one request: replies that go round in circles are cut short, and what has
not worked after a while is said not to have worked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable

from interpreter.protocol.events import ActionProposed, CodeDelta, ModelEvent, ReplyFinished, Usage
from interpreter.protocol.messages import MalformedCall

TIMES = 2.5  # as long as the first program took to be written
LEAST_SECONDS = 12.0
MORE_SECONDS = 30.0  # than the first program: who waited long for that waits no longer for others
SAME_LINES = 6  # in one block
ALIKE_LINES = 16  # but for their names and numbers
SHORTEST = 12  # characters of a line that says something
VALUES = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")
CIRCLES = (
    "The reply went round in circles and was cut off, so nothing ran. Write a short block, with a "
    "loop where the same is done for several things."
)


class Effort:
    """The seconds that a model has written in one turn; nobody's thinking about a question of ours
    and no block counts. A program that is begun takes about half as long as the first one, for
    which more had to be read."""

    def __init__(self) -> None:
        self._turn: object = None
        self._first = self._spent = 0.0

    def of_turn(self, turn: object) -> None:
        """Begin anew, if it is another turn."""
        if turn != self._turn:
            self._turn, self._first, self._spent = turn, 0.0, 0.0

    def add(self, seconds: float) -> None:
        """Count a reply."""
        self._first = self._first or seconds
        self._spent += seconds

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is to be begun."""
        enough = min(TIMES * self._first, self._first + MORE_SECONDS)
        return self._spent + self._first / 2 > max(LEAST_SECONDS, enough)


def without_circles(events: Iterable[ModelEvent]) -> Generator[ModelEvent, None, None]:
    """A reply up to where its block writes the same again and again, which it would go on with
    until there is no room left."""
    line, same, alike = "", Counter[str](), Counter[str]()
    for event in events:
        yield event
        if not isinstance(event, CodeDelta):
            continue
        *ended, line = (line + event.text).split("\n")
        for one in filter(_says_something, ended):
            same[one.strip()] += 1
            alike[VALUES.sub("", one.strip())] += 1
        if _most(same) > SAME_LINES or _most(alike) > ALIKE_LINES:
            yield ActionProposed(MalformedCall("", CIRCLES))
            yield ReplyFinished("actions", Usage(dollars=0.0))
            return


def _says_something(line: str) -> bool:
    return len(VALUES.sub("", line.strip())) >= SHORTEST


def _most(counts: Counter[str]) -> int:
    return max(counts.values(), default=0)
