"""What was spent: tokens, time and money, of the last turn and of the whole conversation."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from interpreter.protocol.events import Usage
from interpreter.terminal.status import duration


@dataclass
class Tally:
    """Sums of what each request cost."""

    requests: int = 0
    total: Usage = field(default_factory=Usage)
    turn: Usage = field(default_factory=Usage)
    _since: float = field(default_factory=time.monotonic)

    def begin_turn(self) -> None:
        """The clock of a turn starts."""
        self._since = time.monotonic()

    def add(self, usage: Usage | None) -> None:
        """One request has been answered."""
        self.requests += 1
        if usage is not None:
            self.total = _sum(self.total, usage)
            self.turn = _sum(self.turn, usage)

    def turn_line(self) -> str:
        """The turn in one line; empty when nothing is known about it."""
        if not (self.turn.input or self.turn.output):
            return ""
        return f"{_words(self.turn)} · {duration(time.monotonic() - self._since)}"

    def end_turn(self) -> None:
        """The next turn counts from nothing."""
        self.turn = Usage()

    def lines(self) -> list[str]:
        """The whole conversation."""
        total = self.total
        lines = [f"{self.requests} requests · {_words(total)}"]
        if total.cached:
            lines.append(f"{total.cached:,} of the tokens in were read from a cache")
        if total.reasoning:
            lines.append(f"{total.reasoning:,} of the tokens out were thoughts")
        if total.dollars is None:
            lines.append("The price of this model is not known.")
        return lines


def _sum(one: Usage, two: Usage) -> Usage:
    known = [usage.dollars for usage in (one, two) if usage.dollars is not None]
    return Usage(
        one.input + two.input,
        one.cached + two.cached,
        one.output + two.output,
        one.reasoning + two.reasoning,
        sum(known) if known else None,
    )


def _words(usage: Usage) -> str:
    words = f"{usage.input:,} tokens in, {usage.output:,} out"
    return words if usage.dollars is None else f"{words} · ${usage.dollars:.4f}"
