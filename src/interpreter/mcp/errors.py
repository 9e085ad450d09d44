"""What can go wrong between us and a server, as errors whose text is for the user and the model."""

from __future__ import annotations

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.json.rpc import Fault
from interpreter.protocol.visible import sentence


class McpError(InterpreterError):
    """Something that a server of tools did, or did not do."""


class ServerGone(McpError):
    """The server ended, hung up, or cannot be reached; another start may help."""


class ServerRefused(ServerGone):
    """A server at an address answered with a status and nothing that we understand."""

    def __init__(self, server: str, status: int) -> None:
        super().__init__(f"{server} answered with the status {status}.")
        self.status = status


class ServerMisbehaves(McpError):
    """The server says what it must not say; it is not listened to any longer."""


class ServerTimedOut(McpError):
    """The server did not answer in time."""


class CallStopped(McpError):
    """The user asked to stop."""


class ServerCallFailed(McpError):
    """The server answered with a fault."""

    def __init__(self, server: str, fault: Fault) -> None:
        super().__init__(f"{server}: {sentence(fault.message)} ({fault.code})")
        self.fault = fault


class NeedsLogin(McpError):
    """The server wants to know who we are; `challenge` is its WWW-Authenticate header."""

    def __init__(self, server: str, challenge: str = "", status: int = 401) -> None:
        super().__init__(f"{server} wants a login; run: interpreter mcp login {server}")
        self.challenge = challenge
        self.status = status
