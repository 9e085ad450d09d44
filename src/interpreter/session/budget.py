"""What a session has cost, and whether the next request may be sent."""

from __future__ import annotations

import time
from collections.abc import Callable

from interpreter.protocol.events import Usage
from interpreter.protocol.values import frozen

Pricing = Callable[[Usage], float | None]
"""What a usage costs in dollars, or None where nobody knows."""


@frozen
class Spent:
    """Tokens and dollars; `unpriced` counts requests whose price nobody knows."""

    requests: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    dollars: float = 0.0
    unpriced: int = 0

    def plus(self, usage: Usage) -> Spent:
        """With one more request."""
        return Spent(
            self.requests + 1,
            self.input + usage.input,
            self.cached + usage.cached,
            self.output + usage.output,
            self.reasoning + usage.reasoning,
            self.dollars + (usage.dollars or 0.0),
            self.unpriced + (usage.dollars is None),
        )

    def describe(self) -> str:
        """One line for a person."""
        tokens = f"{self.input:,} tokens in ({self.cached:,} cached), {self.output:,} out"
        if self.reasoning:
            tokens += f" ({self.reasoning:,} thinking)"
        if self.requests and self.unpriced == self.requests:
            return f"{tokens}; price unknown"
        if self.requests and not self.dollars and not self.unpriced:
            return f"{tokens}; free"
        more = f" and {self.unpriced} requests of unknown price" if self.unpriced else ""
        return f"{tokens}; ${self.dollars:.4f}{more}"


@frozen
class Ceiling:
    """What may be spent; None is without end. Time is looked at before each request."""

    dollars: float | None = None
    tokens: int | None = None
    turn_dollars: float | None = None
    turn_tokens: int | None = None
    requests: int | None = None
    turn_seconds: float | None = None
    session_seconds: float | None = None


class Budget:
    """Counts what turns cost and holds the session to its limits."""

    def __init__(
        self,
        max_dollars: float | None = None,
        pricing: Pricing | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ceiling = Ceiling(max_dollars)
        self._pricing = pricing or (lambda usage: None)
        self._clock = clock
        self._began = self._turn_began = clock()
        self._last: Usage | None = None
        self.turn = Spent()
        self.session = Spent()

    @property
    def max_dollars(self) -> float | None:
        """Dollars that the session may cost."""
        return self._ceiling.dollars

    def limit(self, ceiling: Ceiling, pricing: Pricing) -> None:
        """What may be spent from now on, and what the model of the next request costs."""
        self._ceiling = ceiling
        self._pricing = pricing

    def begin_turn(self) -> None:
        """A turn begins; its own count starts at nothing."""
        self.turn = Spent()
        self._turn_began = self._clock()

    def add(self, usage: Usage | None) -> None:
        """A request has ended."""
        if usage is None:
            return
        self._last = usage
        self.turn = self.turn.plus(usage)
        self.session = self.session.plus(usage)

    def resume(self, spent: Spent) -> None:
        """The session goes on from an earlier run."""
        self.session = spent

    def start_over(self) -> None:
        """A new session: nothing has been spent in it."""
        self.begin_turn()
        self.session = Spent()
        self._began = self._turn_began
        self._last = None

    def objection(self, tokens: int) -> str | None:
        """Why a request of so many tokens must not be sent, or None if it may."""
        reason = self._too_dear(tokens) or self._too_much(tokens) or self._too_long()
        return f"{reason} So far: {self.session.describe()}." if reason else None

    def _too_dear(self, tokens: int) -> str:
        if self._ceiling.dollars is None and self._ceiling.turn_dollars is None:
            return ""
        expected = self._pricing(self._expected(tokens)) or 0.0
        for spent, most, name in (
            (self.session.dollars, self._ceiling.dollars, "max_budget"),
            (self.turn.dollars, self._ceiling.turn_dollars, "max_turn_budget"),
        ):
            if most is not None and spent + expected > most:
                return (
                    f"The next request would cost about ${expected:.4f}; with ${spent:.4f} "
                    f"spent that is over the budget of ${most:g}. Raise {name} to go on."
                )
        return ""

    def _too_much(self, tokens: int) -> str:
        ceiling = self._ceiling
        for spent, most, what in (
            (self.session, ceiling.tokens, "session"),
            (self.turn, ceiling.turn_tokens, "turn"),
        ):
            if most is not None and spent.input + spent.output + tokens > most:
                return f"The {what} may use {most:,} tokens. Raise max_{what}_tokens to go on."
        if ceiling.requests is not None and self.session.requests >= ceiling.requests:
            return f"The session may take {ceiling.requests} steps. Raise max_session_steps."
        return ""

    def _too_long(self) -> str:
        now, ceiling = self._clock(), self._ceiling
        if ceiling.turn_seconds is not None and now - self._turn_began > ceiling.turn_seconds:
            return f"The turn may take {ceiling.turn_seconds:g} seconds. Raise max_turn_seconds."
        if ceiling.session_seconds is not None and now - self._began > ceiling.session_seconds:
            return (
                f"The session may take {ceiling.session_seconds:g} seconds. "
                "Raise max_session_seconds."
            )
        return ""

    def _expected(self, tokens: int) -> Usage:
        """The next request: what the last one sent comes from the cache if that worked before."""
        cached = min(tokens, self._last.input) if self._last and self._last.cached else 0
        mean = self.session.output // self.session.requests if self.session.requests else 0
        return Usage(input=tokens, cached=cached, output=mean)


class PartOfBudget(Budget):
    """That of a session within another: what it spends, the other one pays."""

    def __init__(self, whole: Budget) -> None:
        super().__init__()
        self._whole = whole

    def add(self, usage: Usage | None) -> None:
        """A request has ended."""
        super().add(usage)
        self._whole.add(usage)

    def objection(self, tokens: int) -> str | None:
        """Why a request of so many tokens must not be sent, or None if it may."""
        return self._whole.objection(tokens) or super().objection(tokens)
