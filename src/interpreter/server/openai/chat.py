"""`/v1/chat/completions` and `/v1/models`."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import AsyncIterator
from secrets import token_hex
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.events import Usage
from interpreter.protocol.json.codec import bounded_json
from interpreter.server.errors import Refused
from interpreter.server.hub import Hub
from interpreter.server.openai.answering import Answer, AnswerBy, refused_by
from interpreter.server.openai.asked import AskedConversation, conversation

MOST_VALUES = 200_000
REASONS = {"out_of_budget": "length", "out_of_steps": "length"}


async def completions(request: Request, answer_by: AnswerBy) -> Response:
    """Answer a conversation, at once or in pieces."""
    try:
        body = await json_of(request)
        if not isinstance(body.get("messages"), list):
            raise Refused(400, "invalid", "'messages' must be a list.")
        asked = conversation(body["messages"])
        answering = answer_by(request, model_of(body), asked)
        if body.get("stream"):
            return await streamed(answering, lambda answer: _chunks(answer, asked, body))
        async with answering as answer:
            text = "".join([piece async for piece in answer.pieces(asked.said)])
        if failed := refused_by(answer.end):
            raise failed
    except (Refused, InterpreterError) as error:
        return openai_error(error)
    return JSONResponse({
        **_head(body, "chat.completion"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": REASONS.get(answer.end.end, "stop"),
            }
        ],
        "usage": usage(answer.usage),
    })


async def _chunks(
    answer: Answer, asked: AskedConversation, body: dict[str, Any]
) -> AsyncIterator[dict[str, Any] | str]:
    head = _head(body, "chat.completion.chunk")
    yield _chunk(head, {"role": "assistant", "content": ""})
    async for piece in answer.pieces(asked.said):
        if piece:
            yield _chunk(head, {"content": piece})
    if failed := refused_by(answer.end):
        yield error_body(failed)
        return
    yield _chunk(head, {}, REASONS.get(answer.end.end, "stop"))
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        yield {**head, "choices": [], "usage": usage(answer.usage)}
    yield "[DONE]"


async def streamed(answering: Any, events: Any) -> Response:
    """An answer as server-sent events; what stops it before it begins is an answer of its own."""
    stack = contextlib.AsyncExitStack()
    answer = await stack.enter_async_context(answering)
    waiting = events(answer)
    try:
        first = await anext(waiting)
    except BaseException:
        await stack.aclose()
        raise

    async def lines() -> AsyncIterator[str]:
        async with stack, contextlib.aclosing(waiting):
            yield _line(first)
            try:
                async for event in waiting:
                    yield _line(event)
            except (Refused, InterpreterError) as error:
                yield _line(error_body(error))

    return StreamingResponse(lines(), media_type="text/event-stream")


def _line(event: dict[str, Any] | str) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "sequence_number" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{token_hex(12)}",
        "object": kind,
        "created": int(time.time()),
        "model": model_of(body) or "reploop",
    }


def _chunk(
    head: dict[str, Any], delta: dict[str, Any], reason: str | None = None
) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {**head, "choices": [choice]}


def usage(spent: Usage) -> dict[str, Any]:
    """What an answer took, in the words of this protocol."""
    return {
        "prompt_tokens": spent.input,
        "completion_tokens": spent.output,
        "total_tokens": spent.input + spent.output,
    }


async def listed_models(request: Request, hub: Hub) -> Response:
    """The models that can be asked; `reploop` is whatever the server was started with."""
    used = [info.model for info in hub.list(request.state.user) if info.model]
    names = dict.fromkeys(["reploop", *filter(None, [hub.config.settings.model, *used])])
    listed = [{"id": n, "object": "model", "created": 0, "owned_by": "reploop"} for n in names]
    wanted = request.path_params.get("name")
    if wanted is None:
        return JSONResponse({"object": "list", "data": listed})
    found = next((one for one in listed if one["id"] == wanted), None)
    return (
        JSONResponse(found)
        if found
        else openai_error(Refused(404, "missing", f"There is no model {wanted!r} in the list."))
    )


async def json_of(request: Request) -> dict[str, Any]:
    """The body of a request, which must be an object."""
    try:
        body = bounded_json(await request.body(), MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "invalid", "The body is not JSON.") from error
    if not isinstance(body, dict):
        raise Refused(400, "invalid", "The body must be an object.")
    return body


def model_of(body: dict[str, Any]) -> str:
    """The model that is asked for."""
    model = body.get("model", "")
    if not isinstance(model, str) or len(model) > 300:
        raise Refused(400, "invalid", "'model' must be a name.")
    return model


def error_body(error: Exception) -> dict[str, Any]:
    """What went wrong, in the words of this protocol."""
    code = error.body["error"]["code"] if isinstance(error, Refused) else "refused"
    return {
        "error": {
            "message": str(error),
            "type": "invalid_request_error" if code == "invalid" else "server_error",
            "param": None,
            "code": code,
        }
    }


def openai_error(error: Exception) -> Response:
    """The same as an answer."""
    status = error.status if isinstance(error, Refused) else 422
    return JSONResponse(error_body(error), status)
