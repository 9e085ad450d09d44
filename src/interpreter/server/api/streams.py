"""The events of a session as they come: over a WebSocket, or as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from interpreter.assembly.live import Gone, Reader
from interpreter.protocol.live import LiveEvent
from interpreter.server.access.tokens import User
from interpreter.server.api.endpoint import refusal
from interpreter.server.api.schema import NUMBER
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub

RESET = '{"n":0,"type":"Reset"}'
STILL_HERE = 15.0  # seconds of silence until a comment shows that the connection is alive


def reader_of(hub: Hub, user: User | None, session: str, after: str) -> Reader[LiveEvent] | None:
    """Reads what comes after a number; None where that is not kept."""
    if user is None:
        raise Refused(401, "unauthorized", "A token is needed.")
    if not NUMBER.fullmatch(after):
        raise Refused(400, "invalid", "'after' must be a number.")
    hub.info(user, session)
    try:
        return hub.log(session).reader(int(after))
    except Gone:
        return None


async def socket(websocket: WebSocket, hub: Hub) -> None:
    """One text frame for each event."""
    asked = websocket.query_params.get("after", "0")
    try:
        reader = reader_of(hub, websocket.state.user, websocket.path_params["id"], asked)
    except Refused as refused:
        await websocket.close(4404 if refused.status == 404 else 4400, str(refused))
        return
    await websocket.accept()
    if reader is None:
        await websocket.send_text(RESET)
        await websocket.close()
        return
    with reader, contextlib.suppress(WebSocketDisconnect):
        sending = asyncio.create_task(_send_all(websocket, reader))
        leaving = asyncio.create_task(_until_it_leaves(websocket))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it has gone already
        await websocket.close()


async def _send_all(websocket: WebSocket, reader: Reader[LiveEvent]) -> None:
    try:
        while found := await reader.some():
            for one in found:
                await websocket.send_text(one.line)
    except Gone:
        await websocket.send_text(RESET)


async def _until_it_leaves(websocket: WebSocket) -> None:
    """What a client says here means nothing, and closing means that it goes."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass


async def server_sent(request: Request, hub: Hub) -> Response:
    """The same as server-sent events."""
    asked = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    try:
        reader = reader_of(hub, request.state.user, request.path_params["id"], asked)
    except Refused as refused:
        return refusal(refused)
    return StreamingResponse(_lines(reader), media_type="text/event-stream")


async def _lines(reader: Reader[LiveEvent] | None) -> AsyncIterator[str]:
    if reader is None:
        yield f"data: {RESET}\n\n"
        return
    with reader:
        yield ": here\n\n"
        while True:
            try:
                found = await asyncio.wait_for(reader.some(), STILL_HERE)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            except Gone:
                yield f"data: {RESET}\n\n"
                return
            if not found:
                return
            yield "".join(f"id: {one.n}\ndata: {one.line}\n\n" for one in found)
