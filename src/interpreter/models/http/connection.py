"""One kept connection to a model server: requests out, server-sent events in, stoppable at once."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from interpreter.models.http.provider_errors import (
    Address,
    Transient,
    broken_off,
    gone_silent,
    no_answer,
    nonsense,
    refusal,
)
from interpreter.models.http.waiting import BackgroundCall
from interpreter.models.options import Patience
from interpreter.protocol.interrupt import Interrupt

if TYPE_CHECKING:
    import httpx


LONGEST_EVENT = 64_000_000
_LOADING = threading.Lock()


class EventTooLong(ValueError):
    """One event is larger than anything a model says."""


class EventReader:
    """Splits bytes into the data of events; names of events are not needed by any provider."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that this chunk completes."""
        first, *others = chunk.split(b"\n")
        self._pieces.append(first)
        self._size += len(first)
        if self._size > LONGEST_EVENT:
            raise EventTooLong
        for piece in others:
            line = b"".join(self._pieces) if len(self._pieces) > 1 else self._pieces[0]
            self._pieces, self._size = [piece], len(piece)
            yield from self._line(line.rstrip(b"\r"))

    def finish(self) -> Iterator[bytes]:
        """The last event, for servers that forget the empty line behind it."""
        yield from self._line(b"".join(self._pieces).rstrip(b"\r"))
        yield from self._line(b"")
        self._pieces = []

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif line.startswith(b"{") and not self._data:  # an error in the middle, without framing
            yield line
        elif not line and self._data:
            data, self._data = b"\n".join(self._data), []
            yield data


_LONGEST_REFUSAL = 20_000


class Stopped(Exception):
    """The user asked to stop while we were waiting."""


def is_local(url: str) -> bool:
    """Whether the address is this machine."""
    host = urlsplit(url).hostname or ""
    if host in ("localhost", "::1", "0.0.0.0"):
        return True
    # A number, not a name that begins like one: 127.example.org is somewhere else.
    return host.startswith("127.") and host.replace(".", "").isdecimal()


def load_httpx() -> ModuleType:
    """The library, imported when a model needs it, without its command line.

    The command line would import click, rich and pygments: half of the time it takes to load.
    """
    with _LOADING:  # sessions of a server may begin at the same moment
        loaded = sys.modules.get("httpx")
        if loaded is not None:
            return loaded
        command_line = "httpx._main"
        sys.modules[command_line] = None  # type: ignore[assignment]  # taken as not installed
        try:
            import_module("httpcore")  # which httpx itself imports with the first client
            return import_module("httpx")
        finally:
            del sys.modules[command_line]


class ServerLine:
    """The line to one server. Opened when first used; one request at a time."""

    def __init__(self, address: Address, headers: Mapping[str, str], patience: Patience) -> None:
        self.address = address
        self._headers = {"accept": "text/event-stream, application/json", **headers}
        self._silence = (
            patience.local_silence_seconds if address.is_local else patience.silence_seconds
        )
        self._connect = patience.connect_seconds
        self._client: httpx.Client | None = None
        self._is_kept = False
        load_httpx()  # before anything else competes for the processor with the first request

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()
            self._client = None
            self._is_kept = False

    @contextmanager
    def post(
        self, url: str, body: bytes, interrupt: Interrupt, more: Mapping[str, str] | None = None
    ) -> Iterator[HttpAnswer]:
        """Send a request; Stopped, Transient or Rejected if there is no answer to read."""
        client = self._open()
        headers = {**self._headers, **(more or {}), "content-type": "application/json"}
        request = client.build_request("POST", url, content=body, headers=headers)
        response = self._send(client, request, interrupt)
        try:
            answer = HttpAnswer(response, self.address, interrupt, self._silence)
            with interrupt.calls(answer.cancel):
                answer.refuse_unless_good()
                yield answer
        finally:
            response.close()

    def get(self, url: str) -> Any:
        """A small JSON answer, for questions such as which models there are."""
        httpx = load_httpx()
        try:
            response = self._open().get(url, headers=self._headers, timeout=self._connect)
            response.raise_for_status()
            return response.json()
        except (httpx.HTTPError, ValueError) as error:
            raise no_answer(self.address, str(error)) from error

    def _send(
        self, client: httpx.Client, request: httpx.Request, interrupt: Interrupt
    ) -> httpx.Response:
        httpx = load_httpx()
        try:
            response = self._sent(client, request, interrupt)
        except httpx.ConnectTimeout as error:
            raise Transient(no_answer(self.address, "it takes too long to connect")) from error
        except httpx.ConnectError as error:
            raise self._unreachable(error) from error
        except httpx.TimeoutException as error:
            raise gone_silent(self.address, self._silence) from error
        except httpx.UnsupportedProtocol as error:
            raise no_answer(self.address, "that is no http address") from error
        except httpx.HTTPError as error:
            raise Transient(broken_off(self.address)) from error
        if response is None:
            self.close()  # the abandoned request still owns the connection
            raise Stopped
        return response

    def _sent(
        self, client: httpx.Client, request: httpx.Request, interrupt: Interrupt
    ) -> httpx.Response | None:
        """The response; a kept connection that the server had hung up on is replaced at once."""
        httpx = load_httpx()
        was_kept, self._is_kept = self._is_kept, False
        try:
            response = _waited_for(client, request, interrupt)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            if not was_kept:
                raise
            response = _waited_for(client, request, interrupt)
        self._is_kept = True
        return response

    def _unreachable(self, error: Exception) -> Exception:
        trouble = no_answer(self.address, _plain_reason(error))
        return trouble if self.address.is_local else Transient(trouble)

    def _open(self) -> httpx.Client:
        httpx = load_httpx()
        if self._client is None:
            timeout = httpx.Timeout(self._silence, connect=self._connect)
            # Without TLS no certificates are read; a proxy is no way to this machine itself.
            self._client = httpx.Client(
                timeout=timeout,
                verify=self.address.url.startswith("https:"),
                trust_env=not self.address.is_local,
                limits=httpx.Limits(max_connections=2, max_keepalive_connections=1),
            )
        return self._client


class HttpAnswer:
    """The answer to one request, while it arrives."""

    def __init__(
        self, response: httpx.Response, address: Address, interrupt: Interrupt, silence: float
    ) -> None:
        self._response = response
        self._address = address
        self._interrupt = interrupt
        self._silence = silence

    def cancel(self) -> None:
        """Wake whoever reads: safe in any thread and in a signal handler."""
        stream = self._response.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is None:
            return
        try:
            # Not the TLS socket's own method, which takes its state away under the reader.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return

    def refuse_unless_good(self) -> None:
        """Raise what is wrong if this is not the answer of a model."""
        response = self._response
        if response.status_code != 200:
            body = self._beginning()
            raise refusal(self._address, response.status_code, body, response.headers)
        if response.headers.get("content-type", "").startswith("text/html"):
            raise nonsense(self._address, "a web page")

    def _beginning(self) -> bytes:
        """The first part of the answer, as far as it can be had."""
        body = b""
        try:
            for chunk in self._bytes():
                body += chunk
                if len(body) > _LONGEST_REFUSAL:
                    break
        except Transient:  # the status alone says enough
            return body
        return body

    @property
    def is_whole(self) -> bool:
        """Whether the server sent one JSON value instead of a stream."""
        return "json" in self._response.headers.get("content-type", "")

    def whole(self) -> bytes:
        """The whole answer, for servers that do not stream."""
        pieces, size = [], 0
        for chunk in self._bytes():
            pieces.append(chunk)
            size += len(chunk)
            if size > LONGEST_EVENT:
                raise nonsense(self._address, "an answer without end")
        return b"".join(pieces)

    def events(self) -> Generator[bytes, None, None]:
        """The data of each event."""
        reader = EventReader()
        try:
            for chunk in self._bytes():
                yield from reader.feed(chunk)
        except EventTooLong as error:
            raise nonsense(self._address, "an event without end") from error
        yield from reader.finish()

    def _bytes(self) -> Iterator[bytes]:
        httpx = load_httpx()
        try:
            yield from self._response.iter_bytes()
        except httpx.TimeoutException as error:
            raise gone_silent(self._address, self._silence) from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            if self._interrupt.requested:
                raise Stopped from error
            raise Transient(broken_off(self._address)) from error
        if self._interrupt.requested:
            raise Stopped


def _waited_for(
    client: httpx.Client, request: httpx.Request, interrupt: Interrupt
) -> httpx.Response | None:
    opening = BackgroundCall(lambda: client.send(request, stream=True), lambda late: late.close())
    return opening.result(interrupt)


def _plain_reason(error: Exception) -> str:
    text = str(error).partition("] ")[2] or str(error) or "no connection"
    return text[:1].lower() + text[1:]
