"""Messages as OpenAI's chat completions want them, with native tool calls."""

from __future__ import annotations

import json
from typing import Any

from interpreter.models.dialects.toolbox import EXECUTE
from interpreter.models.pictures import data_url
from interpreter.models.wire import (
    Exchange,
    answered,
    pictures_of,
    result_text,
    user_text,
)
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    Code,
    Face,
    MalformedCall,
    Message,
    Reasoning,
)
from interpreter.protocol.ports import ToolSpec
from interpreter.protocol.values import frozen

GOOGLE = "google:"
"""Begins the signature of a thought that Gemini sealed."""

_UNSEALED = "skip_thought_signature_validator"  # Google's word for calls that others made
_LONGEST_MALFORMED = 2_000


@frozen
class NativeEncoder:
    """Encodes exchanges with tool calls and tool results."""

    images: bool = False
    user_template: str = "{content}"
    renumber: bool = False  # Mistral wants ids of nine letters and digits, whoever made them
    seals_calls: bool = False  # Gemini wants the seal of its thoughts back on a step's first call
    echo_reasoning: bool = False  # DeepSeek wants its thoughts back next to its calls

    def __call__(self, exchange: Exchange, number: int) -> list[dict[str, Any]]:
        """The provider's messages for one exchange."""
        first = exchange[0]
        if first.role == "user":
            said = user_message(first, images=self.images, template=self.user_template)
            return [said, *self._orphans(exchange[1:])]
        if first.role == "computer":
            return self._orphans(exchange)
        return self._reply(exchange, number)

    def _reply(self, exchange: Exchange, number: int) -> list[dict[str, Any]]:
        reply = exchange[0]
        pairs = answered(exchange, number, renumber=self.renumber)
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if pairs:
            message["tool_calls"] = [_call(pair.action, pair.call_id) for pair in pairs]
            self._add_thoughts(message, reply)
            if self.seals_calls:
                message["tool_calls"][0]["extra_content"] = _seal(reply)
        elif not reply.text:
            return []
        results = [
            {"role": "tool", "tool_call_id": pair.call_id,
             "content": result_text(pair.results, images=self.images)}
            for pair in pairs
        ]  # fmt: skip
        seen = pictures_of(exchange[1:]) if self.images else []
        return [message, *results, *([_picture_message(seen)] if seen else [])]

    def _add_thoughts(self, message: dict[str, Any], reply: Message) -> None:
        thoughts = "".join(part.text for part in reply.parts if isinstance(part, Reasoning))
        if self.echo_reasoning and thoughts:
            message["reasoning_content"] = thoughts

    def _orphans(self, messages: Exchange) -> list[dict[str, Any]]:
        """Results of what the user ran without a model."""
        if not messages:
            return []
        text = "Output of code that was run by hand:\n" + result_text(messages, images=self.images)
        seen = pictures_of(messages) if self.images else []
        return [_content("user", text, seen)]


def user_message(message: Message, *, images: bool, template: str = "{content}") -> dict[str, Any]:
    """A user's message, with its pictures where the model sees."""
    text = user_text(message, images=images)
    if template != "{content}":
        text = template.replace("{content}", text)
    return _content("user", text, pictures_of([message]) if images else [])


def tool_list(tools: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    """The tools of a request."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": json.loads(tool.parameters),
            },
        }
        for tool in tools
    ]


def arguments_of(action: Action) -> str:
    """The arguments of an action as JSON that every server can parse."""
    match action:
        case Code(language, source):
            return json.dumps({"language": language, "code": source}, ensure_ascii=False)
        case ActionCall(_, arguments):
            return arguments or "{}"
        case MalformedCall(raw):
            return json.dumps({"malformed": raw[:_LONGEST_MALFORMED]}, ensure_ascii=False)


def name_of(action: Action) -> str:
    """The tool that an action calls."""
    return action.tool if isinstance(action, ActionCall) else EXECUTE


def _call(action: Action, call_id: str) -> dict[str, Any]:
    function = {"name": name_of(action), "arguments": arguments_of(action)}
    return {"id": call_id, "type": "function", "function": function}


def _seal(reply: Message) -> dict[str, Any]:
    seals = (part.signature for part in reply.parts if isinstance(part, Reasoning))
    ours = (seal.removeprefix(GOOGLE) for seal in seals if seal.startswith(GOOGLE))
    return {"google": {"thought_signature": next(ours, _UNSEALED)}}


def _picture_message(pictures: list[Face]) -> dict[str, Any]:
    return _content("user", "The picture the code showed:", pictures)


def _content(role: str, text: str, pictures: list[Face]) -> dict[str, Any]:
    if not pictures:
        return {"role": role, "content": text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts += [{"type": "image_url", "image_url": {"url": data_url(face)}} for face in pictures]
    return {"role": role, "content": parts}
