"""Run by path in a kernel: the next block works on a copy of the files, and what it did is told."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
import tempfile
from pathlib import Path

MOST_FILES = 3_000
MOST_BYTES = 30_000_000
SHOWN = 4_000  # characters of a file
FILES_SHOWN = 3
LOOKED_AT = 5_000_000  # bytes of a file
UNSEEN = "__pycache__"
NUMBER = rb"(?<![\d.])\d{1,30}\.\d{1,30}(?![\d.])"
places: list[Path] = []


def begin() -> None:
    """Go to a copy of the directory; RuntimeError where there is too much in it."""
    here = Path.cwd()
    found = list(itertools.islice(here.rglob("*"), MOST_FILES + 1))
    size = sum(one.stat().st_size for one in found if one.is_file() and not one.is_symlink())
    if len(found) > MOST_FILES or size > MOST_BYTES:
        raise RuntimeError("there is too much here to be copied.")
    copy = Path(tempfile.mkdtemp(), here.name)
    shutil.copytree(here, copy, symlinks=True)
    os.chdir(copy)
    places[:] = [here, copy]


def tell() -> str:
    """What is different in the copy, and what the first new or changed texts hold.

    Behind each name stands a mark that is equal for equal contents, however numbers are written.
    """
    old, new = map(_files, places)
    names = [one for one in sorted({*old, *new}) if old.get(one) != new.get(one)]
    lines, texts = ["\nIt would change:"], []
    for name in (one for one in names if UNSEEN not in one):
        kind = "deleted" if name not in new else "modified" if name in old else "added"
        content = new[name] if name in new else old[name]
        lines.append(f"{kind} {_in_one_line(name)} {_mark(content)}")
        if name in new and b"\0" not in content:
            texts.append((name, content.decode(errors="replace")[:SHOWN]))
    for name, text in texts[:FILES_SHOWN]:
        lines.append(f"{_in_one_line(name)} would hold:")
        # NumPy's values are written plainly in all that is printed, and here it matters. What
        # stands in a file is never taken for a word of ours.
        lines += [f"| {line}" for line in text.replace("np.", "NumPy's ").splitlines()]
    return "\n".join(lines) + "\n"


def _in_one_line(name: str) -> str:
    return " ".join(name.splitlines())


def _files(top: Path) -> dict[str, bytes]:
    """What every file begins with, and its size; a folder with nothing in it counts, too."""
    found: dict[str, bytes] = {}
    for one in top.rglob("*"):
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


def _mark(content: bytes) -> str:
    plain = re.sub(NUMBER, lambda found: b"%.10g" % float(found[0]), content)
    return hashlib.sha256(b"".join(plain.split())).hexdigest()[:10]
