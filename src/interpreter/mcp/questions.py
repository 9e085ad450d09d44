"""What a server wants to know from the user, as a question of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from interpreter.mcp.schemas import fault_in
from interpreter.protocol.values import frozen

LONGEST_MESSAGE = 4_000
MOST_FIELDS = 40
SECRET = re.compile(
    r"pass(?:word|phrase)|secret|token|api.?key|credential|card.?number|cvv|\bpin\b", re.I
)
"""Words for what a server must not ask for in a form."""


@frozen
class FormField:
    """One thing to be filled in."""

    name: str
    title: str
    schema: Mapping[str, Any]
    required: bool

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be chosen from, if it is a choice."""
        schema = self.schema
        if schema.get("type") == "array" and isinstance(schema.get("items"), dict):
            schema = schema["items"]
        named = schema.get("oneOf") or schema.get("anyOf") or ()
        found = [one.get("const") for one in named if isinstance(one, dict)] if named else []
        found = found or (schema["enum"] if isinstance(schema.get("enum"), list) else [])
        return tuple(one for one in found if isinstance(one, str))

    @property
    def line(self) -> str:
        """What is to be filled in, and with what."""
        kind = " or ".join(self.choices) or str(self.schema.get("type", "string"))[:40]
        known = self.schema.get("default")
        shown = f": {json.dumps(known, ensure_ascii=False)}" if known is not None else ""
        return f"{self.title} ({kind}{', needed' if self.required else ''}){shown}"


@frozen
class Question:
    """A form to be filled in, or an address to be opened in the browser."""

    server: str
    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""

    @property
    def wants_secret(self) -> bool:
        """Whether a form asks for what it must not ask for."""
        return any(SECRET.search(f"{field.name} {field.title}") for field in self.fields)


@frozen
class Reply:
    """What the user said to a question."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] | None = None


Ask = Callable[[Question], Reply]


def nobody_replies(question: Question) -> Reply:
    """Silence means no."""
    return Reply("decline")


def answered(server: str, params: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """The result of an elicitation request."""
    question = _question(server, params)
    reply = ask(question) if question is not None else Reply("decline")
    if reply.action != "accept" or question is None:
        return {"action": reply.action}
    if question.url:
        return {"action": "accept"}
    content = {
        field.name: field.schema["default"]
        for field in question.fields
        if "default" in field.schema
    }
    content |= reply.content or {}
    schema = params.get("requestedSchema", {})
    return (
        {"action": "decline"}
        if fault_in(content, schema)
        else {"action": "accept", "content": content}
    )


def _question(server: str, params: Mapping[str, Any]) -> Question | None:
    """The question; None for one that cannot be put."""
    message = params.get("message")
    message = message[:LONGEST_MESSAGE] if isinstance(message, str) else ""
    if params.get("mode", "form") == "url":
        url = params.get("url")
        good = isinstance(url, str) and re.match(r"https?://[^\s]{1,2000}\Z", url)
        return Question(server, message, url=str(url)) if good else None
    schema = params.get("requestedSchema")
    parts = schema.get("properties", {}) if isinstance(schema, dict) else None
    if not isinstance(parts, dict) or len(parts) > MOST_FIELDS:
        return None
    required = schema.get("required") if isinstance(schema, dict) else ()
    wanted = required if isinstance(required, list) else []
    fields = tuple(
        FormField(name, _title(name, part), part, name in wanted)
        for name, part in parts.items()
        if isinstance(part, dict)
    )
    question = Question(server, message, fields)
    return None if question.wants_secret else question


def _title(name: str, part: Mapping[str, Any]) -> str:
    words = (part.get("title"), part.get("description"))
    return ": ".join(word[:400] for word in words if isinstance(word, str)) or name
