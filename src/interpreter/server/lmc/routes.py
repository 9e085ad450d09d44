"""Open Interpreter's server protocol: a WebSocket at `/`, and a few requests beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from interpreter.protocol import safe_files
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.json.codec import bounded_json
from interpreter.server.access.gate import MOST_OF_A_STRANGER, address_of
from interpreter.server.access.tokens import User
from interpreter.server.api.endpoint import refusal
from interpreter.server.api.files import refused
from interpreter.server.errors import Refused
from interpreter.server.lmc.conversation import ChunkConversation
from interpreter.server.lmc.pipe import Chunk
from interpreter.server.ranges import download

MOST_VALUES = 200_000
SIGN_IN_SECONDS = 10.0
MOST_STRANGERS = 32  # sockets at once that have not signed in
ACK_SECONDS = 5.0
MOST_TRIES = 20
SignIn = Callable[[str, str], User]
"""Whose token this is, from this address; Refused for a wrong one."""
Find = Callable[[User], ChunkConversation]


class LmcRoutes:
    """The routes, around conversations that `find` knows."""

    def __init__(
        self, sign_in: SignIn, find: Find, *, acknowledge: bool = False, insecure: bool = False
    ) -> None:
        self._sign_in = sign_in
        self._find = find
        self.acknowledge = acknowledge
        """Whether clients must acknowledge each chunk; it holds for those who come from now on."""
        self._insecure = insecure
        self._sockets: dict[str, _Line] = {}
        self._strangers = 0
        self._unsent: defaultdict[str, deque[Chunk | bytes]] = defaultdict(deque)

    def routes(self) -> list[Any]:
        """What a server mounts."""
        found: list[Any] = [
            WebSocketRoute("/", self._socket),
            Route("/", self._answered(self._post), methods=["POST"]),
            Route("/settings", self._answered(self._change), methods=["POST"]),
            Route("/settings/{name}", self._answered(self._shown)),
            Route("/upload", self._answered(self._upload), methods=["POST"]),
            Route("/download/{name:path}", self._answered(self._download)),
        ]
        if self._insecure:
            found.append(Route("/run", self._answered(self._run), methods=["POST"]))
        return found

    # The socket.

    async def _socket(self, websocket: WebSocket) -> None:
        known: User | None = websocket.state.user
        if known is None and self._strangers >= MOST_STRANGERS:
            await websocket.close(4429)
            return
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            user = await (self._signed_in(websocket) if known else self._met(websocket))
            if user is None:
                await websocket.close(4401)
                return
            websocket.state.user = user
            if before := self._sockets.get(user.name):
                await before.leave()  # one client at a time: an answer is not split among several
            line = _Line(websocket, self._find(user), self._unsent[user.name], self.acknowledge)
            self._sockets[user.name] = line
            await line.talk()

    async def _met(self, websocket: WebSocket) -> User | None:
        """The same for somebody unknown, who has some seconds, and is one of few."""
        self._strangers += 1
        try:
            return await asyncio.wait_for(self._signed_in(websocket), SIGN_IN_SECONDS)
        except TimeoutError:
            return None
        finally:
            self._strangers -= 1

    async def _signed_in(self, websocket: WebSocket) -> User | None:
        """The first words must be a token; after too many wrong ones the line is closed."""
        known: User | None = websocket.state.user
        while True:
            try:
                said = (await websocket.receive_text()).encode()
                if known is None and len(said) > MOST_OF_A_STRANGER:
                    return None
                given = bounded_json(said, MOST_VALUES)
                token = given.get("auth", "") if isinstance(given, dict) else ""
                user = known or self._sign_in(str(token), address_of(websocket.scope))
            except (ValueError, RecursionError, KeyError):
                await websocket.send_json({"auth": False})
            except Refused as wrong:
                await websocket.send_json({"auth": False})
                if wrong.status == 429:
                    return None
            else:
                await websocket.send_json({"auth": True})
                return user

    # Requests.

    def _answered(self, work: Callable[[Request, ChunkConversation], Any]) -> Any:
        async def answer(request: Request) -> Response:
            try:
                found: Response = await work(request, self._find(request.state.user))
            except (Refused, InterpreterError) as error:
                return refusal(error)
            return found

        return answer

    async def _post(self, request: Request, talk: ChunkConversation) -> Response:
        await talk.input(await _object(request))
        return JSONResponse({"status": "success"})

    async def _change(self, request: Request, talk: ChunkConversation) -> Response:
        await talk.change(await _object(request))
        return JSONResponse({"status": "success"})

    async def _shown(self, request: Request, talk: ChunkConversation) -> Response:
        name = request.path_params["name"]
        return JSONResponse({name: talk.shown(name)})

    async def _run(self, request: Request, talk: ChunkConversation) -> Response:
        body = await _object(request)
        language, code = body.get("language"), body.get("code")
        if not isinstance(language, str) or not isinstance(code, str):
            raise Refused(400, "invalid", "'language' and 'code' must be texts.")
        return JSONResponse({"output": await talk.run_code(language, code)})

    async def _upload(self, request: Request, talk: ChunkConversation) -> Response:
        async with request.form(max_files=1, max_fields=2) as form:
            file, path = form.get("file"), form.get("path")
            if not isinstance(file, UploadFile) or not isinstance(path, str):
                raise Refused(400, "invalid", "There must be a 'file' and its 'path'.")
            try:
                await _kept(file, _place(talk, path))
            except OSError as error:
                raise refused(error) from error
        return JSONResponse({"status": "success"})

    async def _download(self, request: Request, talk: ChunkConversation) -> Response:
        place = _place(talk, request.path_params["name"])
        try:
            return download(request, safe_files.opened(place), place.name)
        except OSError as error:
            raise refused(error) from error


async def _kept(file: UploadFile, place: Path) -> None:
    with safe_files.drafted(place, mode=0o644) as target:
        while piece := await file.read(1 << 20):
            target.write(piece)


def _place(talk: ChunkConversation, path: str) -> Path:
    """A path in the workspace, given relative to it or whole."""
    workspace = talk.workspace()
    parts = path.removeprefix(f"{workspace}/").split("/")
    if ".." in parts or "\0" in path or parts[0] == "" or parts[-1] == "":
        raise Refused(403, "forbidden", "A path must lead into the workspace.")
    return workspace.joinpath(*parts)


async def _object(request: Request) -> dict[str, Any]:
    try:
        body = bounded_json(await request.body(), MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "invalid", "The body is not JSON.") from error
    if not isinstance(body, dict):
        raise Refused(400, "invalid", "The body must be an object.")
    return body


class _Line:
    """One socket that has signed in."""

    def __init__(
        self,
        websocket: WebSocket,
        talk: ChunkConversation,
        unsent: deque[Chunk | bytes],
        acknowledge: bool,
    ) -> None:
        self._websocket = websocket
        self._talk = talk
        self._unsent = unsent
        self._acknowledge = acknowledge
        self._acknowledged: dict[str, asyncio.Event] = {}
        self._sending: asyncio.Task[None] | None = None

    async def talk(self) -> None:
        """Pass on what comes from both sides, until the client leaves."""
        self._sending = asyncio.create_task(self._send())
        try:
            while True:
                await self._take(await self._websocket.receive())
        finally:
            await self.leave()

    async def leave(self) -> None:
        """Send nothing more."""
        if self._sending is not None:
            self._sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await self._sending

    async def _take(self, message: Any) -> None:
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        if message.get("bytes") is not None:
            await self._put(message["bytes"])
            return
        try:
            chunk = bounded_json(message["text"].encode(), MOST_VALUES)
        except (ValueError, RecursionError):
            chunk = None
        if not isinstance(chunk, dict):
            await self._send_error("A message must be a JSON object.")
        elif "ack" in chunk:
            if known := self._acknowledged.get(str(chunk["ack"])):
                known.set()
        else:
            await self._put(chunk)

    async def _put(self, chunk: Chunk | bytes) -> None:
        try:
            await self._talk.input(chunk)
        except Refused as refused:
            await self._send_error(str(refused))

    async def _send_error(self, text: str) -> None:
        await self._websocket.send_json({"role": "server", "type": "error", "content": text})

    async def _send(self) -> None:
        while True:
            if not self._unsent:
                self._unsent.append(await self._talk.output())
            chunk = self._unsent[0]  # it stays for the next client, should this one be gone
            if isinstance(chunk, bytes):
                await self._websocket.send_bytes(chunk)
            elif not self._acknowledge:
                await self._websocket.send_text(json.dumps(chunk))
            elif not await self._sent_until_acknowledged({**chunk, "id": token_hex(8)}):
                await self._websocket.close(4408)
                return
            self._unsent.popleft()

    async def _sent_until_acknowledged(self, chunk: dict[str, Any]) -> bool:
        arrived = self._acknowledged[chunk["id"]] = asyncio.Event()
        try:
            for _ in range(MOST_TRIES):
                await self._websocket.send_text(json.dumps(chunk))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(arrived.wait(), ACK_SECONDS)
                    return True
        finally:
            del self._acknowledged[chunk["id"]]
        return False
