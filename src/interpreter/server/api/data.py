"""What the code holds: variables, and tables page by page, sorted and filtered in the kernel."""

from __future__ import annotations

import asyncio
from typing import Any

from interpreter.assembly.session_factory import SessionFactory
from interpreter.server.api.endpoint import Endpoint, EndpointCall
from interpreter.server.api.schema import fields, listed, problem, text, whole
from interpreter.server.api.shapes import ANYTHING, COLUMN, VARIABLE
from interpreter.server.errors import Refused
from interpreter.session.session import Session
from interpreter.tools.browse import VariableBrowser

VARIABLES = fields("variables", variables=listed(VARIABLE))
TABLE = fields(
    *("columns", "rows", "index", "offset", "matching", "shape"),
    columns=listed(COLUMN),
    rows=listed(listed(ANYTHING)),
    index=listed(ANYTHING),
    offset=whole(),
    matching=whole(),
    shape=listed(whole()),
)


def _browser(factory: SessionFactory) -> VariableBrowser:
    return VariableBrowser(factory.run, factory.exchange)


def _has_run_anything(session: Session) -> bool:
    return any(message.role == "computer" for message in session.transcript)


async def variables(call: EndpointCall) -> dict[str, Any]:
    def look(factory: SessionFactory, session: Session, state: int) -> dict[str, Any]:
        if not _has_run_anything(session) and not call.hub.has_run(session.id):
            return {"variables": []}  # no process is started to say so
        return _browser(factory).variables(state)

    return await _looked(call, look, VARIABLES)


async def table(call: EndpointCall) -> dict[str, Any]:
    def look(factory: SessionFactory, session: Session, state: int) -> dict[str, Any]:
        asked = {**call.query, "block": state}
        return _browser(factory).page(asked.pop("name"), asked)

    return await _looked(call, look, TABLE)


async def _looked(call: EndpointCall, look: Any, schema: Any) -> dict[str, Any]:
    """What `look` finds; it is told a number that grows with all that happens."""
    async with call.hub.woken(call.session) as live:
        looking = live.use(lambda factory, session: look(factory, session, live.log.last))
        found: dict[str, Any] = await asyncio.wrap_future(looking)
    if wrong := problem(found, schema, "What the code answered"):
        raise Refused(422, "refused", wrong)
    return found


ONE = "/api/sessions/{id}"
ENDPOINTS = (
    Endpoint("GET", f"{ONE}/variables", variables, "The variables of Python.", VARIABLES),
    Endpoint(
        "GET", f"{ONE}/table", table, "Some rows of a table.", TABLE,
        query={
            "name": text(), "offset": whole(default=0), "limit": whole(1, 1000, default=100),
            "sort": text(default=""), "descending": {"type": "boolean", "default": False},
            "filter": text(default=""), "column": text(default=""),
        },
    ),
)  # fmt: skip
