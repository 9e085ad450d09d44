"""A rich result in a terminal: the best of its faces as lines, and the file to open."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from interpreter.protocol.messages import LIBRARY, TABLE, Display, Face
from interpreter.protocol.values import frozen
from interpreter.terminal.render.ansi import RESET, Palette, paint, tame, tame_plain
from interpreter.terminal.render.markdown.latex import readable
from interpreter.terminal.render.markdown.prose import MarkdownText
from interpreter.terminal.render.markdown.tables import data_table, html_text

Draw = Callable[[Face, int, int], str]
"""A picture as what must be written to the terminal, in at most so many columns and rows; empty
where it cannot be drawn."""

OPENED = ("image/png", "image/jpeg", "image/gif", "image/svg+xml", "text/html", "text/latex")
PAGE_LINES = 30
AROUND = 3  # rows left for the file and for what comes next
OBJECT = re.compile(r"<[\w.]+( object)?( at 0x[0-9a-f]+)?>")


@frozen
class Shown:
    """What to print for a display: lines, then a picture, then a line with the file."""

    lines: tuple[str, ...] = ()
    picture: str = ""
    file: str = ""


def short(path: str, directory: Path) -> str:
    """A path as people say it: from here, or from the home."""
    for place, sign in ((directory, ""), (Path.home(), "~/")):
        if Path(path).is_relative_to(place):
            return sign + str(Path(path).relative_to(place))
    return path


def show_display(
    display: Display,
    window: tuple[int, int],
    palette: Palette,
    draw: Draw,
    keep: Callable[[Face], Path | None],
) -> Shown:
    """A display as this terminal, of so many columns and rows, can show it."""
    width, height = window
    file = _file(display, palette, keep)
    if display.image and (picture := draw(display.image, width, max(1, height - AROUND))):
        return Shown(picture=picture, file=file)
    lines = _lines(display, width, palette)
    if display.face(TABLE):
        file = ""  # the page a data frame comes with says no more than the table
    return Shown(tuple(lines), file=file)


def _file(display: Display, palette: Palette, keep: Callable[[Face], Path | None]) -> str:
    for media_type in (LIBRARY, *OPENED):
        face = display.face(media_type)
        path = keep(face) if face else None
        if path is not None:
            return paint(f"→ {path}", palette.dim)
    return ""


def _lines(display: Display, width: int, palette: Palette) -> list[str]:
    table = display.face(TABLE)
    if table and isinstance(table.data, str):
        lines = data_table(table.data, width, palette)
        if lines is not None:
            return lines
    for media_type in ("text/markdown", "text/latex", "text/plain", "text/html"):
        face = display.face(media_type)
        if face and isinstance(face.data, str):
            lines = _text_lines(media_type, face.data, width, palette)
            if not (media_type == "text/plain" and _says_nothing(lines, display)):
                return lines
    kinds = ", ".join(face.media_type for face in display.faces)
    return [paint(f"[{kinds}]", palette.dim)]


def _says_nothing(lines: list[str], display: Display) -> bool:
    """Whether a text only names the class of an object that has a page with words, too."""
    page = display.face("text/html")
    words = page is not None and isinstance(page.data, str) and html_text(page.data)
    return bool(words) and len(lines) == 1 and OBJECT.fullmatch(lines[0]) is not None


def _text_lines(media_type: str, text: str, width: int, palette: Palette) -> list[str]:
    match media_type:
        case "text/markdown":
            return _markdown(text, width, palette)
        case "text/latex":
            return readable(tame_plain(text)).split("\n")
        case "text/html":
            return html_text(text).split("\n")[:PAGE_LINES]
        case _:
            return [_closed(line) for line in tame(text).rstrip("\n").split("\n")]


def _closed(line: str) -> str:
    """A line whose colours end with it."""
    return line + RESET if "\x1b" in line else line


def _markdown(text: str, width: int, palette: Palette) -> list[str]:
    prose = MarkdownText(width, palette)
    return [*prose.feed(text), *prose.finish()]
