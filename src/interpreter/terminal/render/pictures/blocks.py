"""Pictures out of half blocks: two pixels in each character, for any terminal with colours."""

from __future__ import annotations

from interpreter.terminal.render.pictures.pixels import Pixels

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
