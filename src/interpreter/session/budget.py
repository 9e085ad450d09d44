"""What a session has cost, and whether the next request may be sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from interpreter.protocol.events import Usage

Pricing = Callable[[Usage], float | None]
"""What a usage costs in dollars, or None where nobody knows."""


@dataclass(frozen=True, slots=True)
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
            return f"{tokens}; price unknown or free"
        more = f" and {self.unpriced} requests of unknown price" if self.unpriced else ""
        return f"{tokens}; ${self.dollars:.4f}{more}"


class Budget:
    """Counts what turns cost and holds the session to a limit."""

    def __init__(self, max_dollars: float | None = None, pricing: Pricing | None = None) -> None:
        self.max_dollars = max_dollars
        self._pricing = pricing or (lambda usage: None)
        self._last: Usage | None = None
        self.turn = Spent()
        self.session = Spent()

    def limit(self, max_dollars: float | None, pricing: Pricing) -> None:
        """What may be spent from now on, and what the model of the next request costs."""
        self.max_dollars = max_dollars
        self._pricing = pricing

    def begin_turn(self) -> None:
        """A turn begins; its own count starts at nothing."""
        self.turn = Spent()

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

    def objection(self, tokens: int) -> str | None:
        """Why a request of so many tokens must not be sent, or None if it may."""
        if self.max_dollars is None:
            return None
        expected = self._pricing(self._expected(tokens)) or 0.0
        if self.session.dollars + expected <= self.max_dollars:
            return None
        return (
            f"The next request would cost about ${expected:.4f}; with ${self.session.dollars:.4f} "
            f"spent that is over the budget of ${self.max_dollars:.2f}. Raise max_budget to go on."
        )

    def _expected(self, tokens: int) -> Usage:
        """The next request: what the last one sent comes from the cache if that worked before."""
        cached = min(tokens, self._last.input) if self._last and self._last.cached else 0
        mean = self.session.output // self.session.requests if self.session.requests else 0
        return Usage(input=tokens, cached=cached, output=mean)
