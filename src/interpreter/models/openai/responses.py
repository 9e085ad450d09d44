"""OpenAI's responses API, for requests with a screen: only there its models have their own tool.

All else goes by chat completions, and so does this where a server does not know the other one.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import Any

from interpreter.models.dialects.toolbox import DialectTools, toolbox_of
from interpreter.models.http.asking import Events, answered, json_object
from interpreter.models.http.connection import HttpAnswer
from interpreter.models.http.provider_errors import (
    Rejected,
    Transient,
    broken_off,
    in_stream,
    refusal,
)
from interpreter.models.openai.chat_completions import ChatCompletions
from interpreter.models.openai.responses_wire import (
    OPENAI,
    PREVIEW,
    ResponsesEncoder,
    computer_call,
    tool_list,
)
from interpreter.models.openai.stream import CallReader
from interpreter.models.prices import priced
from interpreter.models.wire import EncodedHistory, to_json
from interpreter.protocol.events import (
    ActionProposed,
    ModelEvent,
    ReasoningDelta,
    ReplyEnd,
    ReplyFinished,
    TextDelta,
    Usage,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Request

_KNOW_SCREENS = re.compile(r"gpt-(5\.[4-9]|[6-9])(?!.*nano)|computer-use-preview")
_RENAMED = {"max_completion_tokens": "max_output_tokens", "max_tokens": "max_output_tokens"}
_NOT_THERE = ("stream_options", "stream", "n")


def knows_screens(model: str) -> bool:
    """Whether a model of OpenAI's has a computer tool of its own."""
    return bool(_KNOW_SCREENS.search(model))


class WithScreen(ChatCompletions):
    """A model of OpenAI's that has a computer tool of its own."""

    _items: EncodedHistory | None = None
    _refused = False

    def stream(self, request: Request, interrupt: Interrupt) -> Events:
        """Answer the request, by the API that fits it."""
        if self._refused or not any(tool.display for tool in request.tools):
            return super().stream(request, interrupt)
        return self._with_screen(request, interrupt)

    def _with_screen(self, request: Request, interrupt: Interrupt) -> Events:
        patience = self.settings.patience
        yield from answered(self._ask_by_items, self._give_way, request, interrupt, patience)

    def _ask_by_items(self, request: Request, interrupt: Interrupt) -> Events:
        if self._refused:
            yield from self._ask(request, interrupt)
            return
        url = self.settings.url.replace("/chat/completions", "/responses")
        reader = ItemReader(toolbox_of(request.tools))
        with self._line.post(url, self._items_body(request), interrupt) as answer:
            yield from self._item_events(answer, reader)
        yield from reader.finish()
        yield ReplyFinished(reader.end, priced(reader.usage, self._price))

    def _give_way(self, rejected: Rejected) -> bool:
        """Go on by chat completions where the tool, or the whole API, is not known."""
        if self._refused:
            return self._adapt(rejected)
        unknown = rejected.status in (404, 405, 501)
        self._refused = unknown or (rejected.status == 400 and "computer" in rejected.message)
        return self._refused or self._adapt(rejected)

    def _items_body(self, request: Request) -> bytes:
        given = {
            _RENAMED.get(name, name): value
            for name, value in self._parameters.items()
            if name not in _NOT_THERE
        }
        if effort := given.pop("reasoning_effort", None):
            given["reasoning"] = {"effort": effort, "summary": "auto"}
        model = self._model_name()
        fields = {
            "model": model, **given, "stream": True, "store": False,
            "include": ["reasoning.encrypted_content"],
            **({"truncation": "auto"} if PREVIEW in model else {}),
            "instructions": request.system, "tools": tool_list(request.tools, model),
        }  # fmt: skip
        if self._items is None:
            self._items = EncodedHistory(ResponsesEncoder(self._wording.for_all))
        items = self._items.messages(self._wording.apply(request.messages))
        return to_json(fields)[:-1] + b',"input":[' + items + b"]}"

    def _item_events(self, answer: HttpAnswer, reader: ItemReader) -> Events:
        with closing(answer.events()) as events:
            for data in events:
                event = json_object(data, self._line.address)
                if event.get("type") in ("error", "response.failed"):
                    raise in_stream(refusal(self._line.address, 400, data, {}))
                yield from reader.feed(event)
        if not reader.ended:
            raise Transient(broken_off(self._line.address))


class ItemReader:
    """One reply, event by event."""

    def __init__(self, toolbox: DialectTools) -> None:
        self._calls = CallReader(toolbox)
        self._names: dict[Any, tuple[str, str]] = {}
        self._acted = False
        self._cut_off = False
        self.ended = False
        self.usage: Usage | None = None

    @property
    def end(self) -> ReplyEnd:
        """Why the model stopped."""
        if self._cut_off:
            return "length"
        return "actions" if self._acted or self._calls.acted else "stop"

    def feed(self, event: dict[str, Any]) -> list[ModelEvent]:
        """Take one event."""
        match event.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                return [TextDelta(str(event.get("delta") or ""))]
            case "response.reasoning_summary_text.delta":
                return [ReasoningDelta(str(event.get("delta") or ""))]
            case "response.output_item.added":
                return self._begun(event.get("output_index"), event.get("item") or {})
            case "response.function_call_arguments.delta":
                index = event.get("output_index")
                call_id, name = self._names.get(index, ("", ""))
                return self._calls.feed(call_id, index, name, str(event.get("delta") or ""))
            case "response.output_item.done":
                return self._item(event.get("item") or {})
            case "response.completed" | "response.incomplete":
                self.ended = True
                self._cut_off = event["type"].endswith("incomplete")
                self.usage = _usage((event.get("response") or {}).get("usage"))
        return []

    def finish(self) -> list[ModelEvent]:
        """The stream has ended."""
        return self._calls.finish(cut_off=self._cut_off)

    def _begun(self, index: Any, item: dict[str, Any]) -> list[ModelEvent]:
        if item.get("type") != "function_call":
            return []
        self._names[index] = (str(item.get("call_id") or ""), str(item.get("name") or ""))
        return self._calls.feed(self._names[index][0], index, self._names[index][1], "")

    def _item(self, item: dict[str, Any]) -> list[ModelEvent]:
        if item.get("type") == "computer_call":
            events = self._calls.finish(cut_off=False)  # what was called before it comes first
            self._acted = True
            return [*events, ActionProposed(computer_call(item))]
        if item.get("type") == "reasoning" and item.get("encrypted_content"):
            kept = {key: item.get(key) for key in ("type", "id", "encrypted_content")}
            kept["summary"] = item.get("summary") or []
            return [ReasoningDelta("", OPENAI + json.dumps(kept))]
        return []


def _usage(given: Any) -> Usage | None:
    if not isinstance(given, dict):
        return None
    read, written = given.get("input_tokens_details"), given.get("output_tokens_details")
    return Usage(
        input=int(given.get("input_tokens") or 0),
        cached=int((read or {}).get("cached_tokens") or 0),
        output=int(given.get("output_tokens") or 0),
        reasoning=int((written or {}).get("reasoning_tokens") or 0),
    )
