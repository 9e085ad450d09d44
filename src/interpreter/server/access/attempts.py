"""Wrong tokens are counted by address: after too many of them nobody is let in from there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

MINUTE = 60.0
MOST_ADDRESSES = 10_000


class WrongTokens:
    """Remembers the last minute."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    def blocked(self, address: str) -> bool:
        """Whether somebody there has tried too often."""
        times = self._times.get(address)
        if times is None:
            return False
        while times and times[0] < self._clock() - MINUTE:
            times.popleft()
        if not times:
            del self._times[address]
        return len(times) >= self._most

    def add(self, address: str) -> None:
        """A wrong one came."""
        if len(self._times) >= MOST_ADDRESSES:
            self._times.pop(next(iter(self._times)))
        self._times.setdefault(address, deque(maxlen=self._most)).append(self._clock())
