"""What a model says piece by piece, as the events of the stream that coding agents hand on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, assert_never

from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ReasoningDelta,
    ReplyFinished,
    TextDelta,
)
from interpreter.protocol.hooks import SHELL_NAMES
from interpreter.protocol.messages import Code

Piece = TextDelta | ReasoningDelta | CodeDelta | ActionProposed | ReplyFinished


class PartialMessage:
    """One reply while it comes."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._open = ""
        """What kind of part is open, and of which call."""
        self._index = -1

    def events(self, piece: Piece) -> Iterator[dict[str, Any]]:
        """The events that a piece comes to."""
        if self._index < 0 and not self._open:
            message = {"role": "assistant", "model": self._model, "content": []}
            yield {"type": "message_start", "message": message}
        match piece:
            case TextDelta(text):
                yield from self._begin("text", {"type": "text", "text": ""})
                yield self._delta({"type": "text_delta", "text": text})
            case ReasoningDelta(text):
                yield from self._begin("thinking", {"type": "thinking", "thinking": ""})
                yield self._delta({"type": "thinking_delta", "thinking": text})
            case CodeDelta(language, text, call_id):
                yield from self._code(language, text, call_id)
            case ActionProposed(action):
                if isinstance(action, Code):  # others come whole, with the message
                    yield from self._end()
            case ReplyFinished(end):
                yield from self._end()
                reason = {"actions": "tool_use", "length": "max_tokens"}.get(end, "end_turn")
                yield {"type": "message_delta", "delta": {"stop_reason": reason}}
                yield {"type": "message_stop"}
            case _:
                assert_never(piece)

    def _code(self, language: str, text: str, call_id: str) -> Iterator[dict[str, Any]]:
        shell = language.lower() in SHELL_NAMES
        name = "Bash" if shell else "execute"
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        begun = list(self._begin(f"tool_use {call_id}", block))
        yield from begun
        if begun:
            head = '{"command": "' if shell else f'{{"language": {json.dumps(language)}, "code": "'
            yield self._json(head)
        yield self._json(json.dumps(text)[1:-1])

    def _begin(self, kind: str, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if self._open == kind:
            return
        yield from self._end()
        self._open = kind
        self._index += 1
        yield {"type": "content_block_start", "index": self._index, "content_block": block}

    def _end(self) -> Iterator[dict[str, Any]]:
        if not self._open:
            return
        if self._open.startswith("tool_use"):
            yield self._json('"}')
        self._open = ""
        yield {"type": "content_block_stop", "index": self._index}

    def _json(self, text: str) -> dict[str, Any]:
        return self._delta({"type": "input_json_delta", "partial_json": text})

    def _delta(self, delta: dict[str, Any]) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}
