"""Pixels out of a picture's file, by Pillow where it is installed (the extra `pictures`)."""

from __future__ import annotations

import io
import struct
import warnings
from importlib import import_module
from typing import Any

from interpreter.protocol.values import frozen

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 16_000_000
LONGEST_SIDE = 16_000
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")  # Pillow knows others, which start programs
BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error)


class CannotRead(ValueError):
    """The file is broken, too large, or of a kind that cannot be read here."""


@frozen
class Pixels:
    """Rows of red, green, blue, top first."""

    width: int
    height: int
    rgb: bytes

    def at(self, x: int, y: int) -> tuple[int, int, int]:
        """One pixel."""
        start = (y * self.width + x) * 3
        red, green, blue = self.rgb[start : start + 3]
        return red, green, blue


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height by the head of a file; CannotRead when it is too large to be drawn."""
    if data.startswith(SIGNATURE) and data[12:16] == b"IHDR" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
    else:
        with _opened(data) as image:
            width, height = image.size
    if not (0 < width * height <= MOST_PIXELS and max(width, height) <= LONGEST_SIDE):
        raise CannotRead("the picture is too large")
    return width, height


def read(data: bytes, most: tuple[int, int] | None = None) -> Pixels:
    """The pixels of a picture on white, made smaller if it is wider or higher than `most`."""
    size = size_of(data)
    with _opened(data) as image:
        if image.size != size:
            raise CannotRead("the picture has two sizes")
        try:
            coloured = image.convert("RGBA")
            if most is not None:
                coloured.thumbnail(most)
            flat = import_module("PIL.Image").new("RGBA", coloured.size, "white")
            flat.alpha_composite(coloured)
        except BROKEN as error:
            raise CannotRead(f"the picture is broken: {error}") from error
    width, height = flat.size
    return Pixels(width, height, flat.convert("RGB").tobytes())


def _opened(data: bytes) -> Any:
    try:
        pillow = import_module("PIL.Image")
    except ImportError as error:
        raise CannotRead(f"drawing pictures needs Pillow: {error}") from error
    try:
        with warnings.catch_warnings(action="ignore"):  # we have bounds of our own
            return pillow.open(io.BytesIO(data), formats=FORMATS)
    except (*BROKEN, pillow.DecompressionBombError) as error:
        raise CannotRead(f"the picture cannot be read: {error}") from error
