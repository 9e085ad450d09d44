"""What every session offers to its code under the name `computer`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interpreter.assembly.computer.own_functions import INSIDE as OF_SKILLS
from interpreter.assembly.computer.own_functions import skill_functions
from interpreter.protocol.calls import Arguments, CallContext, HostFunction, InsideFunction
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.messages import Face

if TYPE_CHECKING:
    from interpreter.session.side_questions import SideQuestions
    from interpreter.tools.calls.functions import HostFunctions

MODEL_SECONDS = 900.0  # for the many questions that a long text takes
_TEXT = {"type": "string"}
_OPTIONAL_TEXT = {"type": ["string", "null"]}


INSIDE = (
    InsideFunction(
        "computer.files.edit",
        "Replace a text in a file, wherever it stands.",
        ("path", "original_text", "replacement_text"),
        "computer_files.py",
        "edit",
    ),
    InsideFunction(
        "computer.files.search",
        "The pieces of text files that have most of a query's words.",
        ("query", "path", "max_results"),
        "computer_files.py",
        "search",
    ),
    InsideFunction(
        "computer.docs.search",
        "The same in what a module says about itself, or in files.",
        ("query", "module", "paths", "max_results"),
        "computer_files.py",
        "search_docs",
    ),
)
"""What code does by itself, with the rights that it has."""


def offer_usual(
    functions: HostFunctions, questions: SideQuestions, skills: Callable[[], str]
) -> None:
    """What every session offers to its code."""
    functions.add(*ai_functions(questions), *skill_functions(skills))
    functions.add_inside(*INSIDE, *OF_SKILLS)


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
