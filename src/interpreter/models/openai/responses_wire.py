"""Messages and tools as OpenAI's responses API wants them, with its computer tool."""

from __future__ import annotations

import json
from typing import Any

from interpreter.models.openai.wire import arguments_of, name_of
from interpreter.models.pictures import data_url
from interpreter.models.wire import (
    Answered,
    Exchange,
    answered,
    pictures_of,
    result_text,
    user_text,
)
from interpreter.protocol.messages import Action, ActionCall, Message, Reasoning
from interpreter.protocol.ports import ToolSpec
from interpreter.protocol.values import frozen

COMPUTER = "computer"
OPENAI = "openai:"
"""Begins the signature of a thought that OpenAI sealed; the item itself follows."""
PREVIEW = "computer-use-preview"


@frozen
class ResponsesEncoder:
    """Encodes exchanges as items."""

    user_template: str = "{content}"

    def __call__(self, exchange: Exchange, number: int) -> list[dict[str, Any]]:
        """The items of one exchange; each has a role, or is a call or its output."""
        first = exchange[0]
        if first.role == "user":
            return [_said_by_user(first, self.user_template), *_orphans(exchange[1:])]
        if first.role == "computer":
            return _orphans(exchange)
        pairs = answered(exchange, number)
        thoughts = [] if any(_was_not_done(pair) for pair in pairs) else _thoughts(first)
        said = [{"role": "assistant", "content": first.text}] if first.text else []
        calls = [item for pair in pairs for item in _call(pair)]
        return [*thoughts, *said, *calls] if said or calls else []


def tool_list(tools: tuple[ToolSpec, ...], model: str) -> list[dict[str, Any]]:
    """The tools of a request; the one that uses a screen in OpenAI's own words."""
    return [
        _computer(tool, model)
        if tool.display
        else {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": json.loads(tool.parameters),
            "strict": False,
        }
        for tool in tools
    ]


def _computer(tool: ToolSpec, model: str) -> dict[str, Any]:
    if PREVIEW not in model or tool.display is None:
        return {"type": COMPUTER}
    width, height = tool.display
    kind = {"type": "computer_use_preview", "environment": "linux"}
    return {**kind, "display_width": width, "display_height": height}


def computer_call(item: dict[str, Any]) -> ActionCall:
    """A call of the computer tool as an action; what must go back with its result stays in it."""
    actions = item.get("actions") or [item.get("action")]
    given = {"actions": actions, "id": item.get("id")}
    if checks := item.get("pending_safety_checks"):
        given["pending_safety_checks"] = checks
    return ActionCall(COMPUTER, json.dumps(given), str(item.get("call_id") or ""))


def _own_call(action: Action) -> dict[str, Any] | None:
    """What OpenAI's own tool was given, if it was this one that was called."""
    if not isinstance(action, ActionCall) or action.tool != COMPUTER:
        return None
    given = json.loads(action.arguments or "{}")
    return given if isinstance(given.get("actions"), list) else None


def _was_not_done(pair: Answered) -> bool:
    return _own_call(pair.action) is not None and not pictures_of(pair.results)


def _call(pair: Answered) -> list[dict[str, Any]]:
    told = result_text(pair.results, images=True)
    given = _own_call(pair.action)
    if given is None:
        call = {"type": "function_call", "call_id": pair.call_id, "name": name_of(pair.action),
                "arguments": arguments_of(pair.action)}  # fmt: skip
        output = {"type": "function_call_output", "call_id": pair.call_id, "output": told}
        seen = pictures_of(pair.results)
        shown = [_user("The picture that was shown:", seen)] if seen else []
        return [call, output, *shown]
    if _was_not_done(pair):  # their output is a picture or nothing: it is told in words
        wanted = json.dumps(given["actions"])
        return [{"role": "assistant", "content": f"I wanted to use the computer: {wanted}"},
                _user(told, [])]  # fmt: skip
    return _done(pair, given, told)


def _done(pair: Answered, given: dict[str, Any], told: str) -> list[dict[str, Any]]:
    checks = given.get("pending_safety_checks") or []
    call = {"type": "computer_call", "id": given.get("id") or f"cu_{pair.call_id}",
            "call_id": pair.call_id, "actions": given["actions"],
            "pending_safety_checks": checks, "status": "completed"}  # fmt: skip
    picture = {
        "type": "computer_screenshot",
        "image_url": data_url(pictures_of(pair.results)[-1]),
    }
    output = {"type": "computer_call_output", "call_id": pair.call_id, "output": picture}
    if checks:  # who was asked about it has said yes, or it would not have been done
        output["acknowledged_safety_checks"] = checks
    failed = any(one.outcome != "ok" for message in pair.results for one in message.results)
    return [call, output, *([_user(told, [])] if failed else [])]


def _thoughts(reply: Message) -> list[dict[str, Any]]:
    """Sealed thoughts go back as they came: their calls are refused without them."""
    seals = (part.signature for part in reply.parts if isinstance(part, Reasoning))
    return [json.loads(seal.removeprefix(OPENAI)) for seal in seals if seal.startswith(OPENAI)]


def _said_by_user(message: Message, template: str) -> dict[str, Any]:
    text = template.replace("{content}", user_text(message, images=True))
    return _user(text, pictures_of([message]))


def _orphans(messages: Exchange) -> list[dict[str, Any]]:
    if not messages:
        return []
    text = "Output of code that was run by hand:\n" + result_text(messages, images=True)
    return [_user(text, pictures_of(messages))]


def _user(text: str, pictures: list[Any]) -> dict[str, Any]:
    if not pictures:
        return {"role": "user", "content": text}
    parts: list[dict[str, Any]] = [{"type": "input_text", "text": text}] if text else []
    parts += [{"type": "input_image", "image_url": data_url(face)} for face in pictures]
    return {"role": "user", "content": parts}
