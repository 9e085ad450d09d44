"""A tool under guard: what comes out is looked through, and a block may ask for more on its way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from queue import SimpleQueue

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import (
    ApprovalRequested,
    ExecutionFinished,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Action, ActionCall
from interpreter.protocol.ports import Tool, ToolContext, ToolSpec

Inject = Callable[[RuntimeEvent], bool]
After = Generator[ApprovalRequested, Decision, tuple[str, ...]]


class Guard:
    """Watches one run of a tool; this one lets everything pass and has nothing to say."""

    def before(self) -> None:
        """The run is about to begin."""

    def passing(self, event: RuntimeEvent) -> Iterable[RuntimeEvent]:
        """What becomes of an event."""
        return (event,)

    def after(self) -> After:
        """The run is over. It may yield questions; it returns sentences for model and user."""
        yield from ()
        return ()

    def close(self) -> None:
        """The run is over, however it ended, also without `after` or in the midst of it."""


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
    """Another tool, with guards around each of its runs."""

    def __init__(
        self, tool: Tool, guards: Callable[[], Sequence[Guard]], escalations: Escalations
    ) -> None:
        self._tool = tool
        self._guards = guards
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
        guards = self._guards()
        for guard in guards:
            guard.before()
        try:
            with closing(self._answered(action, context)) as events:
                for event in events:
                    yield from self._passed(event, guards, context)
        finally:
            self._escalations.refuse_all()
            for guard in guards:
                guard.close()

    def _answered(
        self, action: Action, context: ToolContext
    ) -> Generator[RuntimeEvent, None, None]:
        for event in self._tool.run(action, context):
            yield event
            if isinstance(event, ApprovalRequested):
                self._escalations.settle(event, _asked(event, context))

    def _passed(
        self, event: RuntimeEvent, guards: Sequence[Guard], context: ToolContext
    ) -> Iterator[RuntimeEvent]:
        events = [event]
        for guard in guards:
            events = [passed for one in events for passed in guard.passing(one)]
        if not isinstance(event, ExecutionFinished):
            yield from events
            return
        yield from events[:-1]
        for guard in guards:
            for note in (yield from _settled(guard.after(), context)):
                yield OutputDelta(f"[{note}]\n", "stderr")
        yield events[-1]


def _asked(request: ApprovalRequested, context: ToolContext) -> Decision:
    """The user's answer; one that stops the turn stops the block that asked, too."""
    decision = context.approve(request)
    if decision.answer == "stop":
        context.interrupt.request()
    if decision.answer == "dry_run":  # what leaves the walls cannot be taken back
        return Decision("no", "this cannot be done without effect")
    return decision


def _settled(steps: After, context: ToolContext) -> Generator[RuntimeEvent, None, tuple[str, ...]]:
    """Put the questions of a guard to the user, and hand it the answers."""
    try:
        request = next(steps)
        while True:
            yield request
            request = steps.send(_asked(request, context))
    except StopIteration as end:
        notes: tuple[str, ...] = end.value
        return notes
