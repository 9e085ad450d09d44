"""Messages for models without tools: code in fences, results as templates say."""

from __future__ import annotations

from typing import Any

from interpreter.models.dialects.toolbox import EXECUTE, toolbox_of
from interpreter.models.openai.wire import user_message
from interpreter.models.options import Templates
from interpreter.models.wire import NO_OUTPUT, Exchange, pictures_of, result_text
from interpreter.protocol.messages import (
    ActionCall,
    Code,
    Display,
    MalformedCall,
    Message,
    Part,
    Text,
)
from interpreter.protocol.ports import ToolSpec
from interpreter.protocol.values import frozen


@frozen
class TextEncoder:
    """Encodes exchanges as plain conversation."""

    templates: Templates
    images: bool = False
    user_template: str = "{content}"

    def __call__(self, exchange: Exchange, number: int) -> list[dict[str, Any]]:
        """The provider's messages for one exchange."""
        first, results = exchange[0], exchange[1:]
        if first.role == "computer":
            return [self._result(exchange)]
        if first.role == "user":
            return self._said(exchange)
        written = "".join(_written(part) for part in first.parts).strip()
        reply = [{"role": "assistant", "content": written}] if written else []
        if first.actions:
            reply.append(self._result(results))
        return reply

    def _said(self, exchange: Exchange) -> list[dict[str, Any]]:
        """What the user says, as one message; then what was run by hand."""
        said = [
            user_message(message, images=self.images, template=self.user_template)
            for message in exchange
            if message.role == "user"
        ]
        results = exchange[len(said) :]
        return [_joined(said), *([self._result(results)] if results else [])]

    def _result(self, messages: Exchange) -> dict[str, Any]:
        text = result_text(messages, images=self.images)
        if self.templates.code_output_sender == "assistant":
            return {"role": "assistant", "content": f"```output\n{text}\n```"}
        if text == NO_OUTPUT:
            wording = self.templates.empty_code_output_template
        else:
            wording = self.templates.code_output_template.replace("{content}", text)
        shown = tuple(Display((face,)) for face in pictures_of(messages)) if self.images else ()
        return user_message(Message("user", (Text(wording), *shown)), images=self.images)


def _joined(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Messages of one role as one."""
    contents = [message["content"] for message in messages]
    if all(isinstance(content, str) for content in contents):
        return {**messages[0], "content": "\n\n".join(filter(None, contents))}
    parts = [[{"type": "text", "text": c}] if isinstance(c, str) else c for c in contents]
    return {**messages[0], "content": [part for some in parts for part in some]}


def fenced(code: Code) -> str:
    """A block of code in a fence that no line of it can close."""
    marks = "```"
    while marks in code.source:
        marks += "`"
    return f"\n{marks}{code.language}\n{code.source}\n{marks}\n"


def instructions(templates: Templates, tools: tuple[ToolSpec, ...]) -> str:
    """How to act, for the end of the system text."""
    others = [tool for tool in tools if tool.name != EXECUTE]
    lines = []
    if templates.execution_instructions and len(others) < len(tools):
        names = ", ".join(toolbox_of(tools).languages.names)
        lines = [templates.execution_instructions, f"Languages: {names}."]
    if others:
        lines.append(
            'To use another tool, write <tool_call>{"name": "…", "arguments": {…}}</tool_call> '
            "and stop. There are:"
        )
        lines += [f"- {tool.name}: {tool.description} {tool.parameters}" for tool in others]
    return "\n".join(lines)


def _written(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Code():
            return fenced(part)
        case ActionCall(tool, arguments):
            call = f'{{"name": "{tool}", "arguments": {arguments or "{}"}}}'
            return f"\n<tool_call>{call}</tool_call>\n"
        case MalformedCall(raw):
            return f"\n{raw}\n"
        case _:
            return ""
