"""The application: every route of the server behind one gate."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from interpreter.server import web_page
from interpreter.server.access.gate import Gate
from interpreter.server.access.tokens import Tokens, User
from interpreter.server.api import data, files, models, sessions, streams, talking
from interpreter.server.api.document import document
from interpreter.server.api.endpoint import Endpoint, refusal
from interpreter.server.api.other_requests import OTHER_REQUESTS, RUN
from interpreter.server.config import ServerConfig
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub
from interpreter.server.lmc.conversation import SessionConversation
from interpreter.server.lmc.routes import LmcRoutes
from interpreter.server.mcp_http import McpHttp
from interpreter.server.mcp_sessions import McpSessions
from interpreter.server.openai.answering import answer_of
from interpreter.server.openai.audio import Audio
from interpreter.server.openai.chat import completions, listed_models
from interpreter.server.openai.responses import responses

LOOK_EVERY = 1.0  # seconds between two looks at who may come in, where nobody comes
ENDPOINTS = (
    *sessions.ENDPOINTS,
    *models.ENDPOINTS,
    *talking.ENDPOINTS,
    *files.ENDPOINTS,
    *data.ENDPOINTS,
)


class Server:
    """Everything that answers, with the sessions behind it."""

    def __init__(self, config: ServerConfig, tokens: Tokens) -> None:
        self.hub = Hub(config)
        self._mcp_sessions = McpSessions(self.hub)
        self._mcp = McpHttp(self._mcp_sessions.offer)
        self._audio = Audio(config.settings)
        self._conversations: dict[str, SessionConversation] = {}
        self._lmc = LmcRoutes(
            lambda token, address: self.gate.checked(token, address),
            self._conversation,
            acknowledge=config.acknowledge,
            insecure=config.insecure_routes,
        )
        self._routes = Starlette(
            routes=self._table(config),
            lifespan=self._life,
            exception_handlers={Refused: self._refused, Exception: self._broken},
        )
        self.gate = Gate(self._routes, config, tokens)

    @property
    def app(self) -> ASGIApp:
        """What a web server runs."""
        return self.gate

    @property
    def routes(self) -> list[Any]:
        """Everything that can be asked for, behind the gate."""
        return list(self._routes.routes)

    def _table(self, config: ServerConfig) -> list[Any]:
        others = (*OTHER_REQUESTS, RUN) if config.insecure_routes else OTHER_REQUESTS
        described = document(ENDPOINTS, others)
        return [
            Route("/heartbeat", heartbeat),
            Route("/", web_page.page),
            Route("/assets/{name}", web_page.asset),
            Route("/frame", web_page.frame),
            Route("/api/openapi.json", lambda request: JSONResponse(described)),
            *self._openai(),
            *self._lmc.routes(),
            *self._mcp.routes(),
            Route("/api/sessions/{id}/events", partial(streams.server_sent, hub=self.hub)),
            WebSocketRoute("/api/sessions/{id}/socket", self._socket),
            *(self._route(endpoint) for endpoint in ENDPOINTS),
        ]

    def _conversation(self, user: User) -> SessionConversation:
        """The one that a user has by Open Interpreter's protocol."""
        if user.name not in self._conversations:
            self._conversations[user.name] = SessionConversation(
                self.hub, user, self._audio.words_in, self._audio.say
            )
        return self._conversations[user.name]

    def _openai(self) -> list[Route]:
        chat = partial(completions, answer_by=partial(answer_of, self.hub))
        return [
            Route("/v1/chat/completions", chat, methods=["POST"]),
            Route("/openai/chat/completions", chat, methods=["POST"]),
            Route(
                "/v1/responses",
                partial(responses, answer_by=partial(answer_of, self.hub)),
                methods=["POST"],
            ),
            Route("/v1/audio/transcriptions", self._audio.transcriptions, methods=["POST"]),
            Route("/v1/audio/speech", self._audio.speech, methods=["POST"]),
            Route("/v1/models", partial(listed_models, hub=self.hub)),
            Route("/v1/models/{name:path}", partial(listed_models, hub=self.hub)),
            Route("/openai/models", partial(listed_models, hub=self.hub)),
        ]

    def _route(self, endpoint: Endpoint) -> Route:
        async def answer(request: Request) -> Response:
            return await endpoint.carry_out(request, self.hub, self.gate)

        return Route(endpoint.path, answer, methods=[endpoint.method])

    async def _socket(self, websocket: WebSocket) -> None:
        await streams.socket(websocket, self.hub)

    @contextlib.asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(work())
            for work in (
                self.hub.park_the_idle,
                self._mcp_sessions.park_the_idle,
                self._watch_users,
            )
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            self._mcp.close()
            await self._mcp_sessions.close()
            await self.hub.close()

    async def _watch_users(self) -> None:
        """End at once what somebody does whose token is no longer good."""
        while True:
            self.gate.look_again()
            while self.gate.ended:
                name = self.gate.ended.pop()
                self._conversations.pop(name, None)
                self._mcp.dismiss(name)
                await self._mcp_sessions.dismiss(name)
                await self.hub.dismiss(name)
            await asyncio.sleep(LOOK_EVERY)

    async def _refused(self, request: Request, error: Exception) -> Response:
        return refusal(error)

    async def _broken(self, request: Request, error: Exception) -> Response:
        return JSONResponse({"error": {"code": "broken", "text": "An error of ours."}}, 500)


async def heartbeat(request: Request) -> Response:
    """Whether anybody is here."""
    return JSONResponse({"status": "alive"})
