"""What a turn cost: tokens, time and money."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from interpreter.protocol.events import Usage
from interpreter.terminal.status import duration


@dataclass
class Tally:
    """The sum of what the requests of a turn cost."""

    turn: Usage = field(default_factory=Usage)
    _since: float = field(default_factory=time.monotonic)

    def begin_turn(self) -> None:
        """Count from nothing."""
        self.turn = Usage()
        self._since = time.monotonic()

    def add(self, usage: Usage | None) -> None:
        """One request has been answered."""
        if usage is not None:
            self.turn = _sum(self.turn, usage)

    def line(self) -> str:
        """The turn in one line; empty when nothing is known about it."""
        if not (self.turn.input or self.turn.output):
            return ""
        words = f"{self.turn.input:,} tokens in, {self.turn.output:,} out"
        money = f" · ${self.turn.dollars:.4f}" if self.turn.dollars else ""
        return f"{words}{money} · {duration(time.monotonic() - self._since)}"


def _sum(one: Usage, two: Usage) -> Usage:
    known = [usage.dollars for usage in (one, two) if usage.dollars is not None]
    return Usage(
        one.input + two.input,
        one.cached + two.cached,
        one.output + two.output,
        one.reasoning + two.reasoning,
        sum(known) if known else None,
    )
