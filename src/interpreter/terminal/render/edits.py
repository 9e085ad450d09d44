"""The edits of a block, shown below it: a few coloured lines for each of the first files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from interpreter.protocol.changed_files import bulky_place, change_list
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.events import FileChange
from interpreter.protocol.visible import visible
from interpreter.terminal.render.ansi import Palette, paint

Diff = Callable[[Collection[str]], str]
"""What the last block changed in these files, as `%diff` shows it."""
FILES_NAMED = 8
MARKS = {"added": "+", "modified": "~", "deleted": "-", "renamed": ">"}
FILES = 3
LINES = 12  # of each file
LARGEST = 200_000  # bytes of a file whose edit is looked for


def nothing_known(paths: Collection[str]) -> str:
    """The answer where nothing is kept."""
    return ""


def edits(changes: Sequence[FileChange], diff: Diff, palette: Palette, width: int) -> Iterator[str]:
    """The lines to be printed; none where no text was edited, or that cannot be known."""
    edited = [change for change in changes if _may_be_shown(change)]
    if not edited:
        return
    try:
        told = diff([change.path for change in edited[:FILES]])
    except InterpreterError:  # it is an extra: the change itself has been named
        return
    from interpreter.terminal.render.markdown.highlight import highlight_diff  # noqa: PLC0415  (most turns edit nothing)

    shown = _hunks(told)
    for name, lines in shown.items():
        if len(shown) > 1:
            yield paint(f"{name}:", palette.dim)
        text = "\n".join(lines[:LINES])
        yield from highlight_diff(text, colour=palette.colourful, width=width)
        if len(lines) > LINES:
            yield paint(f"… {len(lines) - LINES} more lines: %diff", palette.dim)
    if shown and len(edited) > FILES:
        yield paint(f"… edits of {len(edited) - FILES} more files: %diff", palette.dim)


def _may_be_shown(change: FileChange) -> bool:
    small = change.size is not None and change.size <= LARGEST
    return change.kind == "modified" and small and not bulky_place(change.path)


def _hunks(told: str) -> dict[str, list[str]]:
    """The changed lines by file, without the names above them; other kinds of changes are left."""
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in told.splitlines():
        if line.startswith("+++ b/") and lines is None:
            lines = found.setdefault(line[6:], [])
        elif line.startswith("modified "):
            lines = None
        elif lines is not None:
            lines.append(line)
    return {name: hunk for name, hunk in found.items() if hunk}


def changed_files(changes: Sequence[FileChange], directory: Path) -> str:
    """The files that a block changed, in one line; those below a directory are named from there."""
    from interpreter.terminal.render.display import short  # noqa: PLC0415  (most turns change no file)

    listed = change_list(changes, lambda path: visible(short(path, directory)))
    named = [f"{MARKS[one.kind]} {one.text}" for one in listed[:FILES_NAMED]]
    more = len(listed) - len(named)
    return "  ".join([*named, *([f"and {more} more"] if more > 0 else [])])
