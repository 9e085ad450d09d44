"""What a turn cost: tokens, time and money."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from interpreter.protocol.events import Usage
from interpreter.terminal.render.status import duration


@dataclass
class Tally:
    """The sum of what the requests of a turn cost."""

    clock: Callable[[], float] = time.monotonic
    turn: Usage = field(default_factory=Usage)
    _since: float = 0.0
    _held: float | None = None

    def begin_turn(self) -> None:
        """Count from nothing."""
        self.turn = Usage()
        self._since, self._held = self.clock(), None

    def hold(self) -> None:
        """From now on the user is waited for, which is not the turn's time."""
        self._held = self.clock()

    def go_on(self) -> None:
        """The user has answered."""
        if self._held is not None:
            self._since += self.clock() - self._held
            self._held = None

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
        return f"{words}{money} · {duration(self.clock() - self._since)}"


def _sum(one: Usage, two: Usage) -> Usage:
    known = [usage.dollars for usage in (one, two) if usage.dollars is not None]
    return Usage(
        one.input + two.input,
        one.cached + two.cached,
        one.output + two.output,
        one.reasoning + two.reasoning,
        sum(known) if known else None,
    )
