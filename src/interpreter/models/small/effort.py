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
A_REPLY = 0.5  # seconds: a step that takes less is our own, or hardly counts
LONGEST_ROUND = 12  # lines that come again and again
MUCH = 2_500  # characters that came again, word for word: 50 seconds, at 15 tokens a second
ALIKE = 120  # lines in a row that only differ in their values: more data than is written into code
VALUES = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")
CIRCLES = (
    "The reply went round in circles and was cut off, so nothing ran. Write a short block, with a "
    "loop where the same is done for several things."
)


class Effort:
    """The seconds that a model has written in one turn; nobody's thinking about a question of ours
    counts, nor does any block, nor a step for which the model is not asked. A program that is begun
    takes about half as long as the first one, for which more had to be read. However slow the first
    one was, one more may follow it."""

    def __init__(self) -> None:
        self._turn: object = None
        self._first = self._spent = 0.0
        self._replies = 0

    def of_turn(self, turn: object, *, is_new: bool = False) -> None:
        """Begin anew, if it is another turn, or the same thing is asked again."""
        if turn != self._turn or is_new:
            self._turn, self._first, self._spent, self._replies = turn, 0.0, 0.0, 0

    def add(self, seconds: float) -> None:
        """Count a reply. What takes no time was not asked of a model: counted, it would stand for
        the one reply that may follow a slow one."""
        if seconds < A_REPLY:
            return
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
    until there is no room left.

    People write boards, rows of a page and tests of one form, too. So what counts is how much came
    again and not how often, and lines with values of their own may be many.
    """
    line, same, alike = "", _Rounds(least=1), _Rounds(least=ALIKE)
    for event in events:
        yield event
        if not isinstance(event, CodeDelta):
            continue
        *ended, line = (line + event.text).split("\n")
        for one in filter(str.strip, ended):
            if same.are_a_circle_with(one) or alike.are_a_circle_with(VALUES.sub("", one)):
                yield ActionProposed(MalformedCall("", CIRCLES))
                yield ReplyFinished("actions", Usage(dollars=0.0))
                return


class _Rounds:
    """What has come again, one behind the other, for rounds of every number of lines."""

    def __init__(self, *, least: int) -> None:
        self._least = least
        self._last: deque[str] = deque(maxlen=LONGEST_ROUND)
        self._again = [(0, 0)] * LONGEST_ROUND
        """Lines and characters that are the same as a round before."""

    def are_a_circle_with(self, line: str) -> bool:
        """Whether that is too much, now that this line is there."""
        known = len(self._last)
        self._again = [
            (lines + 1, characters + len(line) + 1)
            if back < known and self._last[-1 - back] == line
            else (0, 0)
            for back, (lines, characters) in enumerate(self._again)
        ]
        self._last.append(line)
        return any(lines >= self._least and size >= MUCH for lines, size in self._again)
