"""What a block did to the data in the tables that it rewrote: rows, columns and gaps."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from interpreter.checkpoints.effects.differences import Difference, content
from interpreter.protocol.changed_files import BULKY
from interpreter.protocol.events import FileChange
from interpreter.protocol.values import frozen

_LARGEST = 16 << 20  # bytes of a file that is read again after each block that writes it
_MOST_TABLES = 8
_FEW = 5  # files, of which a block may well touch all
_MOST_FILES = 100_000
_GAPS = frozenset(("", "nan", "nat", "none", "null", "na", "n/a", "#n/a", "<na>"))


@frozen
class _Table:
    rows: int
    filled: Mapping[str, int]
    """How many values each column has."""

    @property
    def gaps(self) -> int:
        return sum(self.rows - filled for filled in self.filled.values())


def data_notes(differences: Iterable[Difference], workspace: Path) -> Iterator[str]:
    """A sentence for each table that was rewritten with other rows, columns or gaps."""
    rewritten = (d for d in differences if d.before and d.after and _reader(d.change.path))
    for difference in islice(rewritten, _MOST_TABLES):
        before, after = _table(difference, "before"), _table(difference, "after")
        if before and after and before != after:
            name = difference.change.path.removeprefix(f"{workspace}/")
            yield f"{name}: {_sentence(before, after)}"


def scope_note(changes: Sequence[FileChange], workspace: Path) -> str:
    """That a block changed more than half of the files that were there; else empty."""
    touched = sum(change.kind != "added" for change in changes)
    if touched <= _FEW:
        return ""
    gone = sum(change.kind == "deleted" for change in changes)
    added = sum(change.kind == "added" for change in changes)
    there = sum(1 for _ in islice(workspace_files(workspace), _MOST_FILES)) + gone - added
    if 2 * touched <= there:
        return ""
    return f"this block changed {touched:,} of the {max(there, touched):,} files of the workspace"


def workspace_files(directory: Path) -> Iterator[str]:
    """Every file but those in the directories that tools fill."""
    for place, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if name not in BULKY]
        yield from (f"{place}/{name}" for name in names)


def _sentence(before: _Table, after: _Table) -> str:
    shape = [f"{t.rows:,} rows × {len(t.filled)} columns" for t in (before, after)]
    text = f"{shape[0]} → {shape[1]}, gaps {before.gaps:,} → {after.gaps:,}"
    lost = [problem for name in before.filled if (problem := _loss(name, before, after))]
    more = f" and {len(lost) - 4} more" if len(lost) > 4 else ""
    return f"{text}; CHECK: {', '.join(lost[:4])}{more}" if lost else text


def _loss(name: str, before: _Table, after: _Table) -> str:
    """What a column lost, beyond the rows that went as a whole."""
    if name not in after.filled:
        return f"the column {name!r} is gone"
    lost = (after.rows - after.filled[name]) - (before.rows - before.filled[name])
    if lost <= 0:
        return ""
    return f"{name!r} lost {lost:,} of its {before.filled[name]:,} values"


def _table(difference: Difference, which: str) -> _Table | None:
    path: Path | None = getattr(difference, which)
    data, read = content(path), _reader(difference.change.path)
    if data is None or read is None or len(data) > _LARGEST:
        return None
    try:
        return read(data.decode("utf-8-sig"))
    except (ValueError, LookupError, csv.Error, RecursionError, TypeError, AttributeError):
        return None


def _reader(path: str) -> Callable[[str], _Table] | None:
    return _READERS.get(Path(path).suffix.lower())


def _delimited(text: str) -> _Table:
    first = text.partition("\n")[0]
    delimiter = max(",\t;|", key=first.count)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    names = _unique(next(rows, []))
    filled = dict.fromkeys(names, 0)
    count = 0
    for row in rows:
        if not row:
            continue
        count += 1
        for name, value in zip(names, row, strict=False):
            filled[name] += value.strip().lower() not in _GAPS
    return _Table(count, filled)


def _unique(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        found.append(f"{name}.{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def _json_lines(text: str) -> _Table:
    return _records([json.loads(line) for line in text.splitlines() if line.strip()])


def _json(text: str) -> _Table:
    return _records(json.loads(text))


def _records(records: Any) -> _Table:
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise ValueError("not a list of records")
    filled: Counter[str] = Counter()
    for record in records:
        for name, value in record.items():
            filled[name] += value is not None and str(value).strip().lower() not in _GAPS
    return _Table(len(records), dict(filled))


_READERS: dict[str, Callable[[str], _Table]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".tab": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
}
