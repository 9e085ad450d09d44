"""One request to stop, seen by whoever is working: set from any thread or a signal handler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue


class Interrupt:
    """A flag with listeners, which run in the thread that asks and so must only wake the worker."""

    def __init__(self) -> None:
        self.requested = False
        """Whether somebody asked to stop since the last `clear`."""
        self._listeners: list[Callable[[], None]] = []

    def request(self) -> None:
        """Ask the current work to stop."""
        self.requested = True
        for listener in tuple(self._listeners):
            listener()

    def clear(self) -> None:
        """Forget an earlier request; the next piece of work begins."""
        self.requested = False

    @contextmanager
    def calls(self, listener: Callable[[], None]) -> Iterator[None]:
        """Within this block a request also calls `listener`, at once if it was made before."""
        self._listeners.append(listener)
        try:
            if self.requested:
                listener()
            yield
        finally:
            self._listeners.remove(listener)

    def pause(self, seconds: float) -> bool:
        """Wait so long; False if a request ended it."""
        # SimpleQueue.put may run in a signal handler at any point; an Event could dead-lock there.
        woken: SimpleQueue[None] = SimpleQueue()
        with self.calls(lambda: woken.put(None)):
            try:
                woken.get(timeout=max(seconds, 0.0))
            except Empty:
                return True
        return not self.requested
