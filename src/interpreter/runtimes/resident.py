"""What runtimes share that live on between blocks: a bell, one block at a time, and its end.

A block is asked to stop, asked again, and ended when it does not obey in its time.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from interpreter.protocol.events import STILL_RUNS, ExecutionFinished, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Process, nobody_answers

ABANDONED_SECONDS = 2.0


class Bell:
    """One pipe: `ring` makes `fileno` readable until `silence`."""

    def __init__(self) -> None:
        self._hear, self._pull = os.pipe()
        os.set_blocking(self._hear, False)
        os.set_blocking(self._pull, False)

    def fileno(self) -> int:
        """The descriptor to poll for reading."""
        return self._hear

    def ring(self) -> None:
        """Wake whoever polls; more rings than fit change nothing."""
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._pull, b"!")

    def silence(self) -> None:
        """Forget the rings so far."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._hear, 4096):
                pass

    def close(self) -> None:
        """Give the pipe back."""
        os.close(self._pull)
        os.close(self._hear)


def when_it_ends(process: Process, then: Callable[[], None]) -> None:
    """Call `then` from a thread of its own once the process has ended."""

    def wait() -> None:
        process.wait()
        then()

    threading.Thread(target=wait, name=f"wait for {process.pid}", daemon=True).start()


def close_stdin(process: Process) -> None:
    """Let go of a program's standard input; what it did not read is lost."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


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
            busy = f"{self.language.name} {STILL_RUNS}"
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
