"""Sessions as such: list, make, look at, change, remove, export."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from starlette.responses import Response

from interpreter._version import __version__
from interpreter.protocol.errors import StoreError
from interpreter.protocol.json.codec import encode
from interpreter.protocol.messages import Message
from interpreter.server.access.gate import address_of
from interpreter.server.api.endpoint import Endpoint, EndpointCall
from interpreter.server.api.schema import fields, listed, one_of, text, whole
from interpreter.server.api.shapes import (
    ANYTHING,
    COMPARED,
    CONFLICTS,
    FLAG,
    PLAIN,
    SESSION,
    SETTINGS,
    TOLD,
    WHOLE_SESSION,
)
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub
from interpreter.server.ranges import ranged
from interpreter.session.export.formats import to_json, to_markdown
from interpreter.session.export.html import to_html
from interpreter.session.export.notebook import to_notebook
from interpreter.session.store.session_list import SessionInfo

EXPORTS = {
    "html": (to_html, "text/html"),
    "ipynb": (to_notebook, "application/x-ipynb+json"),
    "markdown": (to_markdown, "text/markdown"),
    "json": (to_json, "application/json"),
}


def shown(hub: Hub, info: SessionInfo) -> dict[str, Any]:
    """A session as clients see it."""
    return {
        **asdict(info),
        "parent": hub.parent(info.id) or info.parent,
        "state": hub.state(info.id),
        "n": hub.log(info.id).last,
        "question": hub.question(info.id),
    }


async def login(call: EndpointCall) -> Response:
    gate = call.gate
    user = gate.checked(call.body["token"], address_of(call.request.scope))
    answer = Response(status_code=204)
    secure = call.request.url.scheme == "https"
    answer.set_cookie(
        gate.cookie_name,
        gate.tokens.cookie(user),
        max_age=30 * 86400,
        httponly=True,
        samesite="strict",
        secure=secure,
    )
    return answer


async def logout(call: EndpointCall) -> Response:
    answer = Response(status_code=204)
    answer.delete_cookie(call.gate.cookie_name, httponly=True, samesite="strict")
    return answer


async def me(call: EndpointCall) -> dict[str, Any]:
    user = call.user
    return {
        "user": user.name,
        "owner": user.is_owner,
        "version": __version__,
        "workspace_root": str(user.root),
    }


async def list_sessions(call: EndpointCall) -> dict[str, Any]:
    found = call.hub.list(call.user, call.query["query"], call.query["limit"])
    return {"sessions": [shown(call.hub, info) for info in found]}


async def create(call: EndpointCall) -> dict[str, Any]:
    given = call.body.get("settings", {})
    session = call.hub.create(call.user, call.body.get("workspace", ""), given)
    return shown(call.hub, call.hub.info(call.user, session))


async def look(call: EndpointCall) -> dict[str, Any]:
    session = call.session
    spent = call.hub.store.spent(session)
    return {
        **shown(call.hub, call.hub.info(call.user, session)),
        "settings": call.hub.shown_settings(call.user, session),
        "spent": {"dollars": spent.dollars, "input": spent.input, "output": spent.output},
    }


async def delete(call: EndpointCall) -> None:
    await call.hub.delete(call.session)


async def fork(call: EndpointCall) -> dict[str, Any]:
    child = await call.hub.fork(call.user, call.session)
    return shown(call.hub, call.hub.info(call.user, child))


async def compare(call: EndpointCall) -> dict[str, Any]:
    text, found = await call.hub.compare(call.session)
    return {
        "text": text,
        "messages": found.messages,
        "variables": [{"name": name, "change": how} for name, how in found.variables.items()],
        "files": [
            {"path": file.path, "change": file.kind, "size": file.size} for file in found.files
        ],
    }


async def tries(call: EndpointCall) -> dict[str, Any]:
    hub, user = call.hub, call.user
    return {"tries": [shown(hub, hub.info(user, child)) for child in hub.tries(call.session)]}


async def keep(call: EndpointCall) -> dict[str, Any]:
    return {"told": await call.hub.keep(call.session, call.body.get("conflicts", "refuse"))}


async def messages(call: EndpointCall) -> Response:
    session, hub = call.session, call.hub
    found, number = hub.snapshot(session)
    if found is None:  # at once, before anybody wakes it and says more
        text = ",".join(hub.store.encoded_messages(session))
    else:
        text = await asyncio.to_thread(_encoded, hub, session, found)
    marks = json.dumps(await asyncio.to_thread(hub.store.marks, session))
    body = f'{{"messages":[{text}],"marks":{marks},"n":{number}}}'
    return Response(body, media_type="application/json")


def _encoded(hub: Hub, session: str, found: Sequence[Message]) -> str:
    keep = partial(hub.store.keep_blob, session)
    return ",".join(encode(message, keep=keep) for message in found)


async def settings(call: EndpointCall) -> dict[str, Any]:
    return call.hub.shown_settings(call.user, call.session)


async def change_settings(call: EndpointCall) -> dict[str, Any]:
    await call.hub.change(call.user, call.session, call.body)
    return call.hub.shown_settings(call.user, call.session)


async def export(call: EndpointCall) -> Response:
    name, session = call.query["format"], call.session
    write, media = EXPORTS[name]
    store, (found, _) = call.hub.store, call.hub.snapshot(session)
    content = await asyncio.to_thread(
        lambda: write(tuple(store.messages(session)) if found is None else found)
    )
    ending = "md" if name == "markdown" else name
    headers = {"content-disposition": f'attachment; filename="{session}.{ending}"'}
    return Response(content.encode(errors="replace"), media_type=media, headers=headers)


async def blob(call: EndpointCall) -> Response:
    try:
        data = call.hub.store.blob(call.session, call.request.path_params["digest"])
    except StoreError as error:
        raise Refused(404, "missing", "There is no such data.") from error
    answer = ranged(call.request, data, "application/octet-stream")
    answer.headers["cache-control"] = "private, max-age=31536000, immutable"
    return answer


ONE = "/api/sessions/{id}"
ENDPOINTS = (
    Endpoint(
        "POST", "/api/login", login, "Sign in with a token; a cookie comes back.",
        status=204, body=fields("token", token=text(1000)),
    ),
    Endpoint("POST", "/api/logout", logout, "Forget the cookie.", status=204),
    Endpoint(
        "GET", "/api/me", me, "Who I am.",
        fields("user", "owner", "version", "workspace_root",
               user=PLAIN, owner=FLAG, version=PLAIN, workspace_root=PLAIN),
    ),
    Endpoint(
        "GET", "/api/sessions", list_sessions, "My sessions, the last used first.",
        fields("sessions", sessions=listed(SESSION)),
        query={"query": text(default=""), "limit": whole(1, 1000, default=50)},
    ),
    Endpoint(
        "POST", "/api/sessions", create, "Begin a session.", SESSION, status=201,
        body=fields(workspace=text(2000), settings=SETTINGS),
    ),
    Endpoint("GET", ONE, look, "One session.", WHOLE_SESSION),
    Endpoint("DELETE", ONE, delete, "Remove a session.", status=204),
    Endpoint("POST", f"{ONE}/fork", fork, "Try something in a copy of everything.", SESSION,
             status=201, body=fields()),
    Endpoint("GET", f"{ONE}/tries", tries, "The tries that began with it and are open.",
             fields("tries", tries=listed(SESSION))),
    Endpoint("GET", f"{ONE}/compare", compare, "What a try did.", COMPARED),
    Endpoint("POST", f"{ONE}/keep", keep, "Make a try what happened.", TOLD,
             body=fields(conflicts=CONFLICTS)),
    Endpoint(
        "GET", f"{ONE}/messages", messages, "The transcript, up to event `n`.",
        fields(
            "messages", "marks", "n", messages=listed({"type": "object"}),
            marks=listed(listed(ANYTHING)), n=whole(),
        ),
    ),
    Endpoint("GET", f"{ONE}/settings", settings, "Its settings.", SETTINGS),
    Endpoint("PATCH", f"{ONE}/settings", change_settings, "Change settings.", SETTINGS,
             body=SETTINGS),
    Endpoint("GET", f"{ONE}/export", export, "The session as a file.", "*/*",
             query={"format": one_of(*EXPORTS, default="html")}),
    Endpoint("GET", f"{ONE}/blobs/{{digest}}", blob, "A picture or other bytes.",
             "application/octet-stream"),
)  # fmt: skip
