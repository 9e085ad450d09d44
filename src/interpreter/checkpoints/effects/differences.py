"""What a block changed, as text that says something for the kind of file it is."""

from __future__ import annotations

import csv
import difflib
import io
import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from interpreter.checkpoints.effects.parquet_footer import parquet_summary
from interpreter.protocol import safe_files
from interpreter.protocol.changed_files import bulky_place, change_list
from interpreter.protocol.events import FileChange
from interpreter.protocol.values import frozen

_LARGEST_TEXT = 1 << 20
_LARGEST_TABLE = 32 << 20
_MOST_LINES = 400
_MOST_FILES = 100


@frozen
class Difference:
    """A change with the file before and after it, where they are."""

    change: FileChange
    before: Path | None
    after: Path | None


def describe(differences: Sequence[Difference], workspace: Path) -> str:
    """All changes of a block, one after the other."""
    within = [d for d in differences if bulky_place(_named(d.change.path, workspace))]
    shown = [difference for difference in differences if difference not in within]
    texts = [_one(difference, workspace) for difference in shown[:_MOST_FILES]]
    if len(shown) > _MOST_FILES:
        texts.append(f"… and {len(shown) - _MOST_FILES} more files\n")
    for one in change_list((d.change for d in within), lambda path: _named(path, workspace)):
        texts.append(f"{one.kind} {one.text}\n")
    return "".join(texts) or "No file was changed.\n"


def _named(path: str, workspace: Path) -> str:
    inside = path.removeprefix(f"{workspace}/")
    return inside.replace("\\", "\\\\").replace("\n", "\\n")  # one-to-one, and one line


def _one(difference: Difference, workspace: Path) -> str:
    change = difference.change
    name, origin = _named(change.path, workspace), _named(change.renamed_from, workspace)
    title = f"{change.kind} {origin} → {name}\n" if origin else f"{change.kind} {name}\n"
    if change.kind == "renamed" and difference.before is None:
        return title  # it was moved as it is
    before = content(difference.before if change.kind != "added" else None)
    after = content(difference.after if change.kind != "deleted" else None)
    if before is None and after is None:
        return title
    if before == after:
        return title
    return title + _content_difference(name, before, after)


def content(path: Path | None) -> bytes | None:
    """The start of a regular file, never through a symlink."""
    if path is None:
        return None
    try:
        return safe_files.read_start(path, _LARGEST_TABLE + 1)
    except OSError:  # it is something else by now
        return None


def _content_difference(name: str, before: bytes | None, after: bytes | None) -> str:
    summary = _SUMMARIES.get(Path(name).suffix.lower())
    if summary is not None:
        was, now = _summary(summary, before), _summary(summary, after)
        return f"  before: {was}\n  after:  {now}\n"
    texts = [text_of(content) for content in (before, after)]
    if texts[0] is None or texts[1] is None:
        return f"  before: {_size(before)}\n  after:  {_size(after)}\n"
    return unified(name, texts[0], texts[1])


def unified(name: str, before: str, after: str) -> str:
    """The lines that differ, as patches show them."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = list(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))
    rest = len(lines) - _MOST_LINES
    shown = [line if line.endswith("\n") else f"{line}\n" for line in lines[:_MOST_LINES]]
    return "".join(shown) + (f"… and {rest} more lines\n" if rest > 0 else "")


def text_of(content: bytes | None) -> str | None:
    """What a file says, if it is text and not too large."""
    if content is None:
        return ""
    if len(content) > _LARGEST_TEXT or b"\0" in content[:8000]:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _summary(summarise: Callable[[bytes], str], content: bytes | None) -> str:
    if content is None:
        return "nothing"
    try:
        return f"{summarise(content)}, {_size(content)}"
    except (ValueError, LookupError, struct.error, csv.Error, RecursionError, TypeError):
        return _size(content)


def _size(content: bytes | None) -> str:
    if content is None:
        return "nothing"
    more = "more than " if len(content) > _LARGEST_TABLE else ""
    return f"{more}{min(len(content), _LARGEST_TABLE):,} bytes"


def _csv(content: bytes) -> str:
    rows = csv.reader(io.StringIO(content.decode(errors="replace")))
    header = next(rows, [])
    columns = ", ".join(header[:8])
    return f"{sum(1 for _ in rows):,} rows of {len(header)} columns ({columns})"


def _notebook(content: bytes) -> str:
    cells: list[dict[str, Any]] = json.loads(content)["cells"]
    code = sum(cell["cell_type"] == "code" for cell in cells)
    outputs = sum(len(cell.get("outputs", ())) for cell in cells)
    return f"notebook of {len(cells)} cells ({code} of code, {outputs} outputs)"


def _png(content: bytes) -> str:
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG")
    width, height = struct.unpack(">II", content[16:24])
    return f"PNG of {width} × {height}"


def _gif(content: bytes) -> str:
    if content[:4] != b"GIF8":
        raise ValueError("not a GIF")
    width, height = struct.unpack("<HH", content[6:10])
    return f"GIF of {width} × {height}"


def _jpeg(content: bytes) -> str:
    """Go from marker to marker until one that starts a frame."""
    position = 2
    while content[position] == 0xFF:
        marker = content[position + 1]
        (length,) = struct.unpack(">H", content[position + 2 : position + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[position + 5 : position + 9])
            return f"JPEG of {width} × {height}"
        position += 2 + length
    raise ValueError("no frame")


_SUMMARIES: dict[str, Callable[[bytes], str]] = {
    ".csv": _csv,
    ".ipynb": _notebook,
    ".png": _png,
    ".gif": _gif,
    ".jpg": _jpeg,
    ".jpeg": _jpeg,
    ".parquet": parquet_summary,
}
