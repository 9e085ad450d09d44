"""Pictures as models take them, or as words for models that do not see."""

from __future__ import annotations

import base64
import struct

from interpreter.protocol.messages import Face


def encoded(face: Face) -> str:
    """The bytes of a picture in base64."""
    return base64.b64encode(bytes_of(face)).decode("ascii")


def data_url(face: Face) -> str:
    """The picture as a data URL."""
    return f"data:{face.media_type};base64,{encoded(face)}"


def bytes_of(face: Face) -> bytes:
    """The bytes of a picture, also when they are kept as base64 text."""
    if isinstance(face.data, bytes):
        return face.data
    return base64.b64decode(face.data)


def described(face: Face, text: str = "") -> str:
    """One line about a picture that is not shown."""
    size = dimensions(face)
    shape = f"{size[0]}×{size[1]} pixels, " if size else ""
    kind = face.media_type.removeprefix("image/").upper()
    note = f"[a {kind} picture, {shape}{len(bytes_of(face))} bytes, which you cannot see]"
    return f"{text}\n{note}" if text else note


def dimensions(face: Face) -> tuple[int, int] | None:
    """Width and height, read from the picture's header."""
    data = bytes_of(face)
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    return _jpeg_dimensions(data) if data[:2] == b"\xff\xd8" else None


def _jpeg_dimensions(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None
