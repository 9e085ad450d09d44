"""What we ask the program at the other end: a request goes out, its answer comes in some day.

Whatever ends the waiting, there is an answer: one that says that nobody gave any.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import Any, Literal
from uuid import uuid4

from interpreter.headless.lines import fits
from interpreter.protocol.values import frozen

Send = Callable[[Mapping[str, Any]], None]


@frozen
class ControlReply:
    """What came of a request; `nobody` says that no answer came, and `error` why."""

    kind: Literal["success", "error", "nobody"]
    response: Mapping[str, Any]
    error: str = ""


Then = Callable[[ControlReply], None]


def nobody(why: str) -> ControlReply:
    """No answer came."""
    return ControlReply("nobody", {}, why)


class ControlRequests:
    """Those that are not answered yet, by their ids. Any thread may ask, and any may answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._waiting: dict[str, Then] = {}
        self._ended = ""

    @property
    def is_open(self) -> bool:
        """Whether answers can still come."""
        return not self._ended

    def ask(self, request: Mapping[str, Any], then: Then) -> str:
        """Send a request; `then` is called once, maybe at once. Its id."""
        number = str(uuid4())
        message = {"type": "control_request", "request_id": number, "request": request}
        with self._lock:
            problem = self._ended or ("" if fits(message) else "it is too long to be asked")
            if not problem:
                self._waiting[number] = then
        if problem:
            then(nobody(problem))
        else:
            self._send(message)
        return number

    def call(self, request: Mapping[str, Any], seconds: float) -> ControlReply:
        """Send a request and wait for its answer."""
        answer: Future[ControlReply] = Future()
        number = self.ask(request, answer.set_result)
        try:
            return answer.result(seconds)
        except TooLate:
            self.cancel(number, f"there was no answer in {seconds:g} seconds")
            return answer.result()

    def answered(self, response: Any) -> None:
        """An answer came; one that nobody waits for is dropped."""
        if not isinstance(response, dict):
            return
        content = response.get("response")
        good = response.get("subtype") == "success" and isinstance(content, dict | None)
        error = str(response.get("error", "it makes no sense"))[:2000]
        reply = ControlReply("success", content or {}) if good else ControlReply("error", {}, error)
        self._settle(str(response.get("request_id")), reply)

    def cancel(self, number: str, why: str) -> None:
        """Nobody wants this answer any more; the other end is told so."""
        if self._settle(number, nobody(why)) and self.is_open:
            self._send({"type": "control_cancel_request", "request_id": number})

    def cancel_all(self, why: str) -> None:
        """Nobody wants any answer any more."""
        for number in list(self._waiting):
            self.cancel(number, why)

    def close(self, why: str) -> None:
        """No answer can come any more."""
        with self._lock:
            self._ended = why
            waiting, self._waiting = self._waiting, {}
        for then in waiting.values():
            then(nobody(why))

    def _settle(self, number: str, reply: ControlReply) -> bool:
        with self._lock:
            then = self._waiting.pop(number, None)
        if then is not None:
            then(reply)
        return then is not None
