"""Turns: messages, decisions, input, interrupts, and going back."""

from __future__ import annotations

import asyncio
import base64
import binascii
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from interpreter.assembly.live import LiveSession
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested, InputRequested
from interpreter.protocol.messages import ActionCall, Code, Display, Face, Message, Part, Text
from interpreter.server.api.endpoint import Endpoint, EndpointCall
from interpreter.server.api.schema import fields, listed, one_of, or_null, text, whole
from interpreter.server.api.shapes import CONFLICTS, FLAG, NUMBER, PLAIN, STARTED, TOLD
from interpreter.server.errors import Refused
from interpreter.session.session import Session

T = TypeVar("T")
FOR_ALL = ("network", "memory.remember")
"""What a user who is not the owner may let running code have."""
CLOSED = "The question is not open: it was answered, or nobody can answer it any more."


async def _started(call: EndpointCall, begin: Any) -> dict[str, Any]:
    async with call.hub.woken(call.session) as live:
        return {"n": await asyncio.wrap_future(begin(live))}


async def send(call: EndpointCall) -> dict[str, Any]:
    said = call.body.get("text", "")
    parts: list[Part] = [Text(said)] if said.strip() else []
    parts += [_picture(image) for image in call.body.get("images", ())]
    if not parts:
        raise Refused(400, "invalid", "There is nothing in the message.")
    return await _started(call, lambda live: live.send(Message("user", tuple(parts))))


def _picture(image: dict[str, str]) -> Part:
    try:
        data = base64.b64decode(image["data"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused(400, "invalid", "A picture is not base64.") from error
    return Display((Face(image["media_type"], data),))


async def proceed(call: EndpointCall) -> dict[str, Any]:
    return await _started(call, LiveSession.proceed)


async def run(call: EndpointCall) -> dict[str, Any]:
    action = Code(call.body["language"], call.body["source"])
    return await _started(call, lambda live: live.run(action))


async def decide(call: EndpointCall) -> None:
    session, number = call.session, call.body["question"]
    asked = call.hub.asked(session, number)
    if not isinstance(asked, ApprovalRequested):
        raise Refused(409, "closed", CLOSED)
    decision = Decision(call.body["answer"], call.body.get("reason", ""))
    if decision.allows and not call.user.is_owner and not is_of_the_cell(asked):
        raise Refused(403, "forbidden", "Only the owner of this server can allow that.")
    source = call.body.get("source")
    if source is not None:
        if not isinstance(asked.action, Code) or not decision.allows:
            raise Refused(400, "invalid", "Only code that is to run can be edited.")
        decision = replace(decision, edited=replace(asked.action, source=source))
    if not call.hub.answer(session, number, decision):
        raise Refused(409, "closed", CLOSED)


def is_of_the_cell(asked: ApprovalRequested) -> bool:
    """Whether it is about what the model proposes, or code, or hosts; all else that code asks for
    (files elsewhere, the screen, tools of other programs) is the owner's."""
    action = asked.action
    if asked.proposed or isinstance(action, Code):
        return True
    return isinstance(action, ActionCall) and action.tool in FOR_ALL


async def give_input(call: EndpointCall) -> None:
    session, number = call.session, call.body["question"]
    if not isinstance(call.hub.asked(session, number), InputRequested):
        raise Refused(409, "closed", CLOSED)
    if not call.hub.answer(session, number, call.body["text"]):
        raise Refused(409, "closed", CLOSED)


async def interrupt(call: EndpointCall) -> None:
    await call.hub.interrupt(call.session, force=call.body.get("force", False))


async def undo(call: EndpointCall) -> dict[str, Any]:
    body = call.body
    conflicts = body.get("conflicts", "refuse")
    if len({"count", "to", "message"} & body.keys()) > 1:
        raise Refused(400, "invalid", "Say one of `count`, `to` and `message`.")

    def back(session: Session) -> str:
        if "to" in body:
            return session.undo_to(body["to"], conflicts)
        if body.get("message"):
            return session.undo_message(conflicts)
        return session.undo(body.get("count", 1), conflicts)

    return await _gone_back(call, back)


async def redo(call: EndpointCall) -> dict[str, Any]:
    conflicts = call.body.get("conflicts", "refuse")
    return await _gone_back(call, lambda session: session.redo(conflicts))


async def _gone_back(call: EndpointCall, work: Any) -> dict[str, Any]:
    async with call.hub.woken(call.session) as live:
        told: Future[str] = live.go_back(work)
        return {"told": await asyncio.wrap_future(told)}


async def checkpoints(call: EndpointCall) -> dict[str, Any]:
    async with call.hub.woken(call.session) as live:
        found = live.use(lambda factory, session: session.engine.checkpoints().list())
        return {
            "checkpoints": [
                {"name": one.name, "label": one.label, "created": one.created, "undone": one.undone}
                for one in await asyncio.wrap_future(found)
            ]
        }


async def diff(call: EndpointCall) -> dict[str, Any]:
    block = call.query["block"] or 1
    async with call.hub.woken(call.session) as live:
        found = live.use(lambda factory, session: session.diff(block))
        return {"diff": await asyncio.wrap_future(found)}


ONE = "/api/sessions/{id}"
IMAGE = fields(
    "media_type", "data", media_type=one_of("image/png", "image/jpeg"), data=text(14_000_000)
)
CHECKPOINT = fields(
    "name", "label", "created", "undone", name=PLAIN, label=PLAIN, created=NUMBER, undone=FLAG
)
ENDPOINTS = (
    Endpoint("POST", f"{ONE}/messages", send, "Say something.", STARTED, status=202,
             body=fields(text=text(2_000_000), images=listed(IMAGE, 16))),
    Endpoint("POST", f"{ONE}/proceed", proceed, "Go on without a message.", STARTED, status=202,
             body=fields()),
    Endpoint("POST", f"{ONE}/run", run, "Run a block by hand.", STARTED, status=202,
             body=fields("language", "source", language=text(50), source=text(2_000_000))),
    Endpoint("POST", f"{ONE}/decisions", decide, "Approve, decline or edit.", status=204,
             body=fields("question", "answer", question=whole(),
                         answer=one_of("yes", "session", "always", "dry_run", "no", "stop"),
                         reason=text(10_000), source=or_null(text(2_000_000)))),
    Endpoint("POST", f"{ONE}/input", give_input, "Answer a block that asks for a line.",
             status=204, body=fields("question", "text", question=whole(),
                                     text=or_null(text(100_000)))),
    Endpoint("POST", f"{ONE}/interrupt", interrupt, "Stop what runs.", status=204,
             body=fields(force=FLAG)),
    Endpoint("POST", f"{ONE}/undo", undo, "Take blocks back.", TOLD,
             body=fields(count=whole(1, 10_000), to=text(100), message=FLAG, conflicts=CONFLICTS)),
    Endpoint("POST", f"{ONE}/redo", redo, "Take the last undo back.", TOLD,
             body=fields(conflicts=CONFLICTS)),
    Endpoint("GET", f"{ONE}/checkpoints", checkpoints, "The states that can be gone back to.",
             fields("checkpoints", checkpoints=listed(CHECKPOINT))),
    Endpoint("GET", f"{ONE}/diff", diff, "What a block did to files.", fields("diff", diff=PLAIN),
             query={"block": text(100, default="")}),
)  # fmt: skip
