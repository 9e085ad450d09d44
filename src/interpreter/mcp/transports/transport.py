"""The ways to a server, as the client sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from interpreter.mcp.transports.arrivals import Receiver
from interpreter.protocol.json.rpc import Call, Rpc


class Transport(Protocol):
    """Carries calls to a server, and brings what comes for each."""

    version: str
    """The version of the protocol that was agreed on."""
    may_resume: bool
    """Whether a stream that breaks off can be gone on with."""

    @property
    def is_open(self) -> bool:
        """Whether the server can be asked something."""
        ...

    def begin(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        """Send a call; what comes for it is put to the receiver, from another thread."""
        ...

    def send(self, message: Rpc) -> None:
        """Send what is no call."""
        ...

    def forget(self, call: Call, *, cancel: bool) -> None:
        """Nobody waits for this call's answer any more; with `cancel`, the server is told so."""
        ...

    def listen(self, receiver: Receiver) -> None:
        """Hear what an older server says unasked."""
        ...

    def complaints(self) -> str:
        """What the server said that was for no program: the end of it, drawn."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class Exchange(Protocol):
    """One call and its answer."""

    def __call__(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        version: str,
        seconds: float | None = None,
    ) -> Any:
        """The result; McpError if there is none."""
        ...
