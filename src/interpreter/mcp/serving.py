"""The other side: we are the server. Both eras on one line, a thread for each call."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from interpreter._version import __version__
from interpreter.mcp.eras import LEGACY, MODERN, UNSUPPORTED_VERSION
from interpreter.mcp.schemas import fault_in
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Answer,
    Call,
    Fault,
    Id,
    Note,
    Rpc,
)
from interpreter.protocol.values import frozen

MOST_AT_ONCE = 32
ANSWER_SECONDS = 600.0  # for a question to the user of the other side
_META = "io.modelcontextprotocol/"
_SERVER = {"name": "reploop", "version": __version__}
_CACHED = {"ttlMs": 300_000, "cacheScope": "public"}

Result = dict[str, Any]


@frozen
class ServedTool:
    """A tool of ours; `run` returns content, or raises an InterpreterError for a failure."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[dict[str, Any], ServedJob], Result]
    read_only: bool = False

    def listed(self) -> Result:
        """As a listing shows it."""
        hints = {"readOnlyHint": self.read_only}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": dict(self.parameters),
            "annotations": hints,
        }


class ServedJob:
    """One call while it runs; it may ask the user of the other side, and tell how far it is."""

    def __init__(self, tool: ServedTool, arguments: dict[str, Any]) -> None:
        self.interrupt = Interrupt()
        self.can_ask = False
        self.progress: Callable[[str], None] = lambda text: None
        self.tool = tool
        self.arguments = arguments
        self.news: SimpleQueue[Result | ServedQuestion] = SimpleQueue()
        self._replies: SimpleQueue[Result | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=tool.name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ask(self, message: str, schema: Mapping[str, Any]) -> Result:
        """What the user filled in; nothing where nobody does."""
        if not self.can_ask or self.interrupt.requested:
            return {}
        with self.interrupt.calls(lambda: self._replies.put(None)):
            self.news.put(ServedQuestion(message, schema))
            try:
                reply = self._replies.get(timeout=ANSWER_SECONDS)
            except Empty:
                return {}
        if not isinstance(reply, dict) or reply.get("action") != "accept":
            return {}
        content = reply.get("content")
        good = isinstance(content, dict) and not fault_in(content, schema)
        return content if good and isinstance(content, dict) else {}

    def reply(self, reply: Any) -> None:
        """The user of the other side has answered."""
        self._replies.put(reply if isinstance(reply, dict) else None)

    def _work(self) -> None:
        try:
            self.news.put(self.tool.run(self.arguments, self))
        except InterpreterError as error:
            self.news.put(_failed(str(error)))
        except Exception as error:  # noqa: BLE001  (the other side waits for an answer)
            self.news.put(_failed(f"An error of ours: {type(error).__name__}."))


@frozen
class ServedQuestion:
    """Something to be asked on the other side."""

    message: str
    schema: Mapping[str, Any]

    def params(self) -> Result:
        """As it travels."""
        return {"mode": "form", "message": self.message, "requestedSchema": dict(self.schema)}


class McpServer:
    """Answers what comes, through `send`, which may be called in any thread."""

    def __init__(
        self, tools: Sequence[ServedTool], instructions: str, send: Callable[[Rpc], None]
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._instructions = instructions
        self._send = send
        self._lock = threading.Lock()
        self._running: dict[Id, ServedJob] = {}
        self._waiting: dict[str, ServedJob] = {}
        """Jobs that wait for an answer which comes with the same call once more."""
        self._asked: dict[Id, ServedJob] = {}
        """Jobs that wait for an answer of an older client."""
        self._capabilities: Mapping[str, Any] = {}

    def receive(self, message: Rpc) -> None:
        """Something came; it does not wait."""
        match message:
            case Call("", _, _) | Call(_, "", _):
                self._send(Answer(None, fault=Fault(INVALID_PARAMS, "a call needs id and method")))
            case Call():
                self._called(message)
            case Note("notifications/cancelled", {"requestId": int() | str() as number}):
                with self._lock:
                    job = self._running.get(number)
                if job is not None:
                    job.interrupt.request()
            case Answer(int() | str() as number, result):
                with self._lock:
                    waiting = self._asked.pop(number, None)
                if waiting is not None:
                    waiting.reply(result)
            case _:
                return

    def close(self) -> None:
        """Stop everything that runs."""
        with self._lock:
            jobs = [*self._running.values(), *self._waiting.values()]
        for job in jobs:
            job.interrupt.request()

    def _called(self, call: Call) -> None:
        meta = call.params.get("_meta")
        version = meta.get(f"{_META}protocolVersion") if isinstance(meta, dict) else None
        if version is not None and version != MODERN:
            data = {"supported": [MODERN], "requested": str(version)[:40]}
            fault = Fault(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
            self._send(Answer(call.id, fault=fault))
            return
        modern = version == MODERN
        match call.method:
            case "initialize" if not modern:
                self._capabilities = _object(call.params.get("capabilities"))
                self._send(Answer(call.id, self._hello(call.params.get("protocolVersion"))))
            case "ping" if not modern:
                self._send(Answer(call.id, {}))
            case "server/discover" if modern:
                told = {"supportedVersions": [MODERN], **self._about(), **_CACHED}
                self._send(Answer(call.id, _complete(told)))
            case "tools/list":
                listed = {"tools": [tool.listed() for tool in self._tools.values()]}
                told = _complete({**listed, **_CACHED}) if modern else listed
                self._send(Answer(call.id, told))
            case "tools/call":
                self._begin(call, _object(meta), modern=modern)
            case _:
                fault = Fault(METHOD_NOT_FOUND, f"Method not found: {call.method[:80]}")
                self._send(Answer(call.id, fault=fault))

    def _about(self) -> Result:
        return {"capabilities": {"tools": {}}, "instructions": self._instructions}

    def _hello(self, wanted: Any) -> Result:
        version = wanted if wanted in LEGACY else LEGACY[0]
        return {"protocolVersion": version, "serverInfo": _SERVER, **self._about()}

    # Calls of tools.

    def _begin(self, call: Call, meta: Mapping[str, Any], *, modern: bool) -> None:
        try:
            job = self._job(call, meta, modern=modern)
        except ValueError as error:
            self._send(Answer(call.id, fault=Fault(INVALID_PARAMS, str(error))))
            return
        with self._lock:
            if len(self._running) >= MOST_AT_ONCE or call.id in self._running:
                self._send(Answer(call.id, fault=Fault(INTERNAL_ERROR, "too many calls at once")))
                return
            self._running[call.id] = job
        follow = threading.Thread(target=self._follow, args=(call, job, modern), daemon=True)
        follow.start()

    def _job(self, call: Call, meta: Mapping[str, Any], *, modern: bool) -> ServedJob:
        """The job that a call begins, or goes on with; ValueError says what is wrong with it."""
        state = call.params.get("requestState")
        if modern and isinstance(state, str):
            with self._lock:
                waiting = self._waiting.get(state)
                if waiting is None or waiting.tool.name != call.params.get("name"):
                    raise ValueError("There is nothing that waits for this answer.")
                del self._waiting[state]
            replies = _object(call.params.get("inputResponses"))
            waiting.reply(replies.get("approval"))
            return waiting
        tool = self._tools.get(str(call.params.get("name")))
        if tool is None:
            raise ValueError(f"Unknown tool: {str(call.params.get('name'))[:80]}")
        arguments = call.params.get("arguments", {})
        if problem := fault_in(arguments, tool.parameters):
            raise ValueError(f"Wrong arguments for {tool.name}: {problem}.")
        job = ServedJob(tool, dict(arguments))
        capabilities = (
            _object(meta.get(f"{_META}clientCapabilities")) if modern else self._capabilities
        )
        elicitation = capabilities.get("elicitation")
        job.can_ask = isinstance(elicitation, dict) and (not elicitation or "form" in elicitation)
        token = meta.get("progressToken")
        if isinstance(token, int | str):
            job.progress = self._progress(token)
        job.start()
        return job

    def _follow(self, call: Call, job: ServedJob, modern: bool) -> None:
        while True:
            news = job.news.get()
            if not isinstance(news, ServedQuestion):
                self._end(call, _complete(news) if modern else news)
                return
            if modern:
                state = secrets.token_urlsafe(24)
                with self._lock:
                    self._waiting[state] = job
                wanted = {"approval": {"method": "elicitation/create", "params": news.params()}}
                told = {"resultType": "input_required", "inputRequests": wanted}
                self._end(call, {**told, "requestState": state})
                return
            number = f"ask-{secrets.token_hex(8)}"
            with self._lock:
                self._asked[number] = job
            self._send(Call(number, "elicitation/create", news.params()))

    def _end(self, call: Call, result: Result) -> None:
        with self._lock:
            self._running.pop(call.id, None)
        self._send(Answer(call.id, result))

    def _progress(self, token: Id) -> Callable[[str], None]:
        count = 0

        def tell(text: str) -> None:
            nonlocal count
            count += 1
            told = {"progressToken": token, "progress": count, "message": text[:400]}
            with contextlib.suppress(OSError):
                self._send(Note("notifications/progress", told))

        return tell


def text_result(text: str, structured: Mapping[str, Any] | None = None) -> Result:
    """A result of text, with the same as data where there is some."""
    content = [{"type": "text", "text": text}]
    return {"content": content, **({"structuredContent": dict(structured)} if structured else {})}


def _failed(text: str) -> Result:
    return {**text_result(text), "isError": True}


def _complete(result: Result) -> Result:
    return {"resultType": "complete", **result, "_meta": {f"{_META}serverInfo": _SERVER}}


def _object(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}
