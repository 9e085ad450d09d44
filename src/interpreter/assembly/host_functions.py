"""The functions of the host that every session offers to its code: `computer.ai`."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from interpreter.protocol.calls import Arguments, CallContext, HostFunction
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.messages import Face

if TYPE_CHECKING:
    from interpreter.session.side_questions import SideQuestions

MODEL_SECONDS = 900.0  # for the many questions that a long text takes
_TEXT = {"type": "string"}
_OPTIONAL_TEXT = {"type": ["string", "null"]}


def ai_functions(questions: SideQuestions) -> tuple[HostFunction, ...]:
    """`computer.ai`: the session's own model, asked by code; what it costs, the session pays."""
    from interpreter.session.side_questions import JOIN_SUMMARIES, SUMMARIZE

    def chat(given: Arguments, context: CallContext) -> str:
        return questions.chat(given["text"], _picture(given.get("base64")), context.interrupt)

    def query(given: Arguments, context: CallContext) -> str:
        reduce = given.get("custom_reduce_query") or ""
        return questions.query(given["text"], given["query"], reduce, context.interrupt)

    def summarize(given: Arguments, context: CallContext) -> str:
        return questions.query(given["text"], SUMMARIZE, JOIN_SUMMARIES, context.interrupt)

    return (
        _ai(
            "chat",
            "Ask the model; `base64` is a picture, as PNG.",
            chat,
            text=_TEXT,
            base64={"type": ["string", "bytes", "null"]},
        ),
        _ai(
            "query",
            "Ask the model about a text of any length.",
            query,
            text=_TEXT,
            query=_TEXT,
            custom_reduce_query=_OPTIONAL_TEXT,
        ),
        _ai("summarize", "Have the model sum up a text of any length.", summarize, text=_TEXT),
    )


def _ai(name: str, summary: str, call: Any, **properties: Any) -> HostFunction:
    required = [key for key, schema in properties.items() if schema is _TEXT]
    schema = {"type": "object", "properties": properties, "required": required}
    return HostFunction(
        f"computer.ai.{name}", summary, schema, call, asks=False, seconds=MODEL_SECONDS
    )


def _picture(given: Any) -> bytes | None:
    if isinstance(given, str):
        try:
            return base64.b64decode(given.partition(",")[2] or given, validate=True)
        except binascii.Error as error:
            raise CallFailed(f"The picture is not in base64: {error}", "WrongArguments") from error
    return given.data if isinstance(given, Face) and isinstance(given.data, bytes) else given
