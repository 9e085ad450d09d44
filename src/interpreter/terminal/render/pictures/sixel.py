"""Sixel: six pixel rows at a time, each colour drawn over them, runs shortened."""

from __future__ import annotations

from itertools import groupby

from interpreter.terminal.render.pictures.pixels import Pixels

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
