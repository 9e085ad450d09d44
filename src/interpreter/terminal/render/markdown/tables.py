"""Tables cut to the width of the terminal: from Markdown, and from data a block has shown."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any

from interpreter.session.export.plain_html import TAG, UNSEEN
from interpreter.terminal.render.ansi import Palette, cells, tame_plain
from interpreter.terminal.render.markdown.wrap import Inline

ROWS_SHOWN = 20
BETWEEN = 3  # columns between two columns
CELL_SHOWN = 200  # characters of one cell
DIVIDER = re.compile(r"\s*:?-+:?\s*")


def render(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    width: int,
    palette: Palette,
    *,
    right: Sequence[bool] = (),
    wrap: bool = False,
) -> list[str]:
    """A table as lines; columns that do not fit are cut or wrapped."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  (slow to import)
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    rows = list(rows)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, (name, most) in enumerate(zip(header, _shares(header, rows, width), strict=True)):
        justify = "right" if place < len(right) and right[place] else "left"
        table.add_column(
            Text(name),
            justify=justify,  # type: ignore[arg-type]
            no_wrap=not wrap,
            overflow="ellipsis",
            max_width=most,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system="standard" if palette.colourful else None,
        force_terminal=palette.colourful,
    )
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().rstrip("\n").split("\n")]


def _shares(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """How wide each column may be: the widest give way first, so that short ones stay whole."""
    columns = [[name, *(row[at] for row in rows)] for at, name in enumerate(header)]
    wanted = [max(1, *map(cells, column)) for column in columns]
    room, shares = width - BETWEEN * (len(wanted) - 1), dict[int, int]()
    for at in sorted(range(len(wanted)), key=wanted.__getitem__):
        shares[at] = max(1, min(wanted[at], room // (len(wanted) - len(shares))))
        room -= shares[at]
    return [shares[at] for at in range(len(wanted))]


def markdown_table(lines: list[str], width: int, palette: Palette) -> list[str]:
    """The rows of a Markdown table as it should look."""
    rows = [_cells(line) for line in lines]
    columns = max(map(len, rows))
    header, *body = [[*row, *[""] * (columns - len(row))] for row in rows]
    right = [False] * columns
    if body and all(DIVIDER.fullmatch(cell) for cell in body[0] if cell):
        right = [cell.strip().endswith(":") and cell.strip()[0] != ":" for cell in body[0]]
        body = body[1:]
    return render(header, body, width, palette, right=right, wrap=True)


def _cells(line: str) -> list[str]:
    inner = line.strip().strip("|")
    cells = re.split(r"(?<!\\)\|", inner)
    return [_plain(cell.strip().replace("\\|", "|")) for cell in cells]


def _plain(markdown: str) -> str:
    if DIVIDER.fullmatch(markdown):
        return markdown
    inline = Inline(Palette())
    spans = [*inline.feed(markdown), *inline.finish()]
    return "".join(span.text for span in spans)


def data_table(source: str, width: int, palette: Palette) -> list[str] | None:
    """A table as data (see TABLE), with its shape below; None when it cannot be read."""
    try:
        data = json.loads(source)
        names = [tame_plain(str(column["name"])) for column in data["columns"]]
        numeric = [_is_number(str(column.get("type", ""))) for column in data["columns"]]
        rows = [[_cell(value) for value in row] for row in data["rows"][:ROWS_SHOWN]]
        count, columns = data["shape"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not names or any(len(row) != len(names) for row in rows):
        return None
    fits = _columns_that_fit(names, rows, width)
    shown = render(names[:fits], [row[:fits] for row in rows], width, palette, right=numeric[:fits])
    return [*shown, _shape(count, columns, len(rows), fits)]


def _columns_that_fit(names: list[str], rows: list[list[str]], width: int) -> int:
    """Whole columns: better a few that can be read than many that cannot."""
    used = 0
    for place, name in enumerate(names):
        widest = max([len(name), *(len(row[place]) for row in rows)])
        used += min(widest, 24) + 2
        if used > width:
            return max(1, place)
    return len(names)


def _shape(count: int, columns: int, rows_shown: int, columns_shown: int) -> str:
    more = []
    if count > rows_shown:
        more.append(f"first {rows_shown} rows")
    if columns > columns_shown:
        more.append(f"first {columns_shown} columns")
    shown = f"; {' and '.join(more)} shown" if more else ""
    return f"{count:,} rows × {columns:,} columns{shown}"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = "" if value is None else str(value)
    return " ".join(tame_plain(text[:CELL_SHOWN]).split())


def _is_number(kind: str) -> bool:
    return kind.lower().startswith(("int", "uint", "float", "decimal", "number"))


BLOCKS = frozenset((
    *("p", "div", "br", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("table", "ul", "ol", "pre", "section", "article"),
))
BEFORE = {"td": "  ", "th": "  ", "li": "\n• "}
HIDDEN = frozenset(("script", "style", "head", "template"))


def html_text(source: str) -> str:
    """A page as readable text: a line for each block of it."""
    pieces: list[str] = []
    hidden, at = "", 0
    source = UNSEEN.sub("", source)
    for found in TAG.finditer(source):
        closes, tag = bool(found[1]), found[2].lower()
        if hidden:
            hidden = "" if closes and tag == hidden else hidden
        else:
            pieces.append(unescape(source[at : found.start()]))
            hidden = tag if tag in HIDDEN and not closes else ""
            pieces.append("" if closes else BEFORE.get(tag, "\n" if tag in BLOCKS else ""))
        at = found.end()
    pieces.append("" if hidden else unescape(source[at:]))
    lines = ("  ".join(line.split("  ")).strip() for line in "".join(pieces).split("\n"))
    return tame_plain("\n".join(line for line in lines if line))
