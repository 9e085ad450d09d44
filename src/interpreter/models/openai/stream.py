"""From the chunks of a chat completion to our events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

from interpreter.models.dialects.arguments import ArgumentsReader, without_half_characters
from interpreter.models.dialects.calls import CUT_OFF, action_of, canonical_name
from interpreter.models.dialects.toolbox import EXECUTE, DialectTools
from interpreter.models.openai.wire import GOOGLE
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReasoningDelta,
    ReplyEnd,
    TextDelta,
    Usage,
)
from interpreter.protocol.messages import MalformedCall

_ENDS: dict[str, ReplyEnd] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "actions",
    "function_call": "actions",
    "content_filter": "filtered",
}


class TextTaker(Protocol):
    """Who reads the text of a reply."""

    acted: bool

    @property
    def done(self) -> bool: ...
    def feed(self, text: str) -> list[ModelEvent]: ...
    def finish(self, *, cut_off: bool) -> list[ModelEvent]: ...


class PlainText:
    """Text that is only prose: the model has tools and is trusted to use them."""

    acted = False
    done = False

    def feed(self, text: str) -> list[ModelEvent]:
        """Say it."""
        return [TextDelta(without_half_characters(text))]

    def finish(self, *, cut_off: bool) -> list[ModelEvent]:
        """Nothing is held back."""
        return []


@dataclass(slots=True)
class _Call:
    """A tool call while its arguments arrive."""

    call_id: str
    name: str
    arguments: ArgumentsReader = field(default_factory=ArgumentsReader)

    def feed(self, text: str, toolbox: DialectTools) -> list[ModelEvent]:
        code = self.arguments.feed(text)
        if not code or canonical_name(self.name, toolbox) != EXECUTE:
            return []
        named = self.arguments.language or ""
        return [CodeDelta(toolbox.languages.find(named) or named, code, self.call_id)]


class CallReader:
    """Tool calls of one reply, by index or id, proposed in order as each is complete."""

    def __init__(self, toolbox: DialectTools) -> None:
        self._toolbox = toolbox
        self._open: dict[Any, _Call] = {}
        self._latest: Any = None
        self.acted = False

    def feed(self, call_id: str, index: Any, name: str, arguments: str) -> list[ModelEvent]:
        """Take a piece of a call."""
        events: list[ModelEvent] = []
        key = self._key(call_id, index, name)
        if key not in self._open:
            events += self._propose_complete()
            self._open[key] = _Call(call_id, name)
        call = self._open[key]
        if name and call.name != name:
            call.name += name if not call.name.endswith(name) else ""
        return events + call.feed(arguments, self._toolbox)

    def finish(self, *, cut_off: bool) -> list[ModelEvent]:
        """Propose what is left; the last call of a reply that was cut off is not whole."""
        events: list[ModelEvent] = []
        for call in self._open.values():
            if cut_off and not call.arguments.complete:
                malformed = MalformedCall(call.arguments.text, CUT_OFF, call.call_id)
                events.append(ActionProposed(malformed))
            else:
                events.append(self._proposal(call))
        self._open = {}
        self.acted = self.acted or bool(events)
        return events

    def _key(self, call_id: str, index: Any, name: str) -> Any:
        # Some servers count every call as number 0 and differ only in the id, or send no number.
        if index is None:
            index = self._latest[0] if self._latest and not (call_id or name) else call_id
        key = (index, call_id)
        if not call_id and self._latest is not None and self._latest[0] == index:
            key = self._latest
        self._latest = key
        return key

    def _propose_complete(self) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        while self._open:
            key, call = next(iter(self._open.items()))
            if not call.arguments.complete:
                break
            del self._open[key]
            events.append(self._proposal(call))
            self.acted = True
        return events

    def _proposal(self, call: _Call) -> ActionProposed:
        return ActionProposed(
            action_of(call.name, call.arguments.text, call.call_id, self._toolbox)
        )


class ChunkReader:
    """One reply, chunk by chunk. Only the first choice counts."""

    def __init__(self, toolbox: DialectTools, text: TextTaker) -> None:
        self._text = text
        self._calls = CallReader(toolbox)
        self._reason = ""
        self.usage: Usage | None = None
        self.ended = False

    @property
    def done(self) -> bool:
        """Whether the rest of the reply need not be generated."""
        return self._text.done

    @property
    def end(self) -> ReplyEnd:
        """Why the model stopped."""
        if self._calls.acted or self._text.acted:
            return "length" if self._reason == "length" else "actions"
        end = _ENDS.get(self._reason, "stop")
        return "stop" if end == "actions" else end

    def feed(self, chunk: dict[str, Any]) -> list[ModelEvent]:
        """Take one chunk, or a whole completion from a server that does not stream."""
        usage = chunk.get("usage") or (chunk.get("x_groq") or {}).get("usage")
        if isinstance(usage, dict):
            self.usage = usage_of(usage)
        elif isinstance(chunk.get("timings"), dict):
            self.usage = usage_so_far(chunk["timings"])
        choice = _first(chunk.get("choices"))
        if choice is None:
            return []
        events: list[ModelEvent] = []
        delta = choice.get("delta") or choice.get("message") or {}
        if isinstance(delta, dict):
            events = self._delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._reason, self.ended = reason, True
        return events

    def finish(self) -> list[ModelEvent]:
        """The stream has ended."""
        cut_off = self._reason in ("length", "max_tokens")
        return self._text.finish(cut_off=cut_off) + self._calls.finish(cut_off=cut_off)

    def _delta(self, delta: dict[str, Any]) -> list[ModelEvent]:
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        events: list[ModelEvent] = []
        if isinstance(thought, str) and thought:
            events.append(ReasoningDelta(thought))
        content = delta.get("content")
        if content:
            events += self._content(content)
        for call in delta.get("tool_calls") or ():
            events += self._call(call)
        if isinstance(delta.get("function_call"), dict):
            events += self._call({"index": "legacy", "function": delta["function_call"]})
        return events

    def _content(self, content: Any) -> list[ModelEvent]:
        if isinstance(content, str):
            return self._text.feed(content)
        events: list[ModelEvent] = []
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict):
                continue
            if part.get("type") == "thinking":
                events.append(ReasoningDelta(_flat(part.get("thinking"))))
            elif isinstance(part.get("text"), str):
                events += self._text.feed(part["text"])
        return events

    def _call(self, call: Any) -> list[ModelEvent]:
        if not isinstance(call, dict):
            return []
        function = call.get("function") or {}
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):  # an object, from servers that decode too early
            arguments = json.dumps(arguments)
        seal = ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")
        sealed: list[ModelEvent] = [ReasoningDelta("", GOOGLE + str(seal))] if seal else []
        return sealed + self._calls.feed(
            str(call.get("id") or ""), call.get("index"), str(function.get("name") or ""), arguments
        )


def usage_of(usage: dict[str, Any]) -> Usage:
    """Token counts in any of the ways that servers write them."""
    prompt = usage.get("prompt_tokens_details") or {}
    completion = usage.get("completion_tokens_details") or {}
    cached = prompt.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or 0
    return Usage(
        input=_count(usage.get("prompt_tokens")),
        cached=_count(cached),
        output=_count(usage.get("completion_tokens")),
        reasoning=_count(completion.get("reasoning_tokens")),
        dollars=usage["cost"] if isinstance(usage.get("cost"), float) else None,  # OpenRouter's
    )


def usage_so_far(timings: dict[str, Any]) -> Usage:
    """What llama.cpp counts with every token, so that a reply that is cut short is counted too."""
    cached = _count(timings.get("cache_n"))
    return Usage(
        input=cached + _count(timings.get("prompt_n")),
        cached=cached,
        output=_count(timings.get("predicted_n")),
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def _flat(thinking: Any) -> str:
    if isinstance(thinking, str):
        return thinking
    parts = thinking if isinstance(thinking, list) else ()
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _first(choices: Any) -> dict[str, Any] | None:
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            return choice
    return None


def text_taker(toolbox: DialectTools, *, scan: bool) -> TextTaker:
    """Who reads the text of a reply in a dialect that looks for actions in it, or does not."""
    if not scan:
        return PlainText()
    from interpreter.models.dialects.text_reply import TextReply  # noqa: PLC0415 - see below

    # Loaded while the model thinks, not before the first request: it compiles many patterns.
    return TextReply(toolbox)
