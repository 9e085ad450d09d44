"""The only way out of a cell: a proxy that asks before a host is reached for the first time.

It runs outside, on a socket that was made inside, so nothing but that socket crosses the wall.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from interpreter.protocol.values import frozen
from interpreter.sandboxes.host_gate import HostGate
from interpreter.sandboxes.hosts import Target, is_public, target

Resolve = Callable[[str, int], Awaitable[list[str]]]

_LONGEST_HEAD = 1 << 16
_MOST_CONNECTIONS = 128
_SECONDS_FOR_HEAD = 30
_SECONDS_TO_CONNECT = 30


class Blocked(Exception):
    """The request is refused; the text is for the program, the model and the user."""


@frozen
class _Request:
    """The head of a request; `opening` is sent on first, and is empty for a tunnel."""

    target: Target
    opening: bytes


async def public_addresses(host: str, port: int) -> list[str]:
    """The public addresses of a host; what is checked here is what is dialled."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found if is_public(str(entry[4][0]))]


def _parse(head: bytes) -> _Request:
    text = head.decode("latin-1")
    line, *headers = text.removesuffix("\r\n\r\n").split("\r\n")
    if any(character in text.replace("\r\n", "") for character in "\r\n\0"):
        raise Blocked("the request is malformed")
    method, _, rest = line.partition(" ")
    where, _, version = rest.partition(" ")
    if not version.startswith("HTTP/1.") or not method.isascii() or not method.isalpha():
        raise Blocked("the request is malformed")
    if method == "CONNECT":
        return _Request(_target(where), b"")
    if not where.startswith("http://"):
        raise Blocked("only http and https get out")
    authority, slash, path = where.removeprefix("http://").partition("/")
    wanted = _target(authority if ":" in authority else f"{authority}:80")
    dropped = ("host:", "connection:", "proxy-", "keep-alive:", "upgrade:")
    kept = [header for header in headers if not header.lower().startswith(dropped)]
    own = [f"{method} {slash or '/'}{path} HTTP/1.1", f"Host: {authority}", "Connection: close"]
    return _Request(wanted, "\r\n".join([*own, *kept, "", ""]).encode("latin-1"))


def _target(authority: str) -> Target:
    host, _, port = authority.rpartition(":")
    try:
        return target(host, port)
    except ValueError as error:
        raise Blocked(str(error)) from error


class NetworkProxy:
    """Serves one cell. A refusal says why, to the program itself."""

    def __init__(self, gate: HostGate, resolve: Resolve = public_addresses) -> None:
        self._gate = gate
        self._resolve = resolve
        self._asking: dict[Target, asyncio.Future[None]] = {}
        self._clients: set[asyncio.Task[None] | None] = set()
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None

    def serve(self, listener: socket.socket) -> None:
        """Answer on this socket from now on, in a thread of its own."""
        listener.setblocking(False)
        self._thread = threading.Thread(
            target=self._run, args=(listener,), name="network-proxy", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop, and cut the connections that are open."""
        if self._thread is None:
            self._loop.close()
            return
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(10)

    def _stop(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()

    def _run(self, listener: socket.socket) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._accept(listener))
        self._loop.run_until_complete(_ended(asyncio.all_tasks(self._loop)))
        self._loop.close()

    async def _accept(self, listener: socket.socket) -> None:
        slots = asyncio.Semaphore(_MOST_CONNECTIONS)

        async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with self._held(), contextlib.suppress(asyncio.CancelledError):  # the cell closes
                async with slots:
                    await self._client(reader, writer)

        server = await asyncio.start_server(client, sock=listener, limit=_LONGEST_HEAD)
        async with server:
            await server.serve_forever()

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Hold on to the task that serves a connection.

        Once the program has sent everything, nothing else does, and garbage collection would end
        the connection before its answer comes.
        """
        task = asyncio.current_task()
        self._clients.add(task)
        try:
            yield
        finally:
            self._clients.discard(task)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_SECONDS_FOR_HEAD):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._relay(_parse(head), reader, writer)
        except Blocked as reason:
            writer.write(_refusal(f"403 Blocked by the sandbox: {reason}"))
        except (OSError, TimeoutError) as error:
            writer.write(
                _refusal(f"502 Not reached by the sandbox's proxy: {type(error).__name__}")
            )
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # it hung up, or never meant to send a request
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _relay(
        self, request: _Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self._permit(request.target)
        addresses = await self._resolve(request.target.host, request.target.port)
        if not addresses:
            raise Blocked(f"{request.target} has no public address")
        async with asyncio.timeout(_SECONDS_TO_CONNECT):
            far, near = await asyncio.open_connection(addresses[0], request.target.port)
        try:
            if request.opening:
                near.write(request.opening)
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            count = partial(self._gate.note_traffic, request.target)
            count(0)
            await asyncio.gather(_pump(reader, near, count), _pump(far, writer, count))
        finally:
            near.close()

    async def _permit(self, wanted: Target) -> None:
        """Return if the target is allowed now; ask once, however many connections want it."""
        if not self._gate.allows(wanted) and self._gate.may_ask(wanted):
            if wanted not in self._asking:
                self._asking[wanted] = self._ask(wanted)
            await asyncio.shield(self._asking[wanted])
        if not self._gate.allows(wanted):
            self._gate.note_refusal(wanted)
            why = self._gate.denial(wanted) or "the user must allow it"
            raise Blocked(f"{wanted} is not allowed: {why}; do not try again")

    def _ask(self, wanted: Target) -> asyncio.Future[None]:
        """Ask in a thread that nobody waits for when the session ends first."""
        future: asyncio.Future[None] = self._loop.create_future()

        def settle() -> None:
            del self._asking[wanted]
            if not future.done():
                future.set_result(None)

        def ask() -> None:
            try:
                self._gate.ask(wanted)
            finally:
                with contextlib.suppress(RuntimeError):  # the proxy is closed
                    self._loop.call_soon_threadsafe(settle)

        threading.Thread(target=ask, name="ask-host", daemon=True).start()
        return future


async def _ended(tasks: set[asyncio.Task[object]]) -> None:
    """Wait for connections that were cut."""
    await asyncio.gather(*tasks, return_exceptions=True)


def _refusal(status: str) -> bytes:
    body = status.partition(" ")[2] + "\n"
    headers = f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close"
    return f"HTTP/1.1 {status}\r\n{headers}\r\n\r\n{body}".encode("latin-1", "replace")


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: Callable[[int], None]
) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(1 << 16):
            count(len(piece))
            writer.write(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
