"""Servers of tools that live in the program at the other end: their messages go through ours."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from interpreter.headless.control import ControlReply, ControlRequests
from interpreter.mcp.configuration import ToolServerConfig, servers_in
from interpreter.mcp.errors import McpError, ServerGone
from interpreter.mcp.servers import Servers
from interpreter.mcp.transports.arrivals import Arrival, Receiver, StreamEnded
from interpreter.mcp.transports.transport import Transport
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.json.rpc import (
    Call,
    Note,
    NotJsonRpc,
    Rpc,
    RpcAnswer,
    as_object,
    from_object,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class ControlTransport:
    """The way to one of them."""

    def __init__(self, name: str, control: ControlRequests) -> None:
        self._name = name
        self._control = control
        self._closed = False
        self.version = ""
        self.may_resume = False

    @property
    def is_open(self) -> bool:
        """Whether it can be asked something."""
        return not self._closed and self._control.is_open

    def begin(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        """Send a call; its answer is put to the receiver."""
        self._post(call, lambda reply: receiver.put(self._arrival(reply)))

    def send(self, message: Rpc) -> None:
        """Send what is no call; that it arrived is of no interest."""
        self._post(message, lambda reply: None)

    def forget(self, call: Call, *, cancel: bool) -> None:
        """Nobody waits for this answer any more."""
        if cancel and self.is_open:
            with contextlib.suppress(OSError):
                self.send(Note("notifications/cancelled", {"requestId": call.id}))

    def listen(self, receiver: Receiver) -> None:
        """It says nothing unasked."""

    def complaints(self) -> str:
        """It has no such stream."""
        return ""

    def close(self) -> None:
        """It goes on in its program."""
        self._closed = True

    def _post(self, message: Rpc, then: Callable[[ControlReply], None]) -> None:
        wrapped = {"server_name": self._name, "message": as_object(message)}
        self._control.ask({"subtype": "mcp_message", **wrapped}, then)

    def _arrival(self, reply: ControlReply) -> Arrival:
        if reply.kind != "success":
            return StreamEnded(ServerGone(f"{self._name} did not answer: {reply.error}."))
        try:
            found = from_object(reply.response.get("mcp_response"))
        except NotJsonRpc as error:
            return StreamEnded(ServerGone(f"{self._name} sent what is no message: {error}."))
        if isinstance(found, RpcAnswer):
            return found
        return StreamEnded(ServerGone(f"{self._name}: no answer."))


class BroughtServers:
    """The servers of the command line: in the other program, or programs of their own."""

    def __init__(self, entries: Mapping[str, Any], control: ControlRequests) -> None:
        self._control = control
        self._inside = {
            name for name, entry in entries.items()
            if isinstance(entry, dict) and entry.get("type") == "sdk"
        }  # fmt: skip
        others = {name: entry for name, entry in entries.items() if name not in self._inside}
        self.configs = servers_in(
            json.dumps({"mcpServers": others}).encode(), "caller", "--mcp-config"
        )
        for name in self._inside:
            if not _NAME.fullmatch(name):
                raise ConfigurationError(
                    "--mcp-config: a server's name has letters, digits, _, - and ."
                )
            self.configs[name] = ToolServerConfig(name, "caller", always_load=True)

    def get_to_know(self, servers: Servers) -> None:
        """Ask those in the other program for their tools: the model can call these itself."""
        for server in servers:
            if server.config.name in self._inside:
                with contextlib.suppress(McpError):  # its trouble is told where it is asked for
                    server.functions()

    def reach(self, config: ToolServerConfig) -> Transport | None:
        """The way to a server that is in the other program."""
        return ControlTransport(config.name, self._control) if config.name in self._inside else None
