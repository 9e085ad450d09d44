"""Our values as the message dictionaries of Open Interpreter (LMC), and back.

The only place where such dictionaries are made or read.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import (
    ActionProposed,
    ActiveLine,
    ApprovalRequested,
    CodeDelta,
    DisplayShown,
    Event,
    ExecutionFinished,
    MessageFinished,
    OutputDelta,
    TextDelta,
    TurnFinished,
)
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    ActionResult,
    Code,
    Display,
    Face,
    MalformedCall,
    Message,
    Output,
    Part,
    Text,
)

Dictionary = dict[str, Any]
IMAGE_FORMATS = {"base64.png": "image/png", "base64.jpeg": "image/jpeg", "base64": "image/png"}
CONSOLE: Dictionary = {"role": "computer", "type": "console"}


# Messages.


def encode(message: Message) -> list[Dictionary]:
    """A message of ours as one or more dictionaries."""
    audience = {} if message.audience == "everyone" else {"recipient": message.audience}
    contents = _computer(message) if message.role == "computer" else _said(message)
    return [{"role": message.role, **content, **audience} for content in contents]


def _said(message: Message) -> Iterator[Dictionary]:
    for part in message.parts:
        match part:
            case Text(text):
                yield {"type": "message", "content": text}
            case Code() | ActionCall() | MalformedCall():
                yield {"type": "code", **_action(part)}
            case Display() if part.image:
                yield _image(part.image)
            case _:
                pass


def _computer(message: Message) -> Iterator[Dictionary]:
    """What a block printed is one console message; an empty one if it printed nothing."""
    printed = "".join(_printed(part) for part in message.parts)
    images = [p.image for p in message.parts if isinstance(p, Display) and p.image]
    results = message.results
    if not printed and results and results[-1].outcome != "ok":
        printed = results[-1].summary
    if printed or not images:
        yield {"type": "console", "format": "output", "content": printed}
    for face in images:
        yield _image(face)


def _printed(part: Part) -> str:
    match part:
        case Output(text, _, omitted):
            return (f"\n[{omitted} characters left out]\n" if omitted else "") + text
        case Display() if not part.image:
            return part.text
        case _:
            return ""


def _action(action: Action) -> Dictionary:
    match action:
        case Code(language, source):
            return {"format": language, "content": source}
        case ActionCall(tool, arguments):
            return {"format": tool, "content": arguments}
        case MalformedCall(raw):
            return {"format": "text", "content": raw}


def _image(face: Face) -> Dictionary:
    data = face.data if isinstance(face.data, bytes) else face.data.encode()
    kind = "base64.jpeg" if face.media_type == "image/jpeg" else "base64.png"
    return {"type": "image", "format": kind, "content": base64.b64encode(data).decode("ascii")}


def decode(dictionary: Dictionary) -> Message:
    """One dictionary as a message of ours; ConfigurationError says what is wrong with it."""
    role, kind = dictionary.get("role", "user"), dictionary.get("type", "message")
    content, style = dictionary.get("content", ""), dictionary.get("format", "")
    audience: Any = dictionary.get("recipient") or "everyone"
    if role not in ("user", "assistant", "computer"):
        raise ConfigurationError(f"A message's role is user, assistant or computer, not {role!r}.")
    if audience not in ("everyone", "user", "assistant"):
        raise ConfigurationError(f"A message's recipient is user or assistant, not {audience!r}.")
    if not isinstance(content, str):
        raise ConfigurationError(f"A message's content is a text, not {type(content).__name__}.")
    return Message(role, tuple(_parts(role, kind, style, content)), audience=audience)


def _parts(role: str, kind: str, style: str, content: str) -> Iterator[Part]:
    match role, kind:
        case _, "message" | "file" | "error":
            yield Text(content)
        case "assistant", "code":
            yield Code(style or "python", content)
        case "computer", "code":
            yield Display((Face("text/html", content), Face("text/plain", content)))
        case "computer", "console":
            yield Output(content)
        case _, "image":
            yield _decoded_image(style, content)
        case _:
            raise ConfigurationError(f"A {role} message cannot be of type {kind!r}.")
    if role == "computer":
        yield ActionResult("", "ok")


def _decoded_image(style: str, content: str) -> Part:
    if style == "path":
        return Text(f"[picture: {content}]")
    if style == "description":
        return Text(content)
    if style not in IMAGE_FORMATS:
        known = ", ".join([*IMAGE_FORMATS, "path", "description"])
        raise ConfigurationError(f"A picture's format is one of {known}, not {style!r}.")
    try:
        data = base64.b64decode(content, validate=True)
    except binascii.Error as error:
        raise ConfigurationError(f"A picture is not valid base64: {error}.") from error
    return Display((Face(IMAGE_FORMATS[style], data),))


# Chunks.


class ChunkWriter:
    """Turns the events of a turn into chunks, with a start and an end flag around each message."""

    def __init__(self, *, confirmations: bool) -> None:
        self._confirmations = confirmations
        self._open: Dictionary | None = None
        self._coding = False

    def chunks(self, events: Iterable[Event]) -> Iterator[Dictionary]:
        """The chunks of a whole turn."""
        for event in events:
            yield from self._chunk(event)

    def _chunk(self, event: Event) -> Iterator[Dictionary]:
        match event:
            case TextDelta(text):
                yield from self._content({"role": "assistant", "type": "message"}, text)
            case CodeDelta(language, text):
                self._coding = True
                yield from self._code(language, text)
            case ActionProposed(action):
                yield from self._proposed(action)
            case ApprovalRequested(action):
                yield from self._confirmation(action)
            case MessageFinished() | TurnFinished():
                yield from self._close()
            case _:
                yield from self._running(event)

    def _running(self, event: Event) -> Iterator[Dictionary]:
        match event:
            case OutputDelta(text):
                yield from self._console("output", text)
            case ActiveLine(line) if line is not None:
                yield from self._console("active_line", line)
            case ExecutionFinished():
                yield from self._switch(CONSOLE)
                yield {**CONSOLE, "format": "active_line", "content": None}
            case DisplayShown(display) if display.image:
                image = _image(display.image)
                flags = {"role": "computer", "type": "image", "format": image["format"]}
                yield from self._content(flags, image["content"])
            case DisplayShown(display):
                yield from self._console("output", display.text)
            case _:
                pass

    def _proposed(self, action: Action) -> Iterator[Dictionary]:
        whole = _action(action)
        if not self._coding:
            yield from self._code(whole["format"], whole["content"])
        self._coding = False
        yield from self._close()

    def _confirmation(self, action: Action) -> Iterator[Dictionary]:
        yield from self._close()
        if self._confirmations:
            content = {"type": "code", **_action(action)}
            flags = {"role": "computer", "type": "confirmation", "format": "execution"}
            yield {**flags, "content": content}

    def _code(self, language: str, text: str) -> Iterator[Dictionary]:
        yield from self._content({"role": "assistant", "type": "code", "format": language}, text)

    def _console(self, style: str, content: str | int) -> Iterator[Dictionary]:
        if content != "":
            yield from self._switch(CONSOLE)
            yield {**CONSOLE, "format": style, "content": content}

    def _content(self, flags: Dictionary, text: str) -> Iterator[Dictionary]:
        if text:
            yield from self._switch(flags)
            yield {**flags, "content": text}

    def _switch(self, flags: Dictionary) -> Iterator[Dictionary]:
        if self._open != flags:
            yield from self._close()
            self._open = flags
            yield {**flags, "start": True}

    def _close(self) -> Iterator[Dictionary]:
        if self._open is not None:
            yield {**self._open, "end": True}
            self._open = None
