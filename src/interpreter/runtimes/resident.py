"""What runtimes have in common that live on between blocks: one block at a time, and its end."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Self

from interpreter.protocol.events import ExecutionFinished, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, nobody_answers
from interpreter.runtimes.turnstile import Turnstile


class Visit(Iterator[RuntimeEvent]):
    """A block that was let in; it leaves when it ends, is closed, or nobody holds it any more."""

    def __init__(self, turnstile: Turnstile, events: Iterator[RuntimeEvent]) -> None:
        self._turnstile = turnstile
        self._events = events
        self._begun = self._left = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> RuntimeEvent:
        if self._left:
            raise StopIteration
        if not self._begun and self._turnstile.interrupts:
            self.close()
            return ExecutionFinished("interrupted", "It was stopped before it began.")
        self._begun = True
        try:
            return next(self._events)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop the block, if it still runs."""
        if self._left:
            return
        self._left = True
        try:
            stop = getattr(self._events, "close", None)
            if stop is not None:
                stop()
        finally:
            self._turnstile.leave()

    __del__ = close


class Resident(ABC):
    """A runtime that one block can be in."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._turnstile = Turnstile()

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Run a block; from this call on, not only from its first event, an interrupt stops it."""
        if not self._turnstile.enter():
            busy = f"{self.language.name} still runs an earlier block."
            return iter((ExecutionFinished("invalid", busy),))
        return Visit(self._turnstile, self._block(source, answer))

    def interrupt(self) -> None:
        """Stop the running block and keep the state; asked twice, stop it at any price."""
        self._turnstile.interrupt()

    @abstractmethod
    def _block(self, source: str, answer: Answerer) -> Iterator[RuntimeEvent]:
        """What happens while a block runs."""


class ResidentProcess(Resident):
    """A runtime that is one process, started when it is needed."""

    def __init__(self, language: Language) -> None:
        super().__init__(language)
        self._starting = threading.Lock()

    def restart(self) -> None:
        """End the process; the next block finds a fresh one."""
        self._kill()
        with self._turnstile.emptied(), self._starting:
            self._forget()

    def close(self) -> None:
        """End the process and all that it started."""
        self.restart()

    @abstractmethod
    def _kill(self) -> None:
        """End the process at once."""

    @abstractmethod
    def _forget(self) -> None:
        """Give up all that belonged to it."""
