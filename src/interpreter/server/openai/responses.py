"""`/v1/responses`: the newer form of the same."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from secrets import token_hex
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.events import Usage
from interpreter.server.errors import Refused
from interpreter.server.openai.answering import Answer, AnswerBy, refused_by
from interpreter.server.openai.asked import AskedConversation, conversation
from interpreter.server.openai.chat import error_body, json_of, model_of, openai_error, streamed


async def responses(request: Request, answer_by: AnswerBy) -> Response:
    """Answer an input, at once or in events."""
    try:
        body = await json_of(request)
        asked = _conversation(body)
        answering = answer_by(request, model_of(body), asked)
        if body.get("stream"):
            return await streamed(answering, lambda answer: _events(answer, asked, body))
        async with answering as answer:
            text = "".join([piece async for piece in answer.pieces(asked.said)])
        if failed := refused_by(answer.end):
            raise failed
    except (Refused, InterpreterError) as error:
        return openai_error(error)
    whole = _response(body)
    return JSONResponse(_completed(whole, _message(f"msg_{token_hex(12)}", text), answer.usage))


def _conversation(body: dict[str, Any]) -> AskedConversation:
    given, instructions = body.get("input"), body.get("instructions") or ""
    if not isinstance(instructions, str):
        raise Refused(400, "invalid", "'instructions' must be a text.")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise Refused(400, "invalid", "'input' must be a text or a list of messages.")
    return conversation(given, instructions)


async def _events(
    answer: Answer, asked: AskedConversation, body: dict[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    """All events of a response, numbered."""
    number = 0
    async for event in _unnumbered(answer, asked, body):
        yield {**event, "sequence_number": number}
        number += 1


async def _unnumbered(
    answer: Answer, asked: AskedConversation, body: dict[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    whole, name = _response(body), f"msg_{token_hex(12)}"
    place = {"item_id": name, "output_index": 0, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    item = {**_message(name, ""), "status": "in_progress", "content": []}
    yield {"type": "response.created", "response": whole}
    yield {"type": "response.in_progress", "response": whole}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.content_part.added", **place, "part": empty}
    pieces = []
    async for piece in answer.pieces(asked.said):
        pieces.append(piece)
        if piece:
            yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    if failed := refused_by(answer.end):
        error = error_body(failed)["error"]
        ended = {**whole, "status": "failed", "error": {"code": "server_error", **error}}
        yield {"type": "response.failed", "response": ended}
        return
    for event in _end(whole, _message(name, "".join(pieces)), place, answer.usage):
        yield event


def _end(
    whole: dict[str, Any], message: dict[str, Any], place: dict[str, Any], spent: Usage
) -> Iterator[dict[str, Any]]:
    part = message["content"][0]
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": 0, "item": message}
    yield {"type": "response.completed", "response": _completed(whole, message, spent)}


def _response(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"resp_{token_hex(12)}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": model_of(body) or "reploop",
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "parallel_tool_calls": False,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }


def _message(name: str, text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "type": "message",
        "id": name,
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def _completed(whole: dict[str, Any], message: dict[str, Any], spent: Usage) -> dict[str, Any]:
    used = {
        "input_tokens": spent.input,
        "input_tokens_details": {"cached_tokens": spent.cached},
        "output_tokens": spent.output,
        "output_tokens_details": {"reasoning_tokens": spent.reasoning},
        "total_tokens": spent.input + spent.output,
    }
    return {**whole, "status": "completed", "output": [message], "usage": used}
