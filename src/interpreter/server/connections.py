"""Connections as such: whoever opens one and says nothing whole is hung up on."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0  # until a request must have begun, with all of its headers


class PromptHttp(H11Protocol):
    """HTTP/1.1 with people who say what they want: else a few could hold all connections for ever.

    Between two requests uvicorn itself waits for some seconds only; this is about the first one,
    and about headers that come byte by byte.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there, and has some seconds."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Some of a request came; of the next one on this connection, perhaps."""
        if self._is_idle() and self._deadline is None:
            self._expect()
        super().data_received(data)

    def handle_events(self) -> None:
        """What came was a whole request, or not."""
        super().handle_events()
        if not self._is_idle():
            self._relax()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """It goes on as a socket."""
        self._relax()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """It went."""
        self._relax()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def allow_open_files(wanted: int) -> None:
    """Have at least so many files and connections at once, as far as the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
