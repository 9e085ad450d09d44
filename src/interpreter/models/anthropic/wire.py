"""Messages as Anthropic's API wants them."""

from __future__ import annotations

import json
import re
from typing import Any

from interpreter.models.anthropic.screen import FAMILY, ScreenVersion, member_of
from interpreter.models.openai.wire import GOOGLE, arguments_of, name_of
from interpreter.models.pictures import encoded
from interpreter.models.wire import (
    Answered,
    Exchange,
    answered,
    pictures_of,
    result_text,
    user_text,
)
from interpreter.protocol.messages import Action, Face, Message, Part, Reasoning, Text
from interpreter.protocol.ports import ToolSpec
from interpreter.protocol.values import frozen

REDACTED = "redacted:"
_GOOD_ID = re.compile(r"[a-zA-Z0-9_-]+")


@frozen
class AnthropicEncoder:
    """Encodes exchanges with native tools, pictures and thoughts."""

    images: bool = True
    user_template: str = "{content}"
    toolset: bool = False
    """Whether actions on the screen are tools of their own."""

    def __call__(self, exchange: Exchange, number: int) -> list[dict[str, Any]]:
        """The provider's messages for one exchange."""
        first = exchange[0]
        if first.role == "user":
            return [_user(self._user_blocks(first) + self._orphans(exchange[1:]))]
        if first.role == "computer":
            return [_user(self._orphans(exchange))]
        pairs = answered(exchange, number)
        said = self._reply_blocks(first, pairs)
        if not said:
            return []
        results = [self._result(pair) for pair in pairs]
        return [{"role": "assistant", "content": said}, *([_user(results)] if results else [])]

    def _user_blocks(self, message: Message) -> list[dict[str, Any]]:
        text = self.user_template.replace("{content}", user_text(message, images=self.images))
        seen = pictures_of([message]) if self.images else []
        return [*map(_picture, seen), *([_text(text)] if text.strip() else [])]

    def _orphans(self, messages: Exchange) -> list[dict[str, Any]]:
        if not messages:
            return []
        text = "Output of code that was run by hand:\n" + result_text(messages, images=self.images)
        seen = pictures_of(messages) if self.images else []
        return [_text(text), *map(_picture, seen)]

    def _reply_blocks(self, reply: Message, pairs: list[Answered]) -> list[dict[str, Any]]:
        ids = iter(pairs)
        blocks: list[dict[str, Any]] = []
        for part in reply.parts:
            block = self._block(part, ids)
            if block is not None:
                blocks.append(block)
        return [] if all(b["type"].endswith("thinking") for b in blocks) else blocks

    def _block(self, part: Part, pairs: Any) -> dict[str, Any] | None:
        match part:
            case Text(text):
                return _text(text.rstrip()) if text.strip() else None
            case Reasoning(text, signature):
                theirs = signature and not signature.startswith(GOOGLE)
                return _thought(text, signature) if theirs else None
            case _:
                pair = next(pairs)
                return self._use(pair.action, _usable(pair.call_id))

    def _use(self, action: Action, call_id: str) -> dict[str, Any]:
        member = member_of(action) if self.toolset else None
        name, given = member or (name_of(action), json.loads(arguments_of(action)))
        block = {"type": "tool_use", "id": call_id, "name": name, "input": given}
        return {**block, "toolset_name": FAMILY} if member else block

    def _result(self, pair: Answered) -> dict[str, Any]:
        content = [_text(result_text(pair.results, images=self.images))]
        seen = pictures_of(pair.results) if self.images else []
        is_member = self.toolset and member_of(pair.action) is not None
        return {
            "type": "tool_result",
            "tool_use_id": _usable(pair.call_id),
            "content": [*content, *map(_picture, seen)],
            **({"toolset_name": FAMILY} if is_member else {}),
        }


def tool_list(
    tools: tuple[ToolSpec, ...], screen: ScreenVersion | None = None
) -> list[dict[str, Any]]:
    """The tools of a request; the one that uses a screen in the words of this version."""
    return [
        screen.declared(tool)
        if screen is not None and tool.display
        else {
            "name": tool.name,
            "description": tool.description,
            "input_schema": json.loads(tool.parameters),
        }
        for tool in tools
    ]


def _user(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "user", "content": blocks or [_text("(nothing)")]}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _thought(text: str, signature: str) -> dict[str, Any]:
    if signature.startswith(REDACTED):
        return {"type": "redacted_thinking", "data": signature.removeprefix(REDACTED)}
    return {"type": "thinking", "thinking": text, "signature": signature}


def _picture(face: Face) -> dict[str, Any]:
    source = {"type": "base64", "media_type": face.media_type, "data": encoded(face)}
    return {"type": "image", "source": source}


def _usable(call_id: str) -> str:
    """An id in the letters that Anthropic accepts, for calls that another provider numbered."""
    return call_id if _GOOD_ID.fullmatch(call_id) else re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)
