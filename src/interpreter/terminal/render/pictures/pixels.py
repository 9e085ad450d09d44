"""Pixels out of a picture's file: PNG by ourselves, other kinds where Pillow is installed."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from importlib import import_module
from typing import Any

from interpreter.protocol.values import frozen

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 16_000_000
OWN_PIXELS = 2_000_000  # that are read without Pillow, which takes some seconds
LONGEST_SIDE = 16_000
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")  # Pillow knows others, which start programs
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error)
GREY, PALETTE, GREY_ALPHA, RGB, RGBA = 0, 3, 4, 2, 6


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

    def within(self, width: int, height: int) -> Pixels:
        """The picture made smaller, if it is wider or higher than that."""
        scale = min(width / self.width, height / self.height)
        if scale >= 1:
            return self
        width, height = max(1, round(self.width * scale)), max(1, round(self.height * scale))
        rows = b"".join(self._row(y, width, height) for y in range(height))
        return Pixels(width, height, rows)

    def _row(self, y: int, width: int, height: int) -> bytes:
        """One row: the mean of the columns that fall together, of the middle row of those."""
        source = min(self.height - 1, (2 * y + 1) * self.height // (2 * height))
        start = source * self.width * 3
        line = self.rgb[start : start + self.width * 3]
        made = bytearray()
        for x in range(width):
            left, right = x * self.width // width, max(1, (x + 1) * self.width // width)
            right = max(left + 1, right)
            for channel in range(3):
                part = line[left * 3 + channel : right * 3 : 3]
                made.append(sum(part) // len(part))
        return bytes(made)


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


def read(data: bytes) -> Pixels:
    """The pixels of a picture on white; CannotRead when there are none to be had."""
    width, height = size_of(data)
    try:
        own = data.startswith(SIGNATURE) and width * height <= OWN_PIXELS
        return _png(data) if own else _by_pillow(data)
    except (struct.error, zlib.error, IndexError, KeyError, ValueError) as error:
        raise CannotRead(str(error)) from error


def _opened(data: bytes) -> Any:
    try:
        pillow = import_module("PIL.Image")
    except ImportError as error:
        raise CannotRead(f"this kind of picture needs Pillow: {error}") from error
    try:
        with warnings.catch_warnings(action="ignore"):  # we have bounds of our own
            return pillow.open(io.BytesIO(data), formats=FORMATS)
    except (*BROKEN, pillow.DecompressionBombError) as error:
        raise CannotRead(f"the picture cannot be read: {error}") from error


def _by_pillow(data: bytes) -> Pixels:
    with _opened(data) as image:
        try:
            coloured = image.convert("RGBA")
        except BROKEN as error:
            raise CannotRead(f"the picture is broken: {error}") from error
    width, height = coloured.size
    return Pixels(width, height, _as_rgb(coloured.tobytes(), RGBA, {}))


def _png(data: bytes) -> Pixels:
    chunks = _chunks(data)
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth != 8 or interlaced or kind not in CHANNELS:
        return _by_pillow(data)
    if (width, height) != size_of(data):
        raise CannotRead("the picture has two sizes")
    channels = CHANNELS[kind]
    size = (width * channels + 1) * height
    raw = zlib.decompressobj().decompress(chunks[b"IDAT"], size)
    if len(raw) < size:
        raise CannotRead("the picture is cut short")
    rows = _unfiltered(raw, width * channels, channels)
    return Pixels(width, height, _as_rgb(rows, kind, chunks))


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """The chunks by name, those of the same name joined."""
    found: dict[bytes, list[bytes]] = {}
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        found.setdefault(name, []).append(data[at + 8 : at + 8 + length])
        at += length + 12
    return {name: b"".join(parts) for name, parts in found.items()}


def _unfiltered(raw: bytes, stride: int, step: int) -> bytes:
    rows: list[bytes] = []
    above = bytes(stride)
    for at in range(0, len(raw) - stride, stride + 1):
        line = bytearray(raw[at + 1 : at + 1 + stride])
        above = bytes(FILTERS[raw[at]](line, above, step))
        rows.append(above)
    return b"".join(rows)


def _none(line: bytearray, above: bytes, step: int) -> bytearray:
    return line


def _sub(line: bytearray, above: bytes, step: int) -> bytearray:
    for at in range(step, len(line)):
        line[at] = (line[at] + line[at - step]) & 255
    return line


def _up(line: bytearray, above: bytes, step: int) -> bytearray:
    return bytearray((one + other) & 255 for one, other in zip(line, above, strict=True))


def _average(line: bytearray, above: bytes, step: int) -> bytearray:
    for at in range(len(line)):
        left = line[at - step] if at >= step else 0
        line[at] = (line[at] + (left + above[at]) // 2) & 255
    return line


def _paeth(line: bytearray, above: bytes, step: int) -> bytearray:
    for at in range(len(line)):
        left, corner = (line[at - step], above[at - step]) if at >= step else (0, 0)
        up = above[at]
        guess = left + up - corner
        by_left, by_up, by_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
        nearest = left if by_left <= by_up and by_left <= by_corner else up
        if by_corner < by_left and by_corner < by_up:
            nearest = corner
        line[at] = (line[at] + nearest) & 255
    return line


FILTERS = {0: _none, 1: _sub, 2: _up, 3: _average, 4: _paeth}


def _as_rgb(rows: bytes, kind: int, chunks: dict[bytes, bytes]) -> bytes:
    if kind == RGB:
        return rows
    if kind == PALETTE:
        table = chunks[b"PLTE"]
        return b"".join(table[number * 3 : number * 3 + 3] for number in rows)
    if kind == GREY:
        return b"".join(bytes((grey,)) * 3 for grey in rows)
    if kind == GREY_ALPHA:
        grey, alpha = rows[0::2], rows[1::2]
        flat = _on_white(grey, alpha)
        return b"".join(bytes((value,)) * 3 for value in flat)
    made = bytearray(len(rows) // 4 * 3)
    alpha = rows[3::4]
    for channel in range(3):
        made[channel::3] = _on_white(rows[channel::4], alpha)
    return bytes(made)


def _on_white(values: bytes, alpha: bytes) -> bytes:
    if alpha.count(255) == len(alpha):
        return values
    pairs = zip(values, alpha, strict=True)
    return bytes((value * opaque + 255 * (255 - opaque)) // 255 for value, opaque in pairs)
