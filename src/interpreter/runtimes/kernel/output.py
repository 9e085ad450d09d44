"""What a kernel publishes, as events: everything in it is checked, nothing is trusted."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from interpreter.protocol.events import (
    ActiveLine,
    DisplayShown,
    OutputCleared,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import LIBRARY, TABLE, Display, Face
from interpreter.runtimes.kernel.wire import Incoming

LARGEST_FACE = 20_000_000
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
FRAME = re.compile(r"File |(?:Cell|Input) In ?\[")
LIBRARY_FRAME = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python3|\.p(?:yx|xi|xd):|<frozen "
)
CHAINED = re.compile(r"The above exception was the direct cause|During handling of the above")
BINARY = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", LIBRARY}
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
    pieces = [ANSI.sub("", str(line)) for line in lines]
    return "\n".join(own_frames(pieces)).rstrip("\n") + "\n"


def own_frames(pieces: list[str]) -> list[str]:
    """A traceback with the frames of libraries left out, and where the last of them was.

    An exception that came about and was handled in libraries alone is left out as a whole.
    """
    parts: list[list[str]] = [[]]
    for piece in pieces:
        if CHAINED.match(piece.strip()):
            parts.append([])
        parts[-1].append(piece)
    told = [part for part in parts[:-1] if any(map(_is_own, part))]
    last = parts[-1] if told or len(parts) == 1 else parts[-1][1:]
    return [piece for part in (*told, last) for piece in _without_libraries(part)]


def _without_libraries(part: list[str]) -> Iterator[str]:
    left_out: list[str] = []
    for piece in part:
        if FRAME.match(piece) and not _is_own(piece):
            left_out.append(piece)
            continue
        if more := len(left_out[1:]):
            yield f"[{more} library frame{'s' if more > 1 else ''} left out]"
        if left_out:
            yield left_out.pop().split("\n", 1)[0]
            left_out.clear()
        yield piece


def _is_own(piece: str) -> bool:
    return bool(FRAME.match(piece)) and not LIBRARY_FRAME.search(piece.split("\n", 1)[0])


def _active_line(message: Incoming) -> ActiveLine | None:
    line = message.content.get("line")
    return ActiveLine(line) if isinstance(line, int) else None
