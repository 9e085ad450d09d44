"""One request that can be made: how it is checked, carried out, answered and documented."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from interpreter.assembly.live import Busy
from interpreter.protocol.errors import CheckpointConflict, InterpreterError
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen
from interpreter.server.access.gate import Gate
from interpreter.server.access.tokens import User
from interpreter.server.api.schema import Schema, from_text, problem
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub

MOST_VALUES = 200_000
logger = logging.getLogger(__name__)


@frozen
class EndpointCall:
    """A request that has been checked."""

    request: Request
    hub: Hub
    gate: Gate
    body: dict[str, Any]
    query: dict[str, Any]

    @property
    def user(self) -> User:
        """Who asks."""
        user: User | None = self.request.state.user
        if user is None:
            raise Refused(401, "unauthorized", "A token is needed.")
        return user

    @property
    def session(self) -> str:
        """The session that is asked about, which is the user's own."""
        return self.hub.info(self.user, self.request.path_params["id"]).id


Handler = Callable[[EndpointCall], Awaitable[Response | dict[str, Any] | None]]


@frozen
class Endpoint:
    """`answer` is the schema of the JSON that comes back, or a media type."""

    method: str
    path: str
    handler: Handler
    summary: str
    answer: Schema | str | None = None
    status: int = 200
    body: Schema | None = None
    query: Mapping[str, Schema] = field(default_factory=dict)
    raw: bool = False
    """Whether the body is bytes that the handler reads itself."""

    async def carry_out(self, request: Request, hub: Hub, gate: Gate) -> Response:
        """Check a request and do what it asks."""
        try:
            body = await _json(request, self.body) if self.body is not None else {}
            call = EndpointCall(request, hub, gate, body, self._asked(request))
            answer = await self.handler(call)
        except (Refused, InterpreterError) as error:
            return refusal(error)
        except ClientDisconnect:
            return Response(status_code=400)
        if isinstance(answer, Response):
            return answer
        return Response(status_code=self.status) if answer is None else self._answered(answer)

    def _answered(self, answer: dict[str, Any]) -> Response:
        return JSONResponse(answer, self.status)

    def _asked(self, request: Request) -> dict[str, Any]:
        found = {}
        for name, schema in self.query.items():
            given = request.query_params.get(name)
            value = schema.get("default") if given is None else from_text(given, schema)
            if value is None and "default" not in schema:
                raise Refused(400, "invalid", f"{name!r} is missing.")
            if value is not None and (wrong := problem(value, schema, repr(name))):
                raise Refused(400, "invalid", wrong)
            found[name] = value
        return found


async def _json(request: Request, schema: Schema) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(400, "invalid", "The body must be JSON, and say so in its content-type.")
    try:
        body = bounded_json(await request.body(), MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "invalid", "The body is not JSON.") from error
    if wrong := problem(body, schema):
        raise Refused(400, "invalid", wrong)
    given: dict[str, Any] = body
    return given


def refusal(error: Exception) -> Response:
    """What is answered to what cannot be done."""
    if isinstance(error, Busy):
        error = Refused(409, "busy", str(error))
    elif isinstance(error, CheckpointConflict):
        error = Refused(409, "conflict", str(error), files=list(error.paths))
    elif not isinstance(error, Refused):
        error = Refused(422, "refused", str(error))
    headers = {"retry-after": "60"} if error.status in (429, 503) else None
    return JSONResponse(error.body, error.status, headers)
