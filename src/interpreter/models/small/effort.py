"""How much is done about one request: replies that go round in circles are cut short, and what has
not worked after a while is said not to have worked."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterable

from interpreter.protocol.events import ActionProposed, CodeDelta, ModelEvent, ReplyFinished, Usage
from interpreter.protocol.messages import MalformedCall

TIMES = 2.5  # as long as the first program took to be written
LEAST_SECONDS = 12.0
MORE_SECONDS = 30.0  # than the first program: who waited long for that waits no longer for others
AT_LEAST = 2  # replies, whatever they took
LONGEST_ROUND = 12  # lines that come again and again
SAME_ROUNDS = 7  # one behind the other, word for word
ALIKE_ROUNDS = 40  # but for their names and numbers
SHORTEST = 12  # characters of a round that says something
VALUES = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")
CIRCLES = (
    "The reply went round in circles and was cut off, so nothing ran. Write a short block, with a "
    "loop where the same is done for several things."
)


class Effort:
    """The seconds that a model has written in one turn; nobody's thinking about a question of ours
    and no block counts. A program that is begun takes about half as long as the first one, for
    which more had to be read. However slow the first one was, one more may follow it."""

    def __init__(self) -> None:
        self._turn: object = None
        self._first = self._spent = 0.0
        self._replies = 0

    def of_turn(self, turn: object, *, is_new: bool = False) -> None:
        """Begin anew, if it is another turn, or the same thing is asked again."""
        if turn != self._turn or is_new:
            self._turn, self._first, self._spent, self._replies = turn, 0.0, 0.0, 0

    def add(self, seconds: float) -> None:
        """Count a reply."""
        self._first = self._first or seconds
        self._spent += seconds
        self._replies += 1

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is to be begun."""
        if self._replies < AT_LEAST:
            return False
        enough = min(TIMES * self._first, self._first + MORE_SECONDS)
        return self._spent + self._first / 2 > max(LEAST_SECONDS, enough)


def without_circles(events: Iterable[ModelEvent]) -> Generator[ModelEvent, None, None]:
    """A reply up to where its block writes the same again and again, which it would go on with
    until there is no room left."""
    line, same, alike = "", _Rounds(SAME_ROUNDS), _Rounds(ALIKE_ROUNDS)
    for event in events:
        yield event
        if not isinstance(event, CodeDelta):
            continue
        *ended, line = (line + event.text).split("\n")
        for one in filter(str.strip, ended):
            if same.closes_with(one) or alike.closes_with(VALUES.sub("", one)):
                yield ActionProposed(MalformedCall("", CIRCLES))
                yield ReplyFinished("actions", Usage(dollars=0.0))
                return


class _Rounds:
    """How often the last lines have come one behind the other, for every number of lines."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lines: deque[str] = deque(maxlen=LONGEST_ROUND)
        self._since = [0] * LONGEST_ROUND

    def closes_with(self, line: str) -> bool:
        """Whether a round that says something has come so often, now that this line is there."""
        before, self._since = (
            len(self._lines),
            [
                count + 1 if back < len(self._lines) and self._lines[-1 - back] == line else 0
                for back, count in enumerate(self._since)
            ],
        )
        self._lines.append(line)
        return any(
            count >= (self._most - 1) * (back + 1) and self._says_something(back + 1)
            for back, count in enumerate(self._since[:before])
        )

    def _says_something(self, size: int) -> bool:
        last = list(self._lines)[-size:]
        return sum(len(VALUES.sub("", one.strip())) for one in last) >= SHORTEST
