"""Calls that we serve while they run: they may ask the other side, and tell how far they are."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any

from interpreter.mcp.schemas import fault_in
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.json.rpc import Fault, Note, Rpc
from interpreter.protocol.values import frozen

ANSWER_SECONDS = 600.0  # for a question to the user of the other side
MOST_WAITING = 32  # jobs of one user that wait for an answer
MISSING_CAPABILITY = -32021
_CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}

Result = dict[str, Any]
Send = Callable[[Rpc], None]


class ServedFault(InterpreterError):
    """The call itself is wrong; the other side gets a fault and no result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.fault = Fault(code, message, data)


@frozen
class ServedCaller:
    """Who calls, as far as the call says so."""

    modern: bool
    meta: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    given: Mapping[str, Any]
    """Answers that came with the call, before anything was asked."""


@frozen
class Wanted:
    """What the other side is asked, by keys of ours: a method and its params each."""

    requests: Mapping[str, tuple[str, Mapping[str, Any]]]

    def listed(self) -> Result:
        """As it travels."""
        return {
            key: {"method": method, "params": dict(params)}
            for key, (method, params) in self.requests.items()
        }


Run = Callable[[dict[str, Any], "ServedJob"], Result]


class ServedJob:
    """One call while it runs, on a thread of its own."""

    def __init__(
        self, name: str, run: Run, arguments: dict[str, Any], caller: ServedCaller, send: Send
    ) -> None:
        self.interrupt = Interrupt()
        self.name = name
        self.caller = caller
        self.send = send
        """Where notes go at the moment."""
        self.news: SimpleQueue[Result | Fault | Wanted] = SimpleQueue()
        self._run, self._arguments = run, arguments
        self._replies: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
        self._steps = 0
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def can_ask(self) -> bool:
        """Whether the other side can show a form to its user."""
        form = self.caller.capabilities.get("elicitation")
        return isinstance(form, dict) and (not form or "form" in form)

    def ask(self, message: str, schema: Mapping[str, Any]) -> Result:
        """What the user filled in; nothing where nobody does."""
        if not self.can_ask:
            return {}
        form = {"mode": "form", "message": message, "requestedSchema": dict(schema)}
        reply = self.request({"approval": ("elicitation/create", form)}).get("approval")
        if not isinstance(reply, dict) or reply.get("action") != "accept":
            return {}
        content = reply.get("content")
        return content if isinstance(content, dict) and not fault_in(content, schema) else {}

    def request(self, requests: Mapping[str, tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
        """Ask the other side; the answers by their keys, without those that did not come."""
        for method, _ in requests.values():
            needed = _CAPABILITIES[method]
            if not isinstance(self.caller.capabilities.get(needed), dict):
                data: Result = {"requiredCapabilities": {needed: {}}}
                raise ServedFault(MISSING_CAPABILITY, f"It needs a client with {needed}.", data)
        replies: dict[str, Any] = {}
        if self.interrupt.requested:
            return replies
        with self.interrupt.calls(lambda: self._replies.put(None)):
            self.news.put(Wanted(requests))
            while len(replies) < len(requests):
                try:
                    reply = self._replies.get(timeout=ANSWER_SECONDS)
                except Empty:
                    break
                if reply is None:
                    break
                replies[reply[0]] = reply[1]
        return replies

    def reply(self, key: str, reply: Any) -> None:
        """The other side has answered."""
        self._replies.put((key, reply))

    def give_up(self) -> None:
        """The other side will not answer."""
        self._replies.put(None)

    def progress(self, text: str) -> None:
        """Tell how far it is, if the caller wants to know."""
        token = self.caller.meta.get("progressToken")
        if isinstance(token, int | str) and not isinstance(token, bool):
            self._steps += 1
            told = {"progressToken": token, "progress": self._steps, "message": text[:400]}
            self.note("notifications/progress", told)

    def note(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the caller something."""
        with contextlib.suppress(OSError):
            self.send(Note(method, params))

    def _work(self) -> None:
        try:
            self.news.put(self._run(self._arguments, self))
        except ServedFault as error:
            self.news.put(error.fault)
        except InterpreterError as error:
            self.news.put(failed(str(error)))
        except Exception as error:  # noqa: BLE001  (the other side waits for an answer)
            self.news.put(failed(f"An error of ours: {type(error).__name__}."))


class WaitingJobs:
    """Jobs that wait for an answer which comes with the same call once more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, tuple[ServedJob, Wanted]] = {}

    def put(self, job: ServedJob, wanted: Wanted) -> str:
        """Keep a job; the state by which it is found again. Of too many, the oldest gives up."""
        state = secrets.token_urlsafe(24)
        with self._lock:
            self._jobs[state] = (job, wanted)
            if len(self._jobs) > MOST_WAITING:
                self._jobs.pop(next(iter(self._jobs)))[0].give_up()
        return state

    def take(self, state: str, name: str) -> tuple[ServedJob, Wanted]:
        """The job that waits under a state; ServedFault where there is none of that name."""
        with self._lock:
            found = self._jobs.get(state)
            if found is None or found[0].name != name:
                raise ServedFault(-32602, "There is nothing that waits for this answer.")
            del self._jobs[state]
        return found

    def close(self) -> None:
        """Stop all of them."""
        with self._lock:
            jobs, self._jobs = list(self._jobs.values()), {}
        for job, _ in jobs:
            job.interrupt.request()


def text_result(text: str, structured: Mapping[str, Any] | None = None) -> Result:
    """A result of text, with the same as data where there is some."""
    content = [{"type": "text", "text": text}]
    return {"content": content, **({"structuredContent": dict(structured)} if structured else {})}


def failed(text: str) -> Result:
    """A result that says what went wrong."""
    return {**text_result(text), "isError": True}
