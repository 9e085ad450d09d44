"""What was typed becomes a message: mentioned files, pictures, and news since the last one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.messages import Display, Face, Message, Part, Text

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
LARGEST_PICTURE = 20_000_000
MENTION = re.compile(r"(?<!\S)@(\"[^\"]+\"|'[^']+'|\S+)")
WORD = re.compile(r"\"[^\"\n]+\"|'[^'\n]+'|(?:\\ |\S)+")
LONGEST_PATH = 4_000


def compose(text: str, news: Sequence[str] = ()) -> Message:
    """The message of a text: the pictures it names are attached, `@file` becomes the path."""
    body = MENTION.sub(_mentioned, _without_quotes(text))
    pictures = [_picture(path) for path in dict.fromkeys(_picture_paths(body))]
    said = "\n\n".join([*news, body])
    parts: list[Part] = [Text(said), *(picture for picture in pictures if picture)]
    return Message("user", tuple(parts))


def _without_quotes(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith('"""'):
        return stripped.removeprefix('"""').removesuffix('"""').strip("\n")
    return text


def _mentioned(found: re.Match[str]) -> str:
    path = found[1].strip("\"'")
    return f'"{path}"' if _exists(path) and " " in path else path if _exists(path) else found[0]


def _exists(path: str) -> bool:
    try:
        return len(path) < LONGEST_PATH and Path(path).expanduser().exists()
    except (OSError, ValueError):
        return False


def _picture_paths(text: str) -> Iterator[Path]:
    """The paths of pictures in a text, as they are typed, pasted, or dropped by a terminal."""
    if not any(suffix in text.lower() for suffix in PICTURES):
        return
    for found in WORD.finditer(text):
        name = found[0].strip("\"'").replace("\\ ", " ").removeprefix("file://").rstrip(",;:?!")
        if Path(name).suffix.lower() in PICTURES and _exists(name):
            yield Path(name).expanduser()


def _picture(path: Path) -> Display | None:
    try:
        place = safe_files.named_by_user(path, Path.cwd())
        data = safe_files.read_bytes(place, LARGEST_PICTURE)
    except OSError:
        return None
    for signature, media_type in SIGNATURES.items():
        if data.startswith(signature):
            return Display((Face("text/plain", f"[picture {path.name}]"), Face(media_type, data)))
    return None
