"""How a block is stopped: it is asked, asked again, and ended when it does not obey in its time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

ASK_AGAIN_SECONDS = 1.0  # code that swallows one interrupt may obey the next


@dataclass
class Insistence:
    """Where the stopping of one block stands.

    `ask` is given how often the block has been asked, from 1; `end` leaves nothing to obey.
    """

    patience: float
    ask: Callable[[int], None]
    end: Callable[[], None]
    most: int | None = None
    """How often it is asked; None for as long as there is patience."""

    def __post_init__(self) -> None:
        self._began: float | None = None
        self._asked = 0

    @property
    def begun(self) -> bool:
        """Whether the block was asked to stop."""
        return self._began is not None

    def mind(self, wishes: int) -> None:
        """Do what is due, for a user who has so often wished that the block stops."""
        if not wishes:
            return
        now = time.monotonic()
        if self._began is None:
            self._began = now
        if wishes > 1 or now >= self._began + self.patience:
            self.end()
        elif now >= self._next_question():
            self._asked += 1
            self.ask(self._asked)

    def pause(self) -> float | None:
        """Seconds until something may be due again; None while nobody wishes that it stops."""
        if self._began is None:
            return None
        due = min(self._next_question(), self._began + self.patience)
        return max(0.0, due - time.monotonic())

    def _next_question(self) -> float:
        assert self._began is not None
        if self._asked == self.most:
            return self._began + self.patience
        return self._began + self._asked * ASK_AGAIN_SECONDS
