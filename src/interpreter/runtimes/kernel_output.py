"""What a kernel publishes, as events: everything in it is checked, nothing is trusted."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from interpreter.protocol.events import (
    ActiveLine,
    DisplayShown,
    OutputCleared,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import TABLE, Display, Face
from interpreter.runtimes.wire import Incoming

LARGEST_FACE = 20_000_000
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
BINARY = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"}
SPEAKING = ("text/markdown", "text/latex", "application/json")
RICHNESS = (
    "text/plain",
    "text/markdown",
    "text/latex",
    "application/json",
    TABLE,
    "text/html",
    "image/svg+xml",
    "image/gif",
    "image/webp",
    "image/jpeg",
    "image/png",
)


def published(message: Incoming) -> RuntimeEvent | None:
    """The event a message on the output channel stands for, if any."""
    match message.kind:
        case "stream":
            is_error = message.text("name") == "stderr"
            return OutputDelta(message.text("text"), "stderr" if is_error else "stdout")
        case "execute_result" | "display_data" | "update_display_data":
            return DisplayShown(_display(message), updates=message.kind.startswith("update"))
        case "clear_output":
            return OutputCleared(wait=message.content.get("wait") is True)
        case "error":
            return OutputDelta(_traceback(message), "stderr")
        case "reploop_active_line":
            return _active_line(message)
    return None


def failure(message: Incoming) -> str:
    """One line for the exception in an error or an error reply."""
    name, value = message.text("ename"), ANSI.sub("", message.text("evalue"))
    return f"{name}: {value}" if value else name


def _display(message: Incoming) -> Display:
    data, transient = message.content.get("data"), message.content.get("transient")
    faces = faces_of(data if isinstance(data, dict) else {})
    identity = transient.get("display_id") if isinstance(transient, dict) else None
    return Display(faces, identity if isinstance(identity, str) else "")


def faces_of(data: dict[Any, Any]) -> tuple[Face, ...]:
    """What a bundle of media types can be shown as, the richest last."""
    found = [_face(str(kind), value) for kind, value in data.items()]
    faces = _in_words([face for face in found if face is not None])
    return tuple(sorted(faces, key=lambda face: _richness(face.media_type)))


def _in_words(faces: list[Face]) -> list[Face]:
    """The same faces; one that only names its Python class gives way to what it says."""
    words = [f for f in faces if f.media_type in SPEAKING and isinstance(f.data, str)]
    plain = [f for f in faces if f.media_type == "text/plain"]
    if not words or not plain or not str(plain[0].data).startswith("<IPython.core.display."):
        return faces
    said = Face("text/plain", str(words[0].data)[:2000])
    return [said, *(f for f in faces if f is not plain[0])]


def _richness(media_type: str) -> float:
    return RICHNESS.index(media_type) if media_type in RICHNESS else 0.5


def _face(media_type: str, value: Any) -> Face | None:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)  # notebooks keep text as lines
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    if len(value) > LARGEST_FACE:
        return Face("text/plain", f"({media_type} of {len(value)} characters is left out)")
    if media_type not in BINARY:
        return Face(media_type, value)
    try:
        return Face(media_type, base64.b64decode(value))
    except (binascii.Error, ValueError):
        return None


def _traceback(message: Incoming) -> str:
    lines = message.content.get("traceback")
    if not isinstance(lines, list) or not lines:
        return failure(message) + "\n"
    return ANSI.sub("", "\n".join(str(line) for line in lines)).rstrip("\n") + "\n"


def _active_line(message: Incoming) -> ActiveLine | None:
    line = message.content.get("line")
    return ActiveLine(line) if isinstance(line, int) else None
