"""MCP over HTTP, streamable and in both eras: a call is a request, and what it says is a stream."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from interpreter.mcp.eras import LEGACY, MODERN, MODERN_FAULTS
from interpreter.mcp.listings import read_tool
from interpreter.mcp.serving.jobs import ServedFault, WaitingJobs
from interpreter.mcp.serving.serving import META, McpServer, Offer
from interpreter.mcp.transports.headers import headed, is_value
from interpreter.protocol.json.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Call,
    Fault,
    Note,
    NotJsonRpc,
    Rpc,
    RpcAnswer,
    decoded,
    encoded,
)
from interpreter.server.access.tokens import User

PATH = "/mcp"
SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
HEADER_MISMATCH = -32020
PATIENCE = 1.0  # seconds until an answer that is not there yet becomes a stream
BREATH = 15.0  # seconds between signs of life on a stream
MOST_CONNECTIONS = 64  # of older clients, for each user
MOST_NOTES = 1_000  # that wait for a client that does not read
STATUS = {METHOD_NOT_FOUND: 404, INVALID_PARAMS: 400, **dict.fromkeys(MODERN_FAULTS, 400)}


class _Door:
    """What one user's clients share."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        self.waiting = WaitingJobs()
        self.connections: dict[str, McpServer] = {}

    def connect(self) -> tuple[str, McpServer]:
        """A connection for an older client; of too many, the first ends."""
        name = secrets.token_urlsafe(24)
        self.connections[name] = connection = McpServer(self.offer, self.waiting)
        if len(self.connections) > MOST_CONNECTIONS:
            self.connections.pop(next(iter(self.connections))).close()
        return name, connection

    def close(self) -> None:
        """Stop everything."""
        self.waiting.close()
        for connection in self.connections.values():
            connection.close()


class McpHttp:
    """The route, for any offer. Who may come in is the gate's matter."""

    def __init__(self, offer: Callable[[User], Offer]) -> None:
        self._offer = offer
        self._doors: dict[str, _Door] = {}

    def routes(self) -> list[Route]:
        """Where clients find it; a stream that is only heard (GET) is not offered."""
        return [Route(PATH, self._answer, methods=["POST", "DELETE"])]

    def close(self) -> None:
        """Stop everything."""
        for door in self._doors.values():
            door.close()

    def dismiss(self, name: str) -> None:
        """Stop everything of one user."""
        if (door := self._doors.pop(name, None)) is not None:
            door.close()

    async def _answer(self, request: Request) -> Response:
        user: User = request.state.user
        if user.name not in self._doors:
            self._doors[user.name] = _Door(self._offer(user))
        door = self._doors[user.name]
        if request.method == "DELETE":
            connection = door.connections.pop(request.headers.get(SESSION, ""), None)
            if connection is not None:
                connection.close()
            return Response(status_code=204 if connection else 404)
        try:
            message = decoded(await request.body())
        except NotJsonRpc as error:
            return _plain(RpcAnswer(None, fault=Fault(PARSE_ERROR, str(error))), 400)
        if _is_modern(message, request):
            return await self._modern(message, request, door)
        return await self._older(message, request, door)

    async def _modern(self, message: Rpc, request: Request, door: _Door) -> Response:
        if not isinstance(message, Call):
            return Response(status_code=202)
        try:
            _check_headers(message, request, door.offer)
        except ServedFault as error:
            return _plain(RpcAnswer(message.id, fault=error.fault), 400)
        exchange = _Exchange(message, McpServer(door.offer, door.waiting), modern=True)
        return await exchange.response()

    async def _older(self, message: Rpc, request: Request, door: _Door) -> Response:
        headers = {}
        if isinstance(message, Call) and message.method == "initialize":
            name, connection = door.connect()
            headers[SESSION] = name
        else:
            found = door.connections.get(request.headers.get(SESSION, ""))
            if found is None:
                status = 404 if SESSION in request.headers else 400
                told = f"There is no such session; initialize first, or speak {MODERN}."
                number = message.id if isinstance(message, Call) else None
                return _plain(RpcAnswer(number, fault=Fault(INVALID_REQUEST, told)), status)
            connection = found
        if not isinstance(message, Call):
            connection.receive(message, lambda answer: None)
            return Response(status_code=202)
        return await _Exchange(message, connection, modern=False).response(headers)


class _Exchange:
    """One call and all that is said for it: a plain answer if it is quick, else a stream."""

    def __init__(self, call: Call, server: McpServer, *, modern: bool) -> None:
        self._call, self._server, self._modern = call, server, modern
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Rpc] = asyncio.Queue()

    async def response(self, headers: dict[str, str] | None = None) -> Response:
        """Begin, and say what there is to say."""
        self._server.receive(self._call, self._send)
        first = await self._next(PATIENCE)
        if isinstance(first, RpcAnswer):
            code = first.fault.code if first.fault and self._modern else 0
            return _plain(first, STATUS.get(code, 200), headers)
        more = {**(headers or {}), "x-accel-buffering": "no"}
        return StreamingResponse(self._stream(first), headers=more, media_type="text/event-stream")

    async def _stream(self, first: Rpc | None) -> AsyncIterator[bytes]:
        said = first
        try:
            while True:
                yield b": still here\n\n" if said is None else _event(said)
                if isinstance(said, RpcAnswer):
                    return
                said = await self._next(BREATH)
        finally:
            if self._modern and not isinstance(said, RpcAnswer):  # closing is how one cancels
                self._server.cancel(self._call.id)

    async def _next(self, seconds: float) -> Rpc | None:
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self._queue.get(), seconds)
        return None

    def _send(self, message: Rpc) -> None:
        if isinstance(message, Note) and self._queue.qsize() > MOST_NOTES:
            return
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._queue.put_nowait, message)


def _is_modern(message: Rpc, request: Request) -> bool:
    version = request.headers.get(VERSION, "")
    return bool(version and version not in LEGACY) or (
        isinstance(message, Call) and _version_in(message) is not None
    )


def _check_headers(call: Call, request: Request, offer: Offer) -> None:
    """ServedFault if the headers do not say what the call itself says."""
    version = _version_in(call)
    if version is None:
        raise ServedFault(INVALID_PARAMS, f"_meta must have {META}protocolVersion")
    tool = None
    if call.method == "tools/call":
        with contextlib.suppress(ServedFault):  # it is told where it is called
            tool = read_tool(offer.tool(call.params.get("name")).listed())
    expected = {VERSION: str(version), **headed(call.method, call.params, tool)}
    for name, text in expected.items():
        header = request.headers.get(name.lower())
        if not is_value(header.strip() if header is not None else None, text):
            raise ServedFault(HEADER_MISMATCH, f"The header {name} does not say what the call says")


def _version_in(call: Call) -> Any:
    meta = call.params.get("_meta")
    return meta.get(f"{META}protocolVersion") if isinstance(meta, dict) else None


def _plain(answer: RpcAnswer, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(encoded(answer), status, headers, media_type="application/json")


def _event(message: Rpc) -> bytes:
    return b"event: message\ndata: " + encoded(message) + b"\n\n"
