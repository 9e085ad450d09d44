"""One conversation with a program: its messages are turns, what happens is told, and each turn ends
with a result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from interpreter.assembly.live import LiveSession
from interpreter.assembly.session_factory import SessionFactory
from interpreter.headless.control import ControlRequests
from interpreter.headless.messages import Line, Narrator, usage_object
from interpreter.headless.permission import HeadlessPermissions
from interpreter.mcp.schemas import fault_in
from interpreter.models.nobody import NobodyToAsk
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError, InterpreterError, StoreError
from interpreter.protocol.events import (
    ApprovalRequested,
    InputRequested,
    TurnEnd,
    TurnFinished,
    Usage,
)
from interpreter.protocol.json import answers as json_answers
from interpreter.protocol.live import LiveEvent, QuestionClosed, TurnStarted
from interpreter.protocol.messages import Message, Text
from interpreter.protocol.values import frozen
from interpreter.session.budget import Spent
from interpreter.session.session import Session

MOST_TRIES = 3  # answers that do not fit the schema, before it is given up

Subtype = Literal[
    "success",
    "error_during_execution",
    "error_max_turns",
    "error_max_budget_usd",
    "error_max_structured_output_retries",
]


@frozen
class HeadlessResult:
    """How a turn ended: the line that tells it, and the exit code that says the same."""

    line: Line
    code: int

    @property
    def is_error(self) -> bool:
        """Whether it is to be taken for a failure."""
        return bool(self.line["is_error"])


@frozen
class _End:
    subtype: Subtype
    code: int
    error: str = ""
    value: Any = None
    """What the answer holds, where a schema was given."""


class HeadlessConversation:
    """Sends messages to a live session, tells what comes of them, and asks what it asks.

    Turns run in the thread that calls `turn`; `interrupt` may come from any.
    """

    def __init__(
        self,
        live: LiveSession,
        narrator: Narrator,
        permissions: HeadlessPermissions,
        control: ControlRequests,
        *,
        schema: dict[str, Any] | None = None,
    ) -> None:
        self.live = live
        self.narrator = narrator
        self._permissions = permissions
        self._control = control
        self._schema = schema
        self._open: tuple[SessionFactory, Session] | None = None
        self._questions: dict[int, str] = {}
        self._events = iter(live.log.reader())
        self._lock = threading.Lock()
        self._expected = 0
        """Messages that have come and have no result yet."""
        self._stopping = 0
        """How often the turn that runs, or is about to, was asked to stop."""
        self._began = 0.0

    @property
    def model(self) -> str:
        """The model that answers, by name."""
        model = self._open[1].engine.model if self._open else None
        named = model is not None and not isinstance(model, NobodyToAsk)
        return model.name if model and named else self.live.settings.model

    def opened(self) -> tuple[SessionFactory, Session]:
        """The session, which is made now if it was not before; InterpreterError says why not."""
        if self._open is None:
            self._open = self.live.use(lambda factory, session: (factory, session)).result()
            session = self._open[1]
            self.narrator.session = session.id or self.narrator.session
            self.narrator.checkpoint = (session.blocks or ("",))[-1]
        return self._open

    def expect(self) -> None:
        """A message has come, which has a result some day."""
        with self._lock:
            self._expected += 1

    def interrupt(self) -> None:
        """Stop the turn that runs, or is about to; asked again, by force."""
        with self._lock:
            if not self._expected:
                return
            self._stopping += 1
            force = self._stopping > 1
        self.live.interrupt(force=force)
        self._control.cancel_all("it was stopped")

    def turn(self, said: Message, started: Callable[[], None] = lambda: None) -> HeadlessResult:
        """One message and its answer. `started` is called when the session has heard it."""
        self._began = time.monotonic()
        self.narrator.begin()
        try:
            self.opened()
            end = self._answered(said, started)
        except InterpreterError as error:
            code = 2 if isinstance(error, ConfigurationError | StoreError) else 1
            end = _End("error_during_execution", code, str(error))
        return self._result(end)

    def _answered(self, said: Message, started: Callable[[], None]) -> _End:
        finished = self._play(lambda: self.live.send(said), started)
        for _ in range(MOST_TRIES):
            end = _end_of(finished)
            if self._schema is None or end.subtype != "success":
                return end
            try:
                is_object = self._schema.get("type") == "object"
                value = json_answers.json_in(self.narrator.text, is_object=is_object)
                problem = fault_in(value, self._schema)
            except ValueError as error:
                value, problem = None, str(error)
            if not problem:
                return _End("success", 0, value=value)
            self._complain(problem)
            finished = self._play(self.live.proceed)
        return _End(
            "error_max_structured_output_retries",
            1,
            f"The answer never fitted the schema: {problem}.",
        )

    def _complain(self, problem: str) -> None:
        told = Message("user", (Text(json_answers.complaint(problem)),), audience="assistant")
        self.live.use(lambda factory, session: session.add(told)).result()

    def _play(
        self, begin: Callable[[], Any], started: Callable[[], None] = lambda: None
    ) -> TurnFinished:
        """Begin a turn and follow it to its end."""
        begin().result()
        if self._stopping:  # it was asked before there was anything to stop
            self.live.interrupt()
        for numbered in self._events:
            if isinstance(numbered.event, TurnFinished):
                return numbered.event
            if isinstance(numbered.event, TurnStarted):
                started()
            self._hear(numbered.n, numbered.event)
        return TurnFinished("interrupted", "The session has ended.")

    def _hear(self, number: int, event: LiveEvent) -> None:
        if isinstance(event, ApprovalRequested):
            self._ask(number, event)
        elif isinstance(event, InputRequested):
            self.live.questions.answer(number, None)
        elif isinstance(event, QuestionClosed):
            asked = self._questions.pop(event.question, "")
            if event.by != "user":
                self._control.cancel(asked, "it is no longer asked")
        self.narrator.tell(event)

    def _ask(self, number: int, request: ApprovalRequested) -> None:
        def decided(decision: Decision) -> None:
            self.live.questions.answer(number, decision)

        if self._stopping:
            decided(Decision("stop", "it was stopped"))
            return
        asked = self._permissions.ask(request, self.narrator.call_id(request.action), decided)
        if asked:
            self._questions[number] = asked

    # Results.

    def failed(self, problem: str, code: int = 1) -> HeadlessResult:
        """The result of what could not even begin."""
        self._began = self._began or time.monotonic()
        return self._result(_End("error_during_execution", code, problem))

    def nothing_said(self) -> HeadlessResult:
        """The result of an empty message: the session is open, and nobody was asked."""
        self._began = time.monotonic()
        self.narrator.begin()
        try:
            self.opened()
        except InterpreterError as error:
            return self.failed(str(error))
        return self._result(_End("success", 0))

    def _result(self, end: _End) -> HeadlessResult:
        with self._lock:
            self._expected, self._stopping = max(0, self._expected - 1), 0
        budget = self._open[0].budget if self._open else None
        spent = budget.turn if budget else Spent()
        took = int((time.monotonic() - self._began) * 1000)
        is_error = end.subtype != "success"
        line: Line = {
            "subtype": end.subtype,
            "is_error": is_error,
            "duration_ms": took,
            "duration_api_ms": int(self.narrator.model_seconds * 1000),
            "num_turns": self.narrator.replies,
            "stop_reason": None if is_error else "end_turn",
            "total_cost_usd": _dollars(budget.session if budget else Spent()),
            "usage": usage_object(Usage(spent.input, spent.cached, spent.output)),
            "modelUsage": {self.model: _model_usage(spent)} if spent.requests else {},
            "permission_denials": self.narrator.denials,
        }
        if not is_error:
            line["result"] = self.narrator.text
        if self._schema is not None and not is_error:
            line["structured_output"] = end.value
        if end.error:
            line["errors"] = [end.error]
        return HeadlessResult(line, end.code)


def _end_of(finished: TurnFinished) -> _End:
    """A turn's end as a result: nothing but an answer is a success."""
    ends: dict[TurnEnd, tuple[Subtype, int]] = {
        "answered": ("success", 0),
        "declined": ("error_during_execution", 3),
        "interrupted": ("error_during_execution", 130),
        "out_of_steps": ("error_max_turns", 1),
        "out_of_budget": ("error_max_budget_usd", 1),
        "stuck": ("error_during_execution", 1),
        "failed": ("error_during_execution", 1),
    }
    subtype, code = ends[finished.end]
    told = {"declined": "It was not approved", "interrupted": "It was interrupted"}
    detail = finished.detail or told.get(finished.end, "")
    if finished.end == "declined" and detail.endswith("nobody is there to ask"):
        detail += ": -y, --permission-mode or --allowed-tools let code run"
    return _End(subtype, code, "" if subtype == "success" else _sentence(detail))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _dollars(spent: Spent) -> float | None:
    """What is known to have been spent; None where nobody knows a price."""
    return None if spent.requests and spent.unpriced == spent.requests else spent.dollars


def _model_usage(spent: Spent) -> dict[str, Any]:
    return {
        "inputTokens": spent.input - spent.cached,
        "outputTokens": spent.output,
        "cacheReadInputTokens": spent.cached,
        "cacheCreationInputTokens": 0,
        "webSearchRequests": 0,
        "costUSD": _dollars(spent),
    }
