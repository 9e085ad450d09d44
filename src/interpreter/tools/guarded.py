"""A tool under guard: what comes out is looked through, and a block may ask for more on its way.

Also what it tells of directories that it works in: their instructions, when code first names
something there.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import Protocol

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import (
    ApprovalRequested,
    ExecutionFinished,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.ports import Tool, ToolContext, ToolSpec

Inject = Callable[[RuntimeEvent], bool]
After = Generator[ApprovalRequested | str, Decision, None]


class Guard(Protocol):
    """Watches one run of a tool."""

    def before(self) -> None:
        """The run is about to begin."""
        ...

    def passing(self, event: RuntimeEvent) -> Iterable[RuntimeEvent]:
        """What becomes of an event."""
        ...

    def after(self) -> After:
        """The run is over. It may yield questions, and sentences for model and user."""
        ...

    def close(self) -> None:
        """The run is over, however it ended, also without `after` or in the midst of it."""
        ...


class Escalations:
    """Questions that come up in other threads while a block runs, asked in the turn's own."""

    def __init__(self, inject: Inject = lambda event: False) -> None:
        self.inject = inject
        self._lock = threading.Lock()
        self._waiting: list[tuple[ApprovalRequested, SimpleQueue[Decision]]] = []

    def ask(self, action: ActionCall, reason: str) -> Decision:
        """Ask the user, from any thread, through the block that runs now."""
        request, reply = ApprovalRequested(action, reason), SimpleQueue[Decision]()
        with self._lock:
            self._waiting.append((request, reply))
        if not self.inject(request):
            self.settle(request, Decision("no", "no block is running"))
        return reply.get()

    def settle(self, request: ApprovalRequested, decision: Decision) -> None:
        """Answer one question."""
        with self._lock:
            found = [reply for waiting, reply in self._waiting if waiting is request]
            self._waiting = [pair for pair in self._waiting if pair[0] is not request]
        for reply in found:
            reply.put(decision)

    def refuse_all(self) -> None:
        """The block is over: whoever still waits is told no."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for _, reply in waiting:
            reply.put(Decision("no", "the block has ended"))


class Guarded:
    """Another tool, with a guard over each of its runs."""

    def __init__(self, tool: Tool, guard: Callable[[], Guard], escalations: Escalations) -> None:
        self._tool = tool
        self._guard = guard
        self._escalations = escalations
        self.running: Action | None = None
        """What runs now, or ran last."""

    @property
    def spec(self) -> ToolSpec:
        """How the tool is described."""
        return self._tool.spec

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run the tool."""
        self.running = action
        guard = self._guard()
        guard.before()
        try:
            with closing(self._answered(action, context)) as events:
                for event in events:
                    yield from _passed(event, guard, context)
        finally:
            self._escalations.refuse_all()
            guard.close()

    def _answered(
        self, action: Action, context: ToolContext
    ) -> Generator[RuntimeEvent, None, None]:
        for event in self._tool.run(action, context):
            yield event
            if isinstance(event, ApprovalRequested):
                self._escalations.settle(event, _asked(event, context))


def _passed(event: RuntimeEvent, guard: Guard, context: ToolContext) -> Iterator[RuntimeEvent]:
    events = list(guard.passing(event))
    if not isinstance(event, ExecutionFinished):
        yield from events
        return
    yield from events[:-1]
    yield from _settled(guard.after(), context)
    yield events[-1]


def _asked(request: ApprovalRequested, context: ToolContext) -> Decision:
    """The user's answer; one that stops the turn stops the block that asked, too."""
    decision = context.approve(request)
    if decision.answer == "stop":
        context.interrupt.request()
    if decision.answer == "dry_run":  # what leaves the walls cannot be taken back
        return Decision("no", "this cannot be done without effect")
    return decision


def _settled(steps: After, context: ToolContext) -> Iterator[RuntimeEvent]:
    """Put the questions of a guard to the user, and hand it the answers; show what it says."""
    with suppress(StopIteration):
        step = next(steps)
        while True:
            if isinstance(step, str):
                yield OutputDelta(f"[{step}]\n", "stderr")
                step = next(steps)
            else:
                yield step
                step = steps.send(_asked(step, context))


MOST_PATHS = 100
_PATH = re.compile(r"(?:[\w.@+-]+/)+[\w.@+-]*|(?<=cd )[\w.@+-]+")


class WithNearInstructions:
    """The tool that runs code; what it adds to a result is for the model alone."""

    def __init__(self, execute: Tool, near: Callable[[tuple[str, ...]], str]) -> None:
        self.spec = execute.spec
        self._execute = execute
        self._near = near

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run a block; then say what holds where it was at work, once."""
        for event in self._execute.run(action, context):
            if isinstance(event, ExecutionFinished) and isinstance(action, Code):
                paths = named_paths(action.source)
                told = self._near(paths) if paths else ""
                yield replace(event, summary="\n".join(filter(None, (event.summary, told))))
            else:
                yield event


def named_paths(source: str) -> tuple[str, ...]:
    """The paths that a text names, without regard to what they are."""
    found = (match[0].removeprefix("./") for match in _PATH.finditer(source))
    with_end = (path if "/" in path else f"{path}/x" for path in found)
    return tuple(dict.fromkeys(with_end))[:MOST_PATHS]
