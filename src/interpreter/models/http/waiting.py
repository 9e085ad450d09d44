"""Waiting that an interrupt can end at once, also from a signal handler."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

from interpreter.protocol.interrupt import Interrupt

T = TypeVar("T")


class BackgroundCall(Generic[T]):
    """A blocking call on a thread of its own, so that whoever waits for it can walk away."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], None]) -> None:
        self._work = work
        self._discard = discard
        self._done: SimpleQueue[T | BaseException | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._abandoned = False

    def result(self, interrupt: Interrupt) -> T | None:
        """What the call returned, or raise what it raised; None if the wait was interrupted."""
        with interrupt.calls(lambda: self._done.put(None)):
            threading.Thread(target=self._run, name="model request", daemon=True).start()
            outcome = self._done.get()
        if outcome is None:
            self._abandon()
            return None
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def _run(self) -> None:
        try:
            outcome: T | BaseException = self._work()
        except Exception as error:  # noqa: BLE001 - handed to the waiting thread as it is
            outcome = error
        with self._lock:
            if not self._abandoned:
                self._done.put(outcome)
                return
        if not isinstance(outcome, BaseException):
            self._discard(outcome)

    def _abandon(self) -> None:
        with self._lock:
            self._abandoned = True
        while not self._done.empty():
            outcome = self._done.get()
            if outcome is not None and not isinstance(outcome, BaseException):
                self._discard(outcome)
