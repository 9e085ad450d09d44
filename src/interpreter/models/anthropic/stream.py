"""From the events of Anthropic's messages to ours."""

from __future__ import annotations

from typing import Any

from interpreter.models.anthropic.screen import FAMILY, with_member
from interpreter.models.anthropic.wire import REDACTED
from interpreter.models.dialects.toolbox import DialectTools
from interpreter.models.openai.stream import CallReader
from interpreter.protocol.events import (
    ActionProposed,
    ModelEvent,
    ReasoningDelta,
    ReplyEnd,
    TextDelta,
    Usage,
)

_ENDS: dict[str, ReplyEnd] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "actions",
    "refusal": "filtered",
}


class MessageReader:
    """One reply, event by event."""

    def __init__(self, toolbox: DialectTools) -> None:
        self._calls = CallReader(toolbox)
        self._names: dict[Any, tuple[str, str]] = {}
        self._members: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._reason = ""
        self.ended = False

    @property
    def end(self) -> ReplyEnd:
        """Why the model stopped."""
        end = _ENDS.get(self._reason, "stop")
        if self._calls.acted and end != "length":
            return "actions"
        return "stop" if end == "actions" else end

    @property
    def usage(self) -> Usage:
        """What was counted; their input leaves out what the cache had."""
        cached = self._counts.get("cache_read_input_tokens", 0)
        total = self._counts.get("input_tokens", 0) + cached + self.written
        return Usage(total, cached, self._counts.get("output_tokens", 0))

    @property
    def written(self) -> int:
        """How many tokens were put into the cache."""
        return self._counts.get("cache_creation_input_tokens", 0)

    def feed(self, event: dict[str, Any]) -> list[ModelEvent]:
        """Take one event."""
        match event.get("type"):
            case "message_start":
                self._count((event.get("message") or {}).get("usage"))
            case "content_block_start":
                return self._start(event.get("index"), event.get("content_block") or {})
            case "content_block_delta":
                return self._delta(event.get("index"), event.get("delta") or {})
            case "message_delta":
                self._count(event.get("usage"))
                self._reason = (event.get("delta") or {}).get("stop_reason") or self._reason
            case "message_stop":
                self.ended = True
        return []

    def finish(self) -> list[ModelEvent]:
        """The stream has ended."""
        return self._whole(self._calls.finish(cut_off=_ENDS.get(self._reason) == "length"))

    def _start(self, index: Any, block: dict[str, Any]) -> list[ModelEvent]:
        match block.get("type"):
            case "tool_use":
                call_id, name = str(block.get("id") or ""), str(block.get("name") or "")
                if block.get("toolset_name") == FAMILY:
                    self._members[call_id], name = name, FAMILY
                self._names[index] = (call_id, name)
                return self._whole(self._calls.feed(call_id, index, name, ""))
            case "redacted_thinking":
                return [ReasoningDelta("", REDACTED + str(block.get("data") or ""))]
            case "text" if block.get("text"):
                return [TextDelta(str(block["text"]))]
        return []

    def _delta(self, index: Any, delta: dict[str, Any]) -> list[ModelEvent]:
        match delta.get("type"):
            case "text_delta" if delta.get("text"):
                return [TextDelta(str(delta["text"]))]
            case "thinking_delta" if delta.get("thinking"):
                return [ReasoningDelta(str(delta["thinking"]))]
            case "signature_delta":
                return [ReasoningDelta("", str(delta.get("signature") or ""))]
            case "input_json_delta":
                call_id, name = self._names.get(index, ("", ""))
                return self._calls.feed(call_id, index, name, str(delta.get("partial_json") or ""))
        return []

    def _whole(self, events: list[ModelEvent]) -> list[ModelEvent]:
        """Calls with the name of the tool of a set that was called."""
        named = []
        for event in events:
            call_id = event.action.call_id if isinstance(event, ActionProposed) else ""
            member = self._members.get(call_id)
            named.append(with_member(event, member) if member else event)
        return named

    def _count(self, usage: Any) -> None:
        for name, value in (usage or {}).items() if isinstance(usage, dict) else ():
            if isinstance(value, int):
                self._counts[name] = value
