"""Text on a terminal: styles as escape codes, widths in cells, and nothing hostile let through."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from interpreter.protocol.values import frozen
from interpreter.protocol.visible import SGR, tame, tame_plain, without_styles

__all__ = ["SGR", "tame", "tame_plain", "without_styles"]

RESET = "\x1b[0m"
TAB = 8


@frozen
class Palette:
    """The styles a face uses; all empty where there is no colour."""

    bold: str = "1"
    italic: str = "3"
    dim: str = "2"
    underline: str = "4"
    strike: str = "9"
    code: str = "36"
    link: str = "4;34"
    heading: str = "1;35"
    good: str = "32"
    bad: str = "31"
    warning: str = "33"
    accent: str = "1;36"

    @property
    def colourful(self) -> bool:
        """Whether anything is styled at all."""
        return bool(self.bold)


COLOURS = Palette()
NO_COLOURS = Palette(*[""] * 12)


def paint(text: str, style: str) -> str:
    """Text in a style; as it is when the style is empty."""
    return f"\x1b[{style}m{text}{RESET}" if style and text else text


@lru_cache(maxsize=4096)
def _cells_of(character: str) -> int:
    from wcwidth import wcwidth  # noqa: PLC0415  (only a real terminal needs it)

    return max(0, int(wcwidth(character)))


def cells(text: str) -> int:
    """How many columns a text takes, escape codes apart."""
    plain = SGR.sub("", text) if "\x1b" in text else text
    if plain.isascii():
        return len(plain)
    return sum(map(_cells_of, plain))


def expand_tabs(text: str) -> str:
    """Tabs as the spaces a terminal would show."""
    return text.expandtabs(TAB) if "\t" in text else text


def crop(text: str, width: int) -> str:
    """The beginning of a styled line that fits, with an ellipsis where something is cut."""
    text = expand_tabs(text)
    if cells(text) <= width:
        return text
    kept, room, styled = [], width - 1, False
    for piece in _pieces(text):
        if piece.startswith("\x1b"):
            kept.append(piece)
            styled = True
            continue
        room -= _cells_of(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + (RESET if styled else "") + "…"


def _pieces(text: str) -> Iterator[str]:
    """A styled text as escape codes and single characters."""
    at = 0
    for found in SGR.finditer(text):
        yield from text[at : found.start()]
        yield found[0]
        at = found.end()
    yield from text[at:]


def rows(text: str, width: int) -> int:
    """How many screen rows a line takes once the terminal has wrapped it."""
    return max(1, -(-cells(text) // max(1, width)))
