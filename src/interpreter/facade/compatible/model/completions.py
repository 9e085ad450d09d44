"""`llm.completions`: a model of ours asked in OpenAI's words, so that programs can wrap it."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, assert_never

from interpreter.lmc.messages import action_content
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ModelRetrying,
    ReasoningDelta,
    ReplyFinished,
    TextDelta,
)
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Part,
    Text,
)
from interpreter.protocol.ports import Request, ToolSpec


class Chunk(dict[str, Any]):
    """A dictionary whose entries are attributes, too: programs read chunks in both ways."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error


def asked(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Request:
    """A chat completion's arguments as a request of ours."""
    system = [str(one["content"]) for one in messages if one["role"] in ("system", "developer")]
    rest = [one for one in messages if one["role"] not in ("system", "developer")]
    specs = [tool["function"] for tool in tools]
    return Request(
        "\n\n".join(system),
        tuple(_message(one) for one in rest),
        tuple(
            ToolSpec(one["name"], one.get("description", ""), json.dumps(one["parameters"]))
            for one in specs
        ),
    )


def _message(one: dict[str, Any]) -> Message:
    content = one.get("content") or ""
    if one["role"] == "tool":
        result = ActionResult(str(one.get("tool_call_id", "")), "ok")
        return Message("computer", (Output(str(content)), result))
    parts = [Text(content)] if isinstance(content, str) else list(map(_part, content))
    calls = [_action(call) for call in one.get("tool_calls") or ()]
    said = tuple(part for part in parts if part != Text(""))
    return Message("assistant" if one["role"] == "assistant" else "user", (*said, *calls))


def _part(part: dict[str, Any]) -> Part:
    if part.get("type") != "image_url":
        return Text(str(part.get("text", "")))
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return Display((Face(kind, base64.b64decode(data)),))


def _action(call: dict[str, Any]) -> Action:
    function = call["function"]
    arguments = json.loads(function["arguments"] or "{}")
    if function["name"] == "execute" and "code" in arguments:
        return Code(arguments.get("language", "python"), arguments["code"], call["id"])
    return ActionCall(function["name"], function["arguments"], call["id"])


def answered(events: Generator[ModelEvent, None, None], *, in_calls: bool) -> Iterator[Chunk]:
    """The chunks of a reply: what it calls as tool calls, or as fenced code in the text."""
    called = itertools.count()
    with closing(events):
        for event in events:
            match event:
                case TextDelta(text):
                    yield _chunk({"content": text})
                case ActionProposed(action) if in_calls:
                    yield _chunk({"tool_calls": [_call(action, next(called))]})
                case ActionProposed(action):
                    code = action_content(action)
                    fence = f"\n```{code['format']}\n{code['content']}\n```\n"
                    yield _chunk({"content": fence})
                case ReplyFinished():
                    yield _chunk({}, "stop")
                case ReasoningDelta() | CodeDelta() | ModelRetrying():
                    pass
                case _:
                    assert_never(event)


def _call(action: Action, index: int) -> Chunk:
    name, arguments = "execute", ""
    match action:
        case Code(language, source):
            arguments = json.dumps({"language": language, "code": source})
        case ActionCall(name, arguments):
            pass
        case _:
            arguments = str(action_content(action)["content"])
    function = Chunk(name=name, arguments=arguments)
    return Chunk(index=index, id=action.call_id, type="function", function=function)


def _chunk(delta: dict[str, Any], end: str | None = None) -> Chunk:
    whole = Chunk(role="assistant", content=None, tool_calls=None) | delta
    return Chunk(choices=[Chunk(index=0, delta=Chunk(whole), finish_reason=end)])
