"""Describes a data file in a few lines, for a model that is about to work with it.

It runs inside the cell, in a Python that loads nothing of the cell's: `python -I -S`, with our own
packages as `--packages=DIRECTORY:DIRECTORY` before the path. The standard library does most of it;
pandas, pyarrow and openpyxl are used where they are installed. Behind the profile it prints, as
JSON, which texts the columns have, so that one knows which of them a request names.
"""

# mypy: disable-error-code="import-untyped, import-not-found"
from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from profile_columns import (
    column,
    example,
    lines_above,
    listed_texts,
    parts_within,
    pitfalls,
    reads_as_numbers,
    remember_texts,
    shown_in_row,
    with_point,
)
from profile_texts import READ, decoded, guessed_delimiter, how_to_read, is_table, some_lines

Row = Sequence[str]
LONGEST = 1000  # characters of a profile: about 300 tokens
ROWS = 200_000
SAMPLED = 10_000  # rows of each table of a database, or of one whose numbers are looked at
PITFALLS = 3  # that are named
ENTRIES = 10_000  # of a folder that are looked at
NAMES = 20  # of them that are told
SAMPLE = 160  # characters of an object that is shown as it is
MARK = "\x1e"  # stands before the texts
TEXTS = (
    *(".md", ".markdown", ".rst", ".log", ".ini", ".cfg", ".conf", ".toml", ".yaml", ".yml"),
    *(".xml", ".html", ".htm", ".tex", ".bib", ".srt", ".vtt", ".ics", ".vcf", ".eml", ".sql"),
)


def profile(path: Path) -> str:
    """The profile of a file, whatever it is."""
    kinds = {
        **dict.fromkeys((".csv", ".tsv", ".tab", ".psv", ".txt"), delimited),
        **dict.fromkeys((".json", ".jsonl", ".ndjson"), json_file),
        **dict.fromkeys((".db", ".sqlite", ".sqlite3"), database),
        **dict.fromkeys((".xlsx", ".xlsm"), workbook),
        **dict.fromkeys((".parquet", ".pq", ".feather", ".arrow"), arrow),
        **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"), picture),
        **dict.fromkeys(TEXTS, text_file),
        ".pdf": pdf,
        ".gz": compressed,
        ".zip": archive,
    }
    kind = folder if path.is_dir() else kinds.get(path.suffix.lower())
    return shortened(kind(path) if kind else [f"{path.name}: {size_of(path)}"])


def shortened(lines: Iterable[str]) -> str:
    """As many lines as fit."""
    kept, room = [], LONGEST
    for line in lines:
        if len(line) + 1 > room:
            kept.append("...")
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)


def size_of(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size > 1e6 else f"{size / 1e3:.1f} kB"


# Tables.


def table(
    title: str,
    names: Sequence[str],
    rows: Iterable[Row],
    cut: bool = False,
    known: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """The profile of rows of text; of some columns it may be known what they hold."""
    rows = list(rows)
    names = [name or f"Unnamed: {at}" for at, name in enumerate(names)]  # as pandas calls them
    columns = list(itertools.zip_longest(*rows, fillvalue="")) if rows else [()] * len(names)
    more = " (the first of them)" if cut else ""
    yield f"{title}: {len(rows)} rows{more} x {len(names)} columns"
    pairs = zip(names, columns)  # noqa: B905
    told = [known.get(name) or column(values, name) for name, values in pairs]
    lines = [f"- {name!r} {kind}" for name, kind in zip(names, told)]  # noqa: B905
    yield from fitting(lines, LONGEST * 2 // 3)
    yield from (line[:160] for line in itertools.islice(pitfalls(names, columns, rows), PITFALLS))
    for name, values in zip(names, columns):  # noqa: B905
        if not known.get(name):  # of objects and lists the parts are remembered, not the whole
            remember_texts(name, values)
    yield from samples(rows)


def fitting(lines: list[str], room: int) -> list[str]:
    """The lines, the longest of them cut until all fit."""
    width = max(map(len, lines), default=0)
    while width > 30 and sum(min(len(line), width) + 1 for line in lines) > room:
        width -= 4
    return [line[:width] for line in lines]


def samples(rows: Sequence[Row]) -> Iterator[str]:
    """Three rows: the first ones."""
    yield from ["First rows:"] * bool(rows)
    for row in rows[:3]:
        yield ", ".join(shown_in_row(value) for value in row)[:160]


def delimited(path: Path) -> Iterator[str]:
    text, encoding, cut = decoded(path)
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else guessed_delimiter(text)
    if path.suffix.lower() == ".txt" and not is_table(text, delimiter):
        return prose(path, text)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter or ",")
    read = list(itertools.islice(rows, ROWS + 1))
    cut = cut or len(read) > ROWS
    above = lines_above(read)
    names, kept = (read[above] if read else []), [row for row in read[above + 1 :] if row]
    how = [] if encoding == "utf-8" else [f"encoding={encoding!r}"]
    how += [f"sep={delimiter!r}"] if delimiter not in (",", "") else []
    how += [f"skiprows={above}"] if above else []
    if delimiter != "," and (numbers := reads_as_numbers(kept[:SAMPLED])):
        how += numbers
        kept = [[with_point(value, len(numbers) > 1) for value in row] for row in kept]
    told = f" (read it with {', '.join(how)})" if how else ""
    return table(f"{path.name}{told}", names, kept, cut)


def text_file(path: Path) -> Iterator[str]:
    text, _, _ = decoded(path)
    return prose(path, text)


def prose(path: Path, text: str) -> Iterator[str]:
    count, shown = len(text.splitlines()), list(some_lines(text))
    more = "; some:" if len(shown) < count else ""
    how = how_to_read(path.suffix.lower(), text)
    yield f"{path.name}: {count} lines of text, {size_of(path)} ({how}){more}"
    yield from (f"| {line}" for line in shown)  # so that it is never taken for a word of ours


def json_file(path: Path) -> Iterator[str]:
    text, _, cut = decoded(path)
    kind = "JSON, a list of objects (pandas.read_json reads it)"
    try:
        content = json.loads(text)
    except ValueError:
        content = [json.loads(line) for line in text.splitlines()[:ROWS] if line.strip()]
        kind = "JSON Lines, one object a line (read it with pandas.read_json(path, lines=True))"
    if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
        names = list(dict.fromkeys(name for item in content[:1000] for name in item))
        rows = [[flat(item.get(name)) for name in names] for item in content]
        inner = {name: parts_within(name, [item.get(name) for item in content]) for name in names}
        return table(f"{path.name}: {kind}", names, rows, cut, inner)
    return structure(path.name, content)


def flat(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def structure(title: str, content: Any) -> Iterator[str]:
    yield f"{title}: JSON, {shape(content)}"
    for name, value in itertools.islice(content.items(), 30) if isinstance(content, dict) else ():
        yield f"- {name!r} {shape(value)}"
        rows = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
        for part in dict.fromkeys(part for row in rows[:1000] for part in row):
            remember_texts(part, [flat(row.get(part)) for row in rows])


def shape(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)}: {', '.join(itertools.islice(value, 8))}"
    if isinstance(value, list):
        first = f", first {shape(value[0])}" if value else ""
        return f"a list of {len(value)}{first}{sample(value)}"
    return f"{type(value).__name__} {example(value)}"


def sample(values: list[Any]) -> str:
    """The first of a list of objects as it is written, where that is short."""
    written = json.dumps(values[0], ensure_ascii=False) if values else ""
    is_short = isinstance(values[:1] and values[0], dict) and len(written) <= SAMPLE
    return f", such as {written}" if is_short else ""


def database(path: Path) -> Iterator[str]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    names = [name for (name,) in connection.execute(query)]
    yield f"{path.name}: SQLite, {len(names)} tables (read it with sqlite3, or pandas.read_sql)"
    for name in names[:20]:
        quoted = '"' + name.replace('"', '""') + '"'
        fields = connection.execute(f"PRAGMA table_info({quoted})").fetchall()
        counted = ", ".join(
            f'COUNT("{field[1].replace(chr(34), chr(34) * 2)}")' for field in fields
        )
        (count, *filled) = connection.execute(
            f"SELECT COUNT(*), {counted} FROM {quoted}"
        ).fetchone()
        columns = [f"{field[1]} {field[2]}".strip() for field in fields]
        for at, there in enumerate(filled):
            columns[at] += f" (NULL in {count - there} rows)" if there < count else ""
        rows = connection.execute(f"SELECT * FROM {quoted} LIMIT {SAMPLED}")
        names = [description[0] for description in rows.description]
        for column_name, values in zip(names, zip(*rows)):  # noqa: B905
            remember_texts(column_name, values)
        yield f"- {name} ({count} rows): {', '.join(columns)}"[:300]
        for row in connection.execute(f"SELECT * FROM {quoted} LIMIT 1"):
            yield "  e.g. " + ", ".join(example(value) for value in row)[:160]


def workbook(path: Path) -> Iterator[str]:
    try:
        from openpyxl import load_workbook  # noqa: PLC0415
    except ImportError:
        yield f"{path.name}: Excel, {size_of(path)}; to read it: pip install openpyxl"
        return
    book = load_workbook(path, read_only=True, data_only=True)
    how = "read it with pandas.read_excel(path, sheet_name=...)"
    yield f"{path.name}: Excel ({how}), sheets: {', '.join(book.sheetnames)}"[:240]
    if len(book.sheetnames) > 1:
        yield "Careful: without sheet_name only the first sheet is read"
    for name in book.sheetnames[:3]:
        cells = itertools.islice(book[name].iter_rows(values_only=True), ROWS)
        rows = [[flat(value) for value in row] for row in cells]
        above = lines_above(rows)
        read = f" (read it with skiprows={above})" if above else ""
        names = rows[above] if rows else []
        yield from table(f"sheet {name!r}{read}", names, rows[above + 1 :])


def arrow(path: Path) -> Iterator[str]:
    kind = "parquet" if path.suffix.lower() in (".parquet", ".pq") else "feather"
    try:
        from pyarrow import dataset  # noqa: PLC0415
    except ImportError:
        yield f"{path.name}: {kind}, {size_of(path)}; to read it: pip install pyarrow"
        return
    data = dataset.dataset(str(path), format=kind)
    head = data.head(2000)
    names = head.schema.names
    shape = f"{data.count_rows()} rows x {len(names)} columns"
    yield f"{path.name}: {kind} (read it with pandas.read_{kind}), {shape}"
    for field, values in zip(head.schema, head.columns):  # noqa: B905
        texts = [flat(value) for value in values.to_pylist()]
        remember_texts(field.name, texts)
        yield f"- {field.name!r} {field.type}, {column(texts)}"[:120]
    yield from samples([[flat(v) for v in row.values()] for row in head.slice(0, 3).to_pylist()])


# Everything else.


def picture(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        head = file.read(1 << 16)
    width, height = dimensions(head)
    known = f"{width} x {height} pixels, " if width else ""
    yield f"{path.name}: picture, {known}{size_of(path)} (PIL.Image.open reads it)"


def dimensions(head: bytes) -> tuple[int, int]:
    if head.startswith(b"\x89PNG"):
        return size(">II", head[16:24])
    if head.startswith(b"GIF8"):
        return size("<HH", head[6:10])
    if head.startswith(b"BM"):
        return size("<ii", head[18:26])
    if head.startswith(b"\xff\xd8"):
        return jpeg_dimensions(head)
    return 0, 0


def size(layout: str, content: bytes) -> tuple[int, int]:
    width, height = struct.unpack(layout, content)
    return width, height


def jpeg_dimensions(head: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        kind, length = head[at + 1], struct.unpack(">H", head[at + 2 : at + 4])[0]
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0


def pdf(path: Path) -> Iterator[str]:
    pages, text, how = pdf_text(path)
    yield f"{path.name}: PDF, {pages or 'unknown number of'} pages, {size_of(path)} ({how})"
    for line in filter(str.strip, text.splitlines()):
        yield " ".join(line.split())[:160]


def pdf_text(path: Path) -> tuple[int, str, str]:
    """The number of pages, the text of the first two, and how to read all of it."""
    try:
        from pypdf import PdfReader  # noqa: PLC0415
    except ImportError:
        pages = len(re.findall(rb"/Type\s*/Page[^s]", path.read_bytes()[:READ]))
        command = ["pdftotext", "-l", "2", "-layout", str(path), "-"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            return pages, "", "to read it: pip install pypdf"
        return pages, done.stdout.decode("utf-8", "replace"), "read it with the program pdftotext"
    reader = PdfReader(path)
    text = "\n".join(page.extract_text() for page in reader.pages[:2])
    how = "from pypdf import PdfReader; PdfReader(path).pages[0].extract_text() reads it"
    return len(reader.pages), text, how if text.strip() else "it has no text: pages are pictures"


def compressed(path: Path) -> Iterator[str]:
    inner = Path(path.stem).suffix.lower()
    how = "pandas.read_csv reads it as it is" if inner in (".csv", ".tsv") else "the module gzip"
    yield f"{path.name}: gzip, {size_of(path)} (read it with: {how})"
    with gzip.open(path, "rb") as file:
        text = file.read(READ // 8).decode("utf-8", "replace")
    if inner in (".csv", ".tsv"):
        mark = "\t" if inner == ".tsv" else guessed_delimiter(text) or ","
        rows = csv.reader(io.StringIO(text), delimiter=mark)
        names = next(rows, [])
        yield from table("inside", names, itertools.islice(rows, ROWS), len(text) >= READ // 8)
    else:
        yield from (line[:160] for line in text.splitlines()[:5])


def folder(path: Path) -> Iterator[str]:
    with os.scandir(path) as entries:
        found = sorted(itertools.islice(entries, ENTRIES), key=lambda entry: entry.name)
    near = os.path.relpath(path)
    name = str(path) if near.startswith("..") else near
    here = "this folder" if name == "." else f"the folder {name!r}"
    more = " or more" if len(found) == ENTRIES else ""
    for what, is_folder in (("files", False), ("folders", True)):
        names = [example(entry.name) for entry in found if entry.is_dir() is is_folder]
        if names or not is_folder:
            listed = f": {', '.join(names[:NAMES])}" + (", ..." if len(names) > NAMES else "")
            yield f"In {here}: {len(names)}{more} {what}{listed if names else ''}"
    yield f"os.listdir({name!r}) lists it; the names come without the folder"


def archive(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as file:
        inside = [entry for entry in file.infolist() if not entry.is_dir()]
    yield f"{path.name}: zip of {len(inside)} files (zipfile.ZipFile(path).open(name) reads one)"
    for entry in inside[:20]:
        yield f"- {example(entry.filename)} {entry.file_size} bytes"


def main(arguments: Sequence[str]) -> None:
    """Print the profile of each file; what cannot be read is said in one line."""
    for name in arguments:
        path = Path(name)
        try:
            print(profile(path))  # noqa: T201
        except Exception as error:  # noqa: BLE001  (any reader may fail in its own way)
            print(f"{path.name}: {size_of(path)}, cannot be profiled: {example(error)}")  # noqa: T201
    print(MARK + listed_texts())  # noqa: T201


if __name__ == "__main__":
    packages, *files = sys.argv[1:]
    sys.path += packages.removeprefix("--packages=").split(os.pathsep)
    main(files)
