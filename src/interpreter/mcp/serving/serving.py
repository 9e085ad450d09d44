"""The other side: we are the server. Both eras at one place, a thread for each call."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from interpreter._version import __version__
from interpreter.mcp.eras import LEGACY, MODERN, UNSUPPORTED_VERSION
from interpreter.mcp.schemas import fault_in
from interpreter.mcp.serving.jobs import (
    Result,
    Run,
    Send,
    ServedCaller,
    ServedFault,
    ServedJob,
    WaitingJobs,
    Wanted,
)
from interpreter.protocol.json.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Call,
    Fault,
    Id,
    Note,
    Rpc,
    RpcAnswer,
)
from interpreter.protocol.values import frozen

MOST_AT_ONCE = 32
META = "io.modelcontextprotocol/"
OLD_ONLY = (
    *("initialize", "ping", "logging/setLevel"),
    *("resources/subscribe", "resources/unsubscribe"),
)
"""Methods that are no longer there since 2026-07-28."""
CACHED = ("server/discover", "resources/read")
"""Methods besides all listings whose results say for how long they hold."""
_SERVER = {"name": "reploop", "version": __version__}


@frozen
class ServedTool:
    """A tool of ours; `run` returns content, or raises an InterpreterError for a failure."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Run
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


@frozen
class Offer:
    """All that a server has: tools, and whatever else it says that it can do."""

    tools: Sequence[ServedTool]
    instructions: str = ""
    methods: Mapping[str, Run] = field(default_factory=dict)
    """Further methods, such as `prompts/list`; each gets the params of its call."""
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    def tool(self, name: Any) -> ServedTool:
        """A tool by its name."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        raise ServedFault(INVALID_PARAMS, f"Unknown tool: {str(name)[:80]}")

    def about(self) -> Result:
        """What both ways of greeting tell."""
        found = {"tools": {}, **self.capabilities}
        return {"capabilities": found, "instructions": self.instructions}


class McpServer:
    """One connection. Whatever is to be said goes through the `send` that came with a message."""

    def __init__(self, offer: Offer, waiting: WaitingJobs | None = None) -> None:
        self._offer = offer
        self._waiting = waiting or WaitingJobs()
        self._lock = threading.Lock()
        self._running: dict[Id, ServedJob] = {}
        self._asked: dict[Id, tuple[ServedJob, str]] = {}
        """Jobs that wait for an answer of an older client."""
        self._capabilities: Mapping[str, Any] = {}

    def receive(self, message: Rpc, send: Send) -> None:
        """Something came; it does not wait. `send` may be called in any thread."""
        match message:
            case Call("", _, _) | Call(_, "", _):
                send(RpcAnswer(None, fault=Fault(INVALID_PARAMS, "a call needs id and method")))
            case Call():
                try:
                    self._called(message, send)
                except ServedFault as error:
                    send(RpcAnswer(message.id, fault=error.fault))
            case Note("notifications/cancelled", {"requestId": int() | str() as number}):
                self.cancel(number)
            case RpcAnswer(int() | str() as number, result):
                with self._lock:
                    job, key = self._asked.pop(number, (None, ""))
                if job is not None:
                    job.reply(key, result)
            case _:
                return

    def cancel(self, number: Id) -> None:
        """Nobody waits for this call any more."""
        with self._lock:
            job = self._running.get(number)
        if job is not None:
            job.interrupt.request()

    def close(self) -> None:
        """Stop everything that runs."""
        with self._lock:
            jobs = [*self._running.values()]
        for job in jobs:
            job.interrupt.request()

    def _called(self, call: Call, send: Send) -> None:
        caller = self._caller(call)
        match call.method:
            case method if caller.modern and method in OLD_ONLY:
                raise _no_method(call)
            case "initialize":
                self._capabilities = _object(call.params.get("capabilities"))
                send(RpcAnswer(call.id, self._hello(call.params.get("protocolVersion"))))
            case "ping":
                send(RpcAnswer(call.id, {}))
            case "server/discover" if caller.modern:
                found = {"supportedVersions": [MODERN], **self._offer.about()}
                send(RpcAnswer(call.id, _complete(found, call.method)))
            case "tools/list":
                listed = {"tools": [tool.listed() for tool in self._offer.tools]}
                send(
                    RpcAnswer(call.id, _complete(listed, call.method) if caller.modern else listed)
                )
            case _:
                self._begin(call, caller, send)

    def _caller(self, call: Call) -> ServedCaller:
        meta = _object(call.params.get("_meta"))
        version = meta.get(f"{META}protocolVersion")
        given = _object(call.params.get("inputResponses"))
        if version is None:
            return ServedCaller(False, meta, self._capabilities, given)
        if version != MODERN:
            data = {"supported": [MODERN], "requested": str(version)[:40]}
            raise ServedFault(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        capabilities = meta.get(f"{META}clientCapabilities")
        if not isinstance(capabilities, dict):
            raise ServedFault(INVALID_PARAMS, f"_meta must have {META}clientCapabilities")
        return ServedCaller(True, meta, capabilities, given)

    def _hello(self, wanted: Any) -> Result:
        version = wanted if wanted in LEGACY else LEGACY[0]
        return {"protocolVersion": version, "serverInfo": _SERVER, **self._offer.about()}

    # Calls that take time.

    def _begin(self, call: Call, caller: ServedCaller, send: Send) -> None:
        with self._lock:
            if len(self._running) >= MOST_AT_ONCE or call.id in self._running:
                raise ServedFault(INTERNAL_ERROR, "too many calls at once")
            job = self._job(call, caller, send)
            self._running[call.id] = job
        follow = threading.Thread(target=self._follow, args=(call, job, send), daemon=True)
        follow.start()

    def _job(self, call: Call, caller: ServedCaller, send: Send) -> ServedJob:
        """The job that a call begins, or goes on with."""
        name = f"{call.method} {call.params.get('name', '')}"[:200]
        state = call.params.get("requestState")
        if caller.modern and isinstance(state, str):
            job, wanted = self._waiting.take(state, name)
            job.send = send
            for key in wanted.requests:
                job.reply(key, caller.given.get(key))
            return job
        if call.method == "tools/call":
            tool = self._offer.tool(call.params.get("name"))
            arguments = call.params.get("arguments", {})
            if problem := fault_in(arguments, tool.parameters):
                raise ServedFault(INVALID_PARAMS, f"Wrong arguments for {tool.name}: {problem}.")
            job = ServedJob(name, tool.run, dict(arguments), caller, send)
        elif call.method in self._offer.methods:
            run = self._offer.methods[call.method]
            job = ServedJob(name, run, dict(call.params), caller, send)
        else:
            raise _no_method(call)
        job.start()
        return job

    def _follow(self, call: Call, job: ServedJob, send: Send) -> None:
        while True:
            news = job.news.get()
            if isinstance(news, Fault):
                self._end(RpcAnswer(call.id, fault=news), send)
                return
            if not isinstance(news, Wanted):
                told = _complete(news, call.method) if job.caller.modern else news
                self._end(RpcAnswer(call.id, told), send)
                return
            if job.caller.modern:
                told = {"resultType": "input_required", "inputRequests": news.listed()}
                state = self._waiting.put(job, news)
                self._end(RpcAnswer(call.id, {**told, "requestState": state}), send)
                return
            for key, (method, params) in news.requests.items():
                number = f"ask-{secrets.token_hex(8)}"
                with self._lock:
                    self._asked[number] = (job, key)
                send(Call(number, method, params))

    def _end(self, answer: RpcAnswer, send: Send) -> None:
        with self._lock:
            job = self._running.pop(answer.id, None) if answer.id is not None else None
            for number in [n for n, (asked, _) in self._asked.items() if asked is job]:
                del self._asked[number]
        send(answer)


def _complete(result: Result, method: str) -> Result:
    cached = method in CACHED or method.endswith("/list")
    # What is offered depends on who calls, so nobody in between may keep it for others.
    hints = {"ttlMs": 300_000, "cacheScope": "private"} if cached else {}
    kept = {**_object(result.get("_meta")), f"{META}serverInfo": _SERVER}
    return {"resultType": "complete", **hints, **result, "_meta": kept}


def _no_method(call: Call) -> ServedFault:
    return ServedFault(METHOD_NOT_FOUND, f"Method not found: {call.method[:80]}")


def _object(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}
