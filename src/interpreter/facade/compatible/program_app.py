"""The application of one interpreter, to which a program adds requests of its own."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from interpreter.server.access.gate import Gate
from interpreter.server.access.tokens import Tokens
from interpreter.server.config import ServerConfig

Work = Callable[..., Any]


class ProgramApp(Gate):
    """A gate with the names that programs know from FastAPI: `@app.get("/ping")` and the like.

    Such a function takes nothing or the request, and returns a response or what JSON can say. The
    token is asked for as everywhere.
    """

    def __init__(self, routes: list[Any], config: ServerConfig, tokens: Tokens) -> None:
        self._starlette = Starlette(routes=routes, lifespan=self._life)
        super().__init__(self._starlette, config, tokens)
        self._handlers: dict[str, list[Work]] = {"startup": [], "shutdown": []}
        self.get = partial(self._adding, "GET")
        self.post = partial(self._adding, "POST")
        self.put = partial(self._adding, "PUT")
        self.patch = partial(self._adding, "PATCH")
        self.delete = partial(self._adding, "DELETE")

    def add_event_handler(self, kind: str, work: Work) -> None:
        """Have something done at the `startup` or the `shutdown`."""
        self._handlers[kind].append(work)

    def _adding(self, method: str, path: str, **options: Any) -> Callable[[Work], Work]:
        def add(work: Work) -> Work:
            takes_request = bool(inspect.signature(work).parameters)

            async def answer(request: Request) -> Response:
                found = await _done(partial(work, request) if takes_request else work)
                return found if isinstance(found, Response) else JSONResponse(found)

            self._starlette.router.routes.append(Route(path, answer, methods=[method]))
            return work

        return add

    @contextlib.asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        for work in self._handlers["startup"]:
            await _done(work)
        yield
        for work in self._handlers["shutdown"]:
            await _done(work)


async def _done(work: Work) -> Any:
    found = work()
    return await found if inspect.isawaitable(found) else found
