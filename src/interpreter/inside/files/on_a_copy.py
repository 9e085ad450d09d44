"""Run by path in a kernel: the next block works on a copy of the files, and what it did is told."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST_FILES = 3_000
MOST_BYTES = 30_000_000
# Of a long output only the last 4,800 characters are always kept. So all that is told has to be
# less, and what matters most stands last.
FOR_TEXTS = 2_800
FOR_NAMES = 1_200
FILES_SHOWN = 3
LOOKED_AT = 5_000_000  # bytes of a file
UNSEEN = "__pycache__"
NUMBER = rb"(?<![\d.])\d{1,30}\.\d{1,30}(?![\d.])"
OLD = ("modified", "deleted", "gone")
places: list[Path] = []


def begin(workspace: str, copy: str) -> None:
    """Go to a copy of the workspace, which takes the place of the one before; RuntimeError where
    there is too much to be copied."""
    here, there = Path(workspace), Path(copy)
    inside = Path.cwd().relative_to(here)
    found = list(itertools.islice(here.rglob("*"), MOST_FILES + 1))
    size = sum(one.stat().st_size for one in found if one.is_file() and not one.is_symlink())
    if len(found) > MOST_FILES or size > MOST_BYTES:
        raise RuntimeError("there is too much here to be copied.")
    shutil.rmtree(there, ignore_errors=True)
    shutil.copytree(here, there, symlinks=True, ignore=_not_copied)
    os.chdir(there / inside)
    places[:] = [here, there]


def _not_copied(directory: str, names: Iterable[str]) -> set[str]:
    """Pipes, sockets, devices, and what cannot be read."""
    return {name for name in names if not _is_plain(Path(directory, name))}


def _is_plain(path: Path) -> bool:
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        return os.access(path, os.R_OK | os.X_OK)
    return stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and os.access(path, os.R_OK))


def tell(source: str) -> str:
    """What a program changed in the copy: what new or changed texts hold, names, and in the last
    line all in numbers, with a mark that is equal where two programs did the same.

    Of many files some are told, and first those that the program itself names.
    """
    old, new = map(_files, places)
    changes = _changes(old, new)
    names = _first_names(changes, source)
    lines = ["\nTried on a copy:", *_texts(names, new), "It would change:", *_lines(names)]
    return "\n".join((*lines, _in_all(changes))) + "\n"


def _files(top: Path) -> dict[str, bytes]:
    """What every file begins with, and its size; a folder with nothing in it counts, too."""
    found: dict[str, bytes] = {}
    for one in filter(_is_plain, top.rglob("*")):
        name = str(one.relative_to(top))
        if one.is_symlink():
            found[name] = b"\0" + os.fsencode(one.readlink())
        elif one.is_dir() and not any(one.iterdir()):
            found[f"{name}/"] = b"\0"
        elif one.is_file():
            with one.open("rb") as file:
                size = one.stat().st_size
                found[name] = file.read(LOOKED_AT) + (b"\0%d" % size if size > LOOKED_AT else b"")
    return found


def _changes(old: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str, str]]:
    """What was done to which file, and a mark that is equal for equal contents. A file that is gone
    and there under another name was renamed, not deleted."""
    names = (one for one in sorted({*old, *new}) if UNSEEN not in one)
    changes = [
        ("deleted" if one not in new else "modified" if one in old else "added", one)
        for one in names
        if old.get(one) != new.get(one)
    ]
    marked = [(kind, name, _mark(new.get(name, old.get(name, b"")))) for kind, name in changes]
    came = Counter(mark for kind, _, mark in marked if kind == "added")
    went = Counter(mark for kind, _, mark in marked if kind == "deleted")
    moved = {mark for mark, count in went.items() if count <= came[mark]}
    names_of = {"added": "renamed", "deleted": "gone"}
    return [
        (names_of.get(kind, kind) if mark in moved else kind, name, mark)
        for kind, name, mark in marked
    ]


def _mark(content: bytes) -> str:
    """Equal for equal contents, however numbers, ends of lines and the end of the file are
    written."""
    plain = re.sub(NUMBER, lambda found: b"%.10g" % float(found[0]), content)
    return hashlib.sha256(plain.replace(b"\r\n", b"\n").rstrip(b"\n")).hexdigest()


def _first_names(changes: list[tuple[str, str, str]], source: str) -> list[tuple[str, str]]:
    """What was done to which file: first to those that the program names, then of each kind one."""
    seen: Counter[str] = Counter()
    ranked = []
    for kind, name, _ in changes:
        ranked.append((Path(name).name not in source, seen[kind], kind, name))
        seen[kind] += 1
    return [(kind, name) for *_, kind, name in sorted(ranked)]


def _texts(names: list[tuple[str, str]], new: dict[str, bytes]) -> Iterator[str]:
    """What the first texts hold, or begin with. What stands in a file is never taken for a word of
    ours, and NumPy's values, which are written plainly in all that is printed, matter here."""
    room = FOR_TEXTS
    texts = [name for _, name in names if name in new and b"\0" not in new[name]]
    for name in texts[:FILES_SHOWN]:
        text = new[name].decode(errors="replace")[: FOR_TEXTS + 1].replace("np.", "NumPy's ")
        quoted = "".join(f"| {line}\n" for line in text.splitlines())
        if room > 0:
            yield f"{_in_one_line(name)} would {'hold' if len(quoted) <= room else 'begin with'}:"
            yield from quoted[:room].splitlines()
        room -= len(quoted)


def _lines(names: list[tuple[str, str]]) -> Iterator[str]:
    room = FOR_NAMES
    for kind, name in names:
        line = f"{kind} {_in_one_line(name)}"
        if len(line) < room:
            room -= len(line) + 1
            yield line


def _in_one_line(name: str) -> str:
    return " ".join(name.encode(errors="replace").decode().splitlines())


def _in_all(changes: list[tuple[str, str, str]]) -> str:
    kinds = Counter(kind for kind, _, _ in changes)
    old = sum(kinds[kind] for kind in OLD)
    mark = hashlib.sha256(repr(changes).encode()).hexdigest()[:16]
    new = len(changes) - old
    return f"In all: {old} old and {new} new, {kinds['deleted']} lost, mark {mark}"
