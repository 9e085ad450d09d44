"""Where the files are that run inside a cell; the host hands them in and never imports them."""

from __future__ import annotations

import py_compile
import struct
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

INSIDE = Path(__file__).parents[1] / "inside"


def compiled(source: Path) -> Path:
    """The compiled file, made if need be: compiling takes longer than all that follows.

    A cell cannot keep what it compiles itself. Only a Python of our version can use it.
    """
    target = Path(cache_from_source(str(source)))
    try:
        made_from = source.stat()
        wanted = struct.pack("<4sIII", MAGIC_NUMBER, 0, int(made_from.st_mtime), made_from.st_size)
        with target.open("rb") as file:
            if file.read(16) == wanted:
                return target
    except OSError:
        pass  # it was never compiled
    try:
        py_compile.compile(str(source), doraise=True)
    except (OSError, py_compile.PyCompileError):
        return source
    return target


def compile_all(folder: Path) -> None:
    """Have all Python files of a folder compiled."""
    for source in folder.glob("*.py"):
        compiled(source)
