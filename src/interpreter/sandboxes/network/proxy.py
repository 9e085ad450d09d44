"""The only way out of a cell: a proxy that asks before a host is reached for the first time.

It runs outside, on a socket that was made inside, so nothing but that socket crosses the wall.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import re
import socket
import threading
from collections.abc import Awaitable, Callable
from functools import partial

from interpreter.protocol.values import frozen
from interpreter.sandboxes.network.host_gate import MOST_IN_A_QUESTION, HostGate
from interpreter.sandboxes.network.hosts import Target, is_public, target

Resolve = Callable[[str, int], Awaitable[list[str]]]

LONGEST_HEAD = 1 << 16
MOST_CONNECTIONS = 64  # each takes two of our descriptors; more wait until one is free
SECONDS_FOR_HEAD = 30
SECONDS_TO_CONNECT = 30
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:")
_ALL_DESCRIPTORS_USED = 0.1  # seconds until it is tried again to let somebody in


class Blocked(Exception):
    """The request is refused; the text is for the program, the model and the user."""


class Stranger(Exception):
    """Somebody without the password; nobody is asked about what they want."""


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
    if not all(map(_HEADER.match, headers)):  # some servers see a Host where we see none
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


def _check_password(head: bytes, password: str) -> None:
    """Stranger, unless the head has it; who has it may use any name."""
    for header in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = header.partition(":")
        scheme, _, coded = value.strip().partition(" ")
        if name.lower() != "proxy-authorization" or scheme.lower() != "basic":
            continue
        with contextlib.suppress(ValueError):
            given = base64.b64decode(coded.strip(), validate=True).partition(b":")[2]
            if hmac.compare_digest(given, password.encode()):
                return
    raise Stranger


class NetworkProxy:
    """Serves one cell. A refusal says why, to the program itself.

    Where other programs can reach its socket, they need a password.
    """

    def __init__(
        self, gate: HostGate, resolve: Resolve = public_addresses, *, password: str = ""
    ) -> None:
        self._gate = gate
        self._resolve = resolve
        self._password = password
        self._asking: dict[Target, asyncio.Future[None]] = {}
        self._next_question: list[Target] = []
        self._is_asking = False
        self._clients: set[asyncio.Task[None]] = set()
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
        with contextlib.suppress(asyncio.CancelledError), listener:
            self._loop.run_until_complete(self._accept(listener))
        self._loop.run_until_complete(_ended(asyncio.all_tasks(self._loop)))
        self._loop.close()

    async def _accept(self, listener: socket.socket) -> None:
        """Let programs in for as long as there is room; the others wait outside, uncounted."""
        slots = asyncio.Semaphore(MOST_CONNECTIONS)
        while True:
            await slots.acquire()
            try:
                line, _ = await self._loop.sock_accept(listener)
            except OSError:
                slots.release()
                await asyncio.sleep(_ALL_DESCRIPTORS_USED)
                continue
            # Once the program has sent everything, nothing else holds the task, and garbage
            # collection would end the connection before its answer comes.
            task = self._loop.create_task(self._serve_one(line))
            self._clients.add(task)
            task.add_done_callback(self._clients.discard)
            task.add_done_callback(lambda _: slots.release())

    async def _serve_one(self, line: socket.socket) -> None:
        reader = asyncio.StreamReader(LONGEST_HEAD)
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            transport, _ = await self._loop.connect_accepted_socket(lambda: protocol, line)
        except BaseException:
            line.close()
            raise
        with contextlib.suppress(asyncio.CancelledError):  # the cell closes
            await self._client(
                reader, asyncio.StreamWriter(transport, protocol, reader, self._loop)
            )

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(SECONDS_FOR_HEAD):
                head = await reader.readuntil(b"\r\n\r\n")
            if self._password:
                _check_password(head, self._password)
            await self._relay(_parse(head), reader, writer)
        except Stranger:
            writer.write(
                _refusal(
                    "407 This proxy is not for you", 'Proxy-Authenticate: Basic realm="sandbox"'
                )
            )
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
        async with asyncio.timeout(SECONDS_TO_CONNECT):
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
                self._asking[wanted] = self._loop.create_future()
                self._next_question.append(wanted)
                self._ask()
            await asyncio.shield(self._asking[wanted])
        if not self._gate.allows(wanted):
            self._gate.note_refusal(wanted)
            why = self._gate.reason(wanted)
            raise Blocked(f"{wanted} is not allowed: {why}")

    def _ask(self) -> None:
        """Ask about all that wait, if no other question is open, in a thread nobody waits for."""
        if self._is_asking or not self._next_question:
            return
        self._is_asking = True
        question = self._next_question[:MOST_IN_A_QUESTION]
        del self._next_question[:MOST_IN_A_QUESTION]

        def ask() -> None:
            try:
                self._gate.ask(question)
            finally:
                with contextlib.suppress(RuntimeError):  # the proxy is closed
                    self._loop.call_soon_threadsafe(self._answered, question)

        threading.Thread(target=ask, name="ask-host", daemon=True).start()

    def _answered(self, question: list[Target]) -> None:
        self._is_asking = False
        hopeless = [one for one in self._next_question if not self._gate.may_ask(one)]
        self._next_question = [one for one in self._next_question if one not in hopeless]
        for wanted in (*question, *hopeless):
            future = self._asking.pop(wanted)
            if not future.done():
                future.set_result(None)
        self._ask()


async def _ended(tasks: set[asyncio.Task[object]]) -> None:
    """Wait for connections that were cut."""
    await asyncio.gather(*tasks, return_exceptions=True)


def _refusal(status: str, *more: str) -> bytes:
    body = status.partition(" ")[2] + "\n"
    usual = ("Content-Type: text/plain", f"Content-Length: {len(body)}", "Connection: close")
    lines = (f"HTTP/1.1 {status}", *usual, *more, "", body)
    return "\r\n".join(lines).encode("latin-1", "replace")


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
