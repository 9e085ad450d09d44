"""Questions and answers over a session: what the typed interpreters, sync and async, share."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

from interpreter.assembly import Workshop
from interpreter.facade import structured
from interpreter.facade.result import Block, BlockCollector, Collector, Result
from interpreter.facade.values import Values
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import AnswerInvalid, NotApproved
from interpreter.protocol.events import ApprovalRequested, Event
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import Approver, Checkpoints

Send = Callable[[str | Message | None], Generator[Event, None, None]]
"""Starts a turn with a message, or without one."""


class Dialogue:
    """Asks, collects what happens, and brings values over."""

    def __init__(
        self,
        workshop: Callable[[], Workshop],
        send: Send,
        checkpoints: Callable[[], Checkpoints],
        approve: Approver | None = None,
    ) -> None:
        self._workshop = workshop
        self._send = send
        self._checkpoints = checkpoints
        self._approve = approve
        self._decision: Decision | None = None
        self.last: Result | None = None

    def stream(self, message: str | Message | None) -> Generator[Event, None, None]:
        """The events of a turn; closing the generator stops it."""
        collector = Collector()
        try:
            with closing(self._send(message)) as events:
                for event in events:
                    collector.add(event)
                    yield event
        finally:
            self._decision = None
            self.last = collector.result(self.value)

    def ask(self, message: str | Message | None) -> Result:
        """A whole turn."""
        with closing(self.stream(message)) as events:
            for _ in events:
                pass
        assert self.last is not None
        return self.last

    def ask_for(self, message: str, kind: Any, *, retries: int) -> Any:
        """A turn whose answer is a value of this type; the model is told when it is not."""
        question = f"{message}\n\n{structured.request(kind)}"
        problem = ""
        for _ in range(retries + 1):
            answer = self.ask(question)
            try:
                return structured.parse(answer.text, kind)
            except ValueError as error:
                problem = " ".join(str(error).split())
                question = structured.complaint(problem)
        raise AnswerInvalid(f"The answer is not what was asked for: {problem}.")

    def decide(self, decision: Decision) -> None:
        """Answer the approval that was requested last; the turn reads it when it goes on."""
        self._decision = decision

    def approve(self, request: ApprovalRequested) -> Decision:
        """What was decided; silence means no."""
        decision, self._decision = self._decision, None
        if decision is not None:
            return decision
        if self._approve is not None:
            return self._approve(request)
        raise NotApproved(
            "The model wants to run code and nobody said yes: give approve=…, set auto_run=True, "
            "or call allow() when ApprovalRequested comes. The code is still proposed."
        )

    def run(self, language: str, source: str) -> Block:
        """Run a block by hand, in the REPL that the model uses; it can be undone too."""
        action = Code(language, source)
        collector = BlockCollector(action)
        workshop, checkpoints = self._workshop(), self._checkpoints()
        checkpoints.begin(action)
        try:
            with closing(workshop.run(action)) as events:
                for event in events:
                    collector.add(event)
        finally:
            changed = checkpoints.end()
        if changed:
            collector.add(changed)
        return collector.block()

    def value(self, expression: str, *, unpickle: bool = False) -> Any:
        """A variable, or the value of any expression, brought over as data."""
        return self._values().get(expression, unpickle=unpickle)

    def put(self, name: str, value: Any) -> None:
        """Make a variable for the code."""
        self._values().put(name, value)

    def _values(self) -> Values:
        return Values(self._workshop().exchange, self._run_quietly)

    def _run_quietly(self, source: str) -> str:
        collector = BlockCollector(Code("python", source))
        with closing(self._workshop().run(Code("python", source))) as events:
            for event in events:
                collector.add(event)
        block = collector.block()
        return "" if block.ok else block.summary or block.outcome
