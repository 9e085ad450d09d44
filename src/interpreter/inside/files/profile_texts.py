"""Text files: how they are decoded, whether they are tables, and which lines tell what they hold.

Like profile_file.py, it runs inside the cell.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

READ = 32 << 20  # bytes of a text file that are looked at
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
SHOWN = 700  # characters of a text
ALIKE = 2  # lines of one shape that are shown, where there is not room for all
WIDTH = 160
SECRET = re.compile(
    r"(?i)((?:pass(?:word|wd|phrase)?|secret|token|api_?key|pwd|private_?key)\w*['\"]?\s*[=:]\s*)\S.*"
)
SCANNED = 5_000  # lines among which others are looked for


def decoded(path: Path) -> tuple[str, str, bool]:
    """The text of a file, its encoding, and whether there is more."""
    with path.open("rb") as file:
        content = file.read(READ)
    cut = path.stat().st_size > len(content)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace"), "utf-16", cut
    if cut:
        content = content[: content.rfind(b"\n") + 1]
    for encoding in ENCODINGS:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        plain = encoding == "utf-8-sig" and not content.startswith(b"\xef\xbb\xbf")
        return text, "utf-8" if plain else encoding, cut
    return "", "unknown", cut


def guessed_delimiter(text: str) -> str:
    """The mark that every one of the first lines has equally often."""
    lines = [line for line in text[:20_000].splitlines()[:20] if line.strip()]
    best, most = "", 0
    for mark in ",;\t|":
        counts = [len(row) - 1 for row in csv.reader(lines[:10], delimiter=mark)]
        usual = max(set(counts), key=counts.count) if counts else 0
        agree = counts.count(usual) * usual
        if usual and agree > most:
            best, most = mark, agree
    return best


def is_table(text: str, delimiter: str) -> bool:
    """Whether nearly all of the first lines have as many cells as the header: prose has not."""
    lines = [line for line in text[:20_000].splitlines()[:50] if line.strip()]
    if not delimiter or len(lines) < 2:
        return False
    counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
    return counts.count(counts[0]) >= 0.9 * len(counts)


def some_lines(text: str) -> Iterator[str]:
    """All lines of a short text; of others the first ones, and some that look different."""
    lines = [SECRET.sub(r"\1***", line) for line in text.splitlines()]
    if len(text) <= SHOWN:
        yield from (line[:WIDTH] for line in lines)
        return
    seen: dict[str, int] = {}
    room = SHOWN
    for line in lines[:SCANNED]:
        shape = re.sub(r"\w+", "w", line)
        seen[shape] = seen.get(shape, 0) + 1
        if line.strip() and seen[shape] <= ALIKE and len(line[:WIDTH]) < room:
            room -= len(line[:WIDTH]) + 1
            yield line[:WIDTH]


def how_to_read(suffix: str, text: str) -> str:
    """How a text that is no table is best read."""
    if suffix in (".ini", ".cfg") and re.search(r"(?m)^\[.+\]\s*$", text):
        return "no table; configparser.ConfigParser() reads it: read(path), then it[section][name]"
    if re.search(r"(?m)^\s*[-*] \[[ xX]\] ", text):
        return "read it by open(); a line with '- [ ]' is open, one with '- [x]' or '- [X]' is done"
    if suffix in (".md", ".markdown") and re.search(r"(?m)^\|[ :|-]+\|\s*$", text):
        return "read it by open(); cells of a row are line.strip()[1:-1].split('|'), to be stripped"
    return "no table; read it line by line, with open()"
