"""What a program written for OpenAI's API asks, as a conversation of ours."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from typing import Any

from interpreter.protocol.messages import Display, Face, Message, Part, Text
from interpreter.protocol.values import frozen
from interpreter.server.errors import Refused

OWN_NAMES = ("", "reploop", "interpreter", "open-interpreter")
PICTURE = re.compile(r"data:(image/(?:png|jpeg));base64,(.*)", re.DOTALL)


@frozen
class AskedConversation:
    """What was said before, what is said now, and what the model is told beside it."""

    history: tuple[Message, ...]
    said: Message
    instructions: str = ""


def conversation(messages: Iterable[Any], instructions: str = "") -> AskedConversation:
    """The messages of a request; the last one must be the user's."""
    found: list[Message] = []
    told = [instructions] if instructions else []
    for one in messages:
        if not isinstance(one, dict) or not isinstance(one.get("role", "user"), str):
            raise Refused(400, "invalid", "A message must have a role and content.")
        role = one.get("role", "user")
        parts = tuple(_parts(one.get("content")))
        if role in ("system", "developer"):
            told.append("".join(part.text for part in parts if isinstance(part, Text)))
        elif role == "assistant":
            found.append(Message("assistant", parts))
        else:
            found.append(Message("user", parts))
    if not found or found[-1].role != "user" or not found[-1].parts:
        raise Refused(400, "invalid", "The last message must be the user's.")
    return AskedConversation(tuple(found[:-1]), found[-1], "\n\n".join(told))


def _parts(content: Any) -> Iterable[Part]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if content is None:
        return ()
    if not isinstance(content, list):
        raise Refused(400, "invalid", "Content must be a text or a list of parts.")
    return tuple(_part(part) for part in content)


def _part(part: Any) -> Part:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("text", "input_text", "output_text") and isinstance(part.get("text"), str):
        return Text(part["text"])
    if kind in ("image_url", "input_image"):
        found = part.get("image_url")
        return _picture(found.get("url") if isinstance(found, dict) else found)
    raise Refused(400, "invalid", "A part must be a text or a picture.")


def _picture(address: Any) -> Part:
    match = PICTURE.fullmatch(address) if isinstance(address, str) else None
    if match is None:
        raise Refused(400, "invalid", "A picture must be a data: address of a PNG or JPEG.")
    try:
        data = base64.b64decode(match[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused(400, "invalid", "A picture is not base64.") from error
    return Display((Face(match[1], data),))
