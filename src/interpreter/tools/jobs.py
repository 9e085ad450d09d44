"""Blocks at work, each in a thread: followed to the end, or left to go on in the background."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from interpreter.protocol.errors import RuntimeFailure
from interpreter.protocol.events import (
    ExecutionFinished,
    InputRequested,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import Runtime

QUEUED_EVENTS = 64
KEPT_CHARACTERS = 32_000
ENDED: Final = "ended"
LET_GO: Final = "let go"
_numbers = itertools.count(1)


@dataclass
class Job:
    """One block and what came of it. Until it is left alone, its events wait to be taken."""

    code: Code
    runtime: Runtime
    number: int = field(default_factory=lambda: next(_numbers))
    finished: ExecutionFinished | None = None
    printed: int = 0

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._events: deque[RuntimeEvent] = deque()
        self._tail = ""
        self._followed = True
        self._let_go = False
        self._answer: tuple[str | None] | None = None
        self._last: ExecutionFinished | None = None
        self._error: BaseException | None = None
        # Let in here, not in the thread: an interrupt that comes now already means this block.
        self._block = self.runtime.run(self.code.source, self._ask)
        self._thread = threading.Thread(target=self._work, name=f"job {self.number}", daemon=True)

    def begin(self) -> None:
        """Let it run. Not before whoever injects events can find it: its first may come at once."""
        self._thread.start()

    def take(self, seconds: float | None) -> RuntimeEvent | str | None:
        """The next event; None when none came in time, LET_GO when it shall go on alone, ENDED
        after the last."""
        with self._changed:
            self._changed.wait_for(lambda: self._events or self._is_over() or self._let_go, seconds)
            if self._let_go and not self._is_over():
                return LET_GO
            if self._events:
                self._changed.notify_all()
                return self._events.popleft()
            if not self._is_over():
                return None
        if self._error is not None:
            raise self._error
        return ENDED

    def let_go(self) -> bool:
        """Ask whoever follows it to leave it alone; False if it has ended. From any thread."""
        with self._changed:
            self._let_go = self._followed and not self._is_over()
            self._changed.notify_all()
            return self._let_go

    def reply(self, line: str | None) -> None:
        """Answer the input request that `take` gave last."""
        with self._changed:
            self._answer = (line,)
            self._changed.notify_all()

    def inject(self, event: RuntimeEvent) -> bool:
        """Let somebody else's event come out with the block's own; False if nobody follows it."""
        with self._changed:
            self._changed.wait_for(self._has_room)
            if not self._followed or self._is_over():
                return False
            self._events.append(event)
            self._changed.notify_all()
            return True

    def leave(self) -> None:
        """Let it go on alone; from now on only the tail of its output is kept."""
        with self._changed:
            self._followed = False
            while self._events:
                self._keep(self._events.popleft())
            self._changed.notify_all()

    def stop(self) -> None:
        """Interrupt it, and wait until it has ended."""
        self.leave()
        self.runtime.interrupt()
        self._thread.join()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within that time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._thread.is_alive()

    @property
    def tail(self) -> str:
        """The end of what it printed since it was left alone."""
        with self._changed:
            return self._tail

    def _work(self) -> None:
        try:
            for event in self._block:
                self._put(event)
        except RuntimeFailure as failure:
            self._put(ExecutionFinished("failed", str(failure)))
        except BaseException as error:  # noqa: BLE001  (raised again where the job is followed)
            self._error = error
        with self._changed:
            self.finished = self._last or ExecutionFinished("failed", "it ended without a result")
            self._changed.notify_all()

    def _put(self, event: RuntimeEvent) -> None:
        with self._changed:
            if isinstance(event, ExecutionFinished):
                self._last = event
            self._changed.wait_for(self._has_room)
            if self._followed:
                self._events.append(event)
                self._changed.notify_all()
            else:
                self._keep(event)

    def _keep(self, event: RuntimeEvent) -> None:
        if isinstance(event, OutputDelta):
            self.printed += len(event.text)
            self._tail = (self._tail + event.text)[-KEPT_CHARACTERS:]

    def _ask(self, request: InputRequested) -> str | None:
        with self._changed:
            self._changed.wait_for(lambda: self._answer is not None or not self._followed)
            answer, self._answer = self._answer, None
            return answer[0] if answer else None

    def _has_room(self) -> bool:
        return not self._followed or self._is_over() or len(self._events) < QUEUED_EVENTS

    def _is_over(self) -> bool:
        return self.finished is not None or self._error is not None


class Jobs:
    """The blocks that were left running."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}

    def add(self, job: Job) -> None:
        """Remember a job that goes on alone; of those that have ended, the last twenty are kept."""
        ended = [number for number, known in self._jobs.items() if not known.running]
        for number in ended[:-20]:
            del self._jobs[number]
        self._jobs[job.number] = job

    def get(self, number: int) -> Job | None:
        """A job by its number."""
        return self._jobs.get(number)

    def all(self) -> tuple[Job, ...]:
        """All of them, oldest first."""
        return tuple(self._jobs.values())

    def occupying(self, runtime: Runtime) -> Job | None:
        """The job that keeps a runtime busy."""
        return next((j for j in self._jobs.values() if j.runtime is runtime and j.running), None)
