"""One block at a time, and a way to stop it from any thread: what every runtime shares."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from interpreter.runtimes.wake import Bell

ABANDONED_SECONDS = 2.0


class Turnstile:
    """Lets one block in. Interrupts are counted, and ring a bell that the block's loop hears."""

    def __init__(self) -> None:
        self.bell = Bell()
        self._busy = threading.Lock()
        self._interrupts = 0

    @property
    def interrupts(self) -> int:
        """How often the block that runs now was asked to stop."""
        return self._interrupts

    def enter(self) -> bool:
        """Whether the way is free; if so, `leave` must follow."""
        if not self._busy.acquire(blocking=False):
            return False
        self._interrupts = 0
        return True

    def leave(self) -> None:
        """The block is over."""
        self._busy.release()

    def interrupt(self) -> None:
        """Ask the block to stop."""
        self._interrupts += 1
        self.bell.ring()

    @contextmanager
    def emptied(self) -> Iterator[None]:
        """Within this, no block runs, except one whose iterator was abandoned: it never leaves."""
        self.bell.ring()
        was_free = self._busy.acquire(timeout=ABANDONED_SECONDS)
        try:
            yield
        finally:
            self.bell.silence()
            if was_free:
                self._busy.release()
