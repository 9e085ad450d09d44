"""Questions and answers over a session: what the typed interpreters, sync and async, share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any

from interpreter.assembly import SessionFactory
from interpreter.facade.typed import structured
from interpreter.facade.typed.result import Block, BlockCollector, Collector, Result
from interpreter.facade.typed.values import Values
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import AnswerInvalid, NotApproved
from interpreter.protocol.events import ApprovalRequested, Event, RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.json import answers as json_answers
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import Approver, nobody_approves
from interpreter.session.session import Session

Send = Callable[[str | Message | None], Generator[Event, None, None]]
"""Starts a turn with a message, or without one."""


class Dialogue:
    """Asks, collects what happens, and brings values over."""

    def __init__(
        self,
        factory: Callable[[], SessionFactory],
        session: Callable[[], Session],
        send: Send,
        approve: Approver | None = None,
    ) -> None:
        self._factory = factory
        self._session = session
        self._send = send
        self._by_hand = Interrupt()
        self._approve = approve
        self._decision: Decision | None = None
        self.last: Result | None = None

    def stream(
        self, message: str | Message | None, stop: threading.Event | None = None
    ) -> Generator[Event, None, None]:
        """The events of a turn; closing the generator stops it, and so does `stop`."""
        collector = Collector()
        try:
            with closing(self._send(message)) as events:
                for event in self._minding(events, stop):
                    collector.add(event)
                    yield event
        finally:
            self._decision = None
            self.last = collector.result(self.value)

    def ask(self, message: str | Message | None, stop: threading.Event | None = None) -> Result:
        """A whole turn."""
        with closing(self.stream(message, stop)) as events:
            for _ in events:
                pass
        assert self.last is not None
        return self.last

    def ask_for(
        self, message: str, kind: Any, *, retries: int, stop: threading.Event | None = None
    ) -> Any:
        """A turn whose answer is a value of this type; the model is told when it is not."""
        question = f"{message}\n\n{structured.request(kind)}"
        problem = ""
        for _ in range(retries + 1):
            answer = self.ask(question, stop)
            try:
                return structured.parse(answer.text, kind)
            except ValueError as error:
                problem = " ".join(str(error).split())
                question = json_answers.complaint(problem)
        raise AnswerInvalid(f"The answer is not what was asked for: {problem}.")

    def interrupt(self, *, force: bool = False) -> None:
        """Stop what is running; asked a second time, by force, it ends even at the REPL's cost."""
        if force or not self._session().stopping:
            self._session().interrupt()
        if force or not self._by_hand.requested:
            self._by_hand.request()

    def _minding(
        self, events: Generator[Event, None, None], stop: threading.Event | None
    ) -> Iterator[Event]:
        """The events; a stop that came before there was anything to interrupt is not lost."""
        for event in events:
            if stop is not None and stop.is_set():
                if not isinstance(event, RuntimeEvent):
                    return  # no code is running: the turn ends here
                self.interrupt()
            yield event

    def decide(self, decision: Decision) -> None:
        """Answer the approval that was requested last; the turn reads it when it goes on."""
        self._decision = decision

    def approve(self, request: ApprovalRequested) -> Decision:
        """What was decided; silence means no, and code that has not run stays proposed."""
        decision, self._decision = self._decision, None
        if decision is not None:
            return decision
        if self._approve is not None:
            return self._approve(request)
        if not request.proposed:
            return nobody_approves(request)
        unconfined = self._factory().unconfined
        raise NotApproved(
            (f"Code would run unconfined: {unconfined} " if unconfined else "")
            + "The model wants to run code and nobody said yes: give approve=…, set auto_run=True, "
            "or call allow() when ApprovalRequested comes. The code is still proposed."
        )

    def run(self, language: str, source: str) -> Block:
        """Run a block by hand, in the REPL that the model uses; it can be undone too."""
        action = Code(language, source)
        collector = BlockCollector(action)
        self._by_hand.clear()
        work = self._factory().run(action, self._by_hand)
        with closing(self._session().by_hand(action, work)) as events:
            for event in events:
                collector.add(event)
        return collector.block()

    def value(self, expression: str, *, unpickle: bool = False) -> Any:
        """A variable, or the value of any expression, brought over as data."""
        return self._values().get(expression, unpickle=unpickle)

    def put(self, name: str, value: Any) -> None:
        """Make a variable for the code."""
        self._values().put(name, value)

    def _values(self) -> Values:
        return Values(self._factory().exchange, self._run_quietly)

    def _run_quietly(self, source: str) -> str:
        collector = BlockCollector(Code("python", source))
        with closing(self._factory().run(Code("python", source))) as events:
            for event in events:
                collector.add(event)
        block = collector.block()
        return "" if block.ok else block.summary or block.outcome
