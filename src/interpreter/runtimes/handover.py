"""Files and pipes in the exchange directory, where the cell can write too; see `safe_files`.

A runtime that cannot hand its files over cannot start: that is what the errors are told as.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from interpreter.protocol import safe_files
from interpreter.protocol.errors import StartFailed


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StartFailed(f"The hand-over file {path} cannot be used: {error}") from error


def create(path: Path) -> BinaryIO:
    """A new file that only the user can read; what was there under its name is gone."""
    with _told(path):
        return safe_files.create(path)


def write(path: Path, text: str) -> Path:
    """A new file with this text."""
    with _told(path):
        return safe_files.write(path, text)


def copy(source: Path, directory: Path) -> Path:
    """A copy of one of our own files, in the directory."""
    with _told(directory):
        return safe_files.write(directory / source.name, source.read_bytes())


def read_end(path: Path, size: int) -> str:
    """The last bytes of a file that is really there, as text."""
    with _told(path):
        return safe_files.read_end(path, size)


def make_pipe(path: Path) -> None:
    """A new named pipe."""
    with _told(path):
        safe_files.make_pipe(path)


def open_pipe(path: Path, flags: int) -> int:
    """A descriptor of the pipe, and of nothing else that might be there by now."""
    with _told(path):
        return safe_files.open_pipe(path, flags)
