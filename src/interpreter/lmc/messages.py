"""One message as dictionaries, and one dictionary as a message."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    Code,
    Display,
    Face,
    MalformedCall,
    Message,
    Output,
    Part,
    Text,
)
from interpreter.session.request.shrink import end_of

Dictionary = dict[str, Any]
IMAGE_FORMATS = {"base64.png": "image/png", "base64.jpeg": "image/jpeg", "base64": "image/png"}
RICH_FORMATS = {"html": "text/html", "javascript": "application/javascript"}
LARGEST_PICTURE = 50_000_000
SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
}


def encode(message: Message, *, most_output: int | None = None) -> list[Dictionary]:
    """A message of ours as one or more dictionaries; of a long output the end is kept."""
    audience = {} if message.audience == "everyone" else {"recipient": message.audience}
    contents = _computer(message, most_output) if message.role == "computer" else _said(message)
    return [{"role": message.role, **content, **audience} for content in contents]


def _said(message: Message) -> Iterator[Dictionary]:
    for part in message.parts:
        match part:
            case Text(text):
                yield {"type": "message", "content": text}
            case Code() | ActionCall() | MalformedCall():
                yield {"type": "code", **action_content(part)}
            case Display() if part.image:
                yield _image(part.image)
            case _:
                pass


def _computer(message: Message, most_output: int | None) -> Iterator[Dictionary]:
    """All that a block printed is one console message, an empty one if it printed nothing."""
    printed = "".join(printed_by(part) for part in message.parts)
    rich = [d for part in message.parts if isinstance(part, Display) for d in rich_contents(part)]
    results = message.results
    if not printed and results and results[-1].outcome != "ok":
        printed = results[-1].summary
    if printed or not rich or any(isinstance(part, Output) for part in message.parts):
        yield {"type": "console", "format": "output", "content": end_of(printed, most_output)}
    yield from rich


def printed_by(part: Part) -> str:
    """What a part adds to the console."""
    match part:
        case Output(text, _, omitted):
            return (f"\n[{omitted} characters left out]\n" if omitted else "") + text
        case Display() if not part.image:
            return part.text
        case _:
            return ""


def rich_contents(display: Display) -> Iterator[Dictionary]:
    """What a viewer can draw; the model has read the text where there is one."""
    if display.image:
        yield _image(display.image)
        return
    audience = {"recipient": "user"} if display.text else {}
    for style, media_type in (*RICH_FORMATS.items(), ("html", "image/svg+xml")):
        face = display.face(media_type)
        if face is not None and isinstance(face.data, str):
            yield {"type": "code", "format": style, "content": face.data, **audience}
            return


def action_content(action: Action) -> Dictionary:
    """The code of an action, as its dictionary has it."""
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


def decode(dictionary: Dictionary, *, strict: bool = True) -> Message:
    """One dictionary as a message of ours; ConfigurationError says what is wrong with it.

    If it is not `strict`, a picture that is gone from its path is only named.
    """
    if not isinstance(dictionary, dict):
        raise ConfigurationError(f"A message is a dictionary, not {type(dictionary).__name__}.")
    role, kind = dictionary.get("role", "user"), dictionary.get("type", "message")
    content, style = dictionary.get("content", ""), dictionary.get("format", "")
    audience: Any = dictionary.get("recipient") or "everyone"
    if role not in ("user", "assistant", "computer"):
        raise ConfigurationError(f"A message's role is user, assistant or computer, not {role!r}.")
    if audience not in ("everyone", "user", "assistant"):
        raise ConfigurationError(f"A message's recipient is user or assistant, not {audience!r}.")
    if not isinstance(content, str):
        raise ConfigurationError(f"A message's content is a text, not {type(content).__name__}.")
    if kind == "error":
        audience = "user"  # a model never reads what went wrong with a model
    if (kind, style) == ("image", "path"):
        parts = tuple(_picture_at(content, strict=strict))
    else:
        parts = tuple(_parts(role, kind, style, content))
    return Message(role, parts, audience=audience)


def _parts(role: str, kind: str, style: str, content: str) -> Iterator[Part]:
    match role, kind:
        case _, "message" | "file" | "error":
            yield Text(content)
        case "assistant", "code":
            yield Code(style or "python", content)
        case "user", "code":  # of an agent that talks to another, with the roles swapped
            yield Text(f"```{style or 'python'}\n{content}\n```")
        case "computer", "code":
            yield Display((Face(RICH_FORMATS.get(style, "text/html"), content),))
        case "computer", "console":
            yield Output(content)
        case _, "image":
            yield from _decoded_image(style, content)
        case _:
            raise ConfigurationError(f"A {role} message cannot be of type {kind!r}.")


def _decoded_image(style: str, content: str) -> Iterator[Part]:
    if style == "description":
        yield Text(content)
        return
    if style not in IMAGE_FORMATS:
        known = ", ".join([*IMAGE_FORMATS, "path", "description"])
        raise ConfigurationError(f"A picture's format is one of {known}, not {style!r}.")
    try:
        data = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ConfigurationError(f"A picture is not valid base64: {error}.") from error
    kind = picture_kind(data) if style == "base64" else None
    yield Display((Face(kind or IMAGE_FORMATS[style], data),))


def picture_kind(content: bytes) -> str | None:
    """What kind of picture it is, by how it begins."""
    return next((kind for sign, kind in SIGNATURES.items() if content.startswith(sign)), None)


def _picture_at(place: str, *, strict: bool) -> Iterator[Part]:
    yield Text(f"[picture: {place}]")
    try:
        yield _picture_file(Path(place).expanduser())
    except ConfigurationError:
        if strict:
            raise


def _picture_file(path: Path) -> Display:
    """A picture, and nothing else: a conversation of others may name any file of this machine."""
    try:
        place = safe_files.named_by_user(path, Path.cwd())
        content = safe_files.read_bytes(place, LARGEST_PICTURE)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The picture {path} cannot be read: {error}.") from error
    kind = picture_kind(content)
    if kind is None:
        raise ConfigurationError(f"The file {path} is not a PNG or JPEG picture.")
    return Display((Face(kind, content),))


def edited(dictionary: Dictionary, proposed: Action) -> Action | None:
    """The code of a message when it is no longer what was proposed: somebody changed it."""
    now = {key: dictionary.get(key) for key in ("format", "content")}
    if now == action_content(proposed) or dictionary.get("type") != "code":
        return None
    return Code(str(now["format"]), str(now["content"]), proposed.call_id)
