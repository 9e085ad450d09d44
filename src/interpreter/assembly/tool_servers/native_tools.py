"""Tools of servers that the model calls one by one: those whose entry says `alwaysLoad`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interpreter.mcp.catalogue import ToolFunction
from interpreter.mcp.schemas import fault_in
from interpreter.mcp.servers import Servers, ToolServer
from interpreter.mcp.transports.arrivals import LargeAnswer
from interpreter.protocol.actions import Asks, Decision
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.events import (
    ApprovalRequested,
    ExecutionFinished,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Action, ActionCall
from interpreter.protocol.ports import CallPolicy, Tool, ToolContext, ToolSpec

MOST, MOST_FOR_SMALL = 40, 5
LONGEST_NAME = 64
LONGEST_TEXT = 1_000
LONGEST_RESULT = 20_000


def native_tools(
    servers: Servers,
    policy: Callable[[], CallPolicy],
    origin: Callable[[Mapping[str, Any]], str] = lambda arguments: "",
    *,
    small: bool,
) -> Iterator[Tool]:
    """Those that are known and approved; a server is not started to ask for them."""
    left = MOST_FOR_SMALL if small else MOST
    for server in servers:
        known = server.functions() if server.config.always_load and server.is_known else ()
        for function in known[:left]:
            yield NativeTool(server, function, policy, origin)
        left -= len(known[:left])


class NativeTool:
    """One tool of a server, under a name that every provider takes."""

    def __init__(
        self,
        server: ToolServer,
        function: ToolFunction,
        policy: Callable[[], CallPolicy],
        origin: Callable[[Mapping[str, Any]], str],
    ) -> None:
        name = f"{function.server}__{function.name}"[:LONGEST_NAME]
        schema = json.dumps(function.tool.input_schema)
        self.spec = ToolSpec(name, function.document()[:LONGEST_TEXT], schema)
        self._server = server
        self._function = function
        self._policy = policy
        self._origin = origin

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Call it, unless a rule about the function of the same name forbids that."""
        try:
            arguments = json.loads(action.arguments) if isinstance(action, ActionCall) else None
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            yield ExecutionFinished("invalid", "The arguments are no JSON object.")
            return
        if fault := fault_in(arguments, self._function.tool.input_schema):
            yield ExecutionFinished("invalid", f"Wrong arguments: {fault}.")
            return
        decision = yield from self._ruled(arguments, context)
        if not decision.allows:
            yield ExecutionFinished("declined", decision.reason or "the user said no")
            return
        try:
            found = self._server.call(self._function.name, arguments, context.interrupt)
        except InterpreterError as error:
            yield ExecutionFinished("failed", str(error))
            return
        yield OutputDelta(_told(found))
        failed = not isinstance(found, LargeAnswer) and found.get("isError")
        yield ExecutionFinished("failed" if failed else "ok")

    def _ruled(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """What the rules say about it under its name in code; the turn has asked about the rest."""
        call = ActionCall(self._function.full_name, json.dumps(arguments))
        origin = self._origin(arguments)
        asks: Asks = "from what was read" if origin else False
        verdict = self._policy().review_call(call, asks=asks)
        if verdict.ruling == "allow":
            return Decision("yes")
        if verdict.ruling == "deny":
            return Decision("no", verdict.reason or "a rule forbids it")
        why = f"What it is given may leave this machine: {origin}." if origin else ""
        request = ApprovalRequested(call, " ".join(filter(None, (verdict.reason, why))))
        yield request
        return context.approve(request)


def _told(found: Mapping[str, Any] | LargeAnswer) -> str:
    """A result as the model reads it; a huge one is for code."""
    if isinstance(found, LargeAnswer):
        found.file.close()
        return f"[{found.size} bytes; call it from code to work on them]\n"
    structured = found.get("structuredContent")
    parts = [json.dumps(structured, ensure_ascii=False)] if structured is not None else []
    for part in (found.get("content") or ()) if structured is None else ():
        kind = part.get("type") if isinstance(part, dict) else None
        parts.append(str(part.get("text", "")) if kind == "text" else f"[{kind}]")
    text = "\n".join(parts)
    left = len(text) - LONGEST_RESULT
    more = f"\n[{left} characters more; call it from code to work on them]" if left > 0 else ""
    return f"{text[:LONGEST_RESULT]}{more}\n"
