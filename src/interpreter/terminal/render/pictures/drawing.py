"""A picture as a terminal takes it: a file (kitty, iTerm2), sixels, or half blocks in colour."""

from __future__ import annotations

import base64
from itertools import groupby

from interpreter.terminal.render.pictures.pixels import Pixels, read

CHUNK = 4096  # bytes of base64 that kitty takes at once
PNG = b"\x89PNG\r\n\x1a\n"


def kitty(data: bytes, columns: int, rows: int) -> str:
    """A PNG as it is, anything else as raw pixels; in so many columns and rows."""
    if data.startswith(PNG):
        head, body = "f=100", data
    else:
        pixels = read(data)
        head, body = f"f=24,s={pixels.width},v={pixels.height}", pixels.rgb
    encoded = base64.standard_b64encode(body).decode("ascii")
    pieces = [encoded[at : at + CHUNK] for at in range(0, len(encoded), CHUNK)]
    text = []
    for place, piece in enumerate(pieces):
        more = int(place < len(pieces) - 1)
        control = f"a=T,q=2,{head},c={columns},r={rows},m={more}" if place == 0 else f"m={more}"
        text.append(f"\x1b_G{control};{piece}\x1b\\")
    return "".join(text) + "\n"


def iterm2(data: bytes, columns: int, rows: int) -> str:
    """Any file that iTerm2 knows, not larger than so many columns and rows."""
    encoded = base64.standard_b64encode(data).decode("ascii")
    control = f"inline=1;size={len(data)};width={columns};height={rows};preserveAspectRatio=1"
    return f"\x1b]1337;File={control}:{encoded}\x07\n"


LEVELS = 6  # of red, green and blue: 216 colours, within the 256 that terminals have
PERCENT = 100
SHORTEST_RUN = 4


def sixel(pixels: Pixels) -> str:
    """The picture in a palette of 216 colours."""
    rows = _palette_rows(pixels)
    used = sorted({colour for row in rows for colour in row})
    colours = "".join(_definition(colour) for colour in used)
    bands = [_band(rows[top : top + 6], pixels.width) for top in range(0, pixels.height, 6)]
    size = f'"1;1;{pixels.width};{pixels.height}'
    return f"\x1bP0;1;0q{size}{colours}{'-'.join(bands)}\x1b\\\n"


def _palette_rows(pixels: Pixels) -> list[bytes]:
    """The number of each pixel's colour."""
    scale = bytes(round(value * (LEVELS - 1) / 255) for value in range(256))
    levels = pixels.rgb.translate(scale)
    red, green, blue = levels[0::3], levels[1::3], levels[2::3]
    numbers = bytes(r * 36 + g * 6 + b for r, g, b in zip(red, green, blue, strict=True))
    width = pixels.width
    return [numbers[at : at + width] for at in range(0, len(numbers), width)]


def _definition(colour: int) -> str:
    levels = (colour // 36, colour // 6 % 6, colour % 6)
    percents = ";".join(str(level * PERCENT // (LEVELS - 1)) for level in levels)
    return f"#{colour};2;{percents}"


def _band(rows: list[bytes], width: int) -> str:
    """Six rows: for each colour, which of the six pixels of each column have it."""
    masks: dict[int, bytearray] = {}
    for bit, row in enumerate(rows):
        for x, colour in enumerate(row):
            mask = masks.get(colour)
            if mask is None:
                mask = masks[colour] = bytearray(width)
            mask[x] |= 1 << bit
    return "$".join(f"#{colour}{_runs(mask)}" for colour, mask in sorted(masks.items()))


def _runs(mask: bytearray) -> str:
    pieces = []
    for bits, group in groupby(mask):
        length = sum(1 for _ in group)
        character = chr(63 + bits)
        pieces.append(f"!{length}{character}" if length >= SHORTEST_RUN else character * length)
    return "".join(pieces)


UPPER = "▀"


def half_blocks(pixels: Pixels) -> str:
    """Lines of text; a pixel row more than even is black."""
    lines = []
    for top in range(0, pixels.height, 2):
        lines.append(_line(pixels, top))
    return "\n".join(lines) + "\n"


def _line(pixels: Pixels, top: int) -> str:
    pieces: list[str] = []
    last = None
    for x in range(pixels.width):
        above = pixels.at(x, top)
        below = pixels.at(x, top + 1) if top + 1 < pixels.height else (0, 0, 0)
        if (above, below) != last:
            last = (above, below)
            pieces.append("\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*above, *below))
        pieces.append(UPPER)
    return "".join(pieces) + "\x1b[0m"
