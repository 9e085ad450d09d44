"""Files and pipes in the exchange directory, where the cell can write too: no link is followed.

A block could put a symbolic link where we are about to write; without care, we would write, or hand
out, a file of the user's through it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from interpreter.protocol.errors import StartFailed


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[int]:
    """The directory that holds `path`, by descriptor; troubles in it are told as our own."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield folder
        finally:
            os.close(folder)
    except OSError as error:
        raise StartFailed(f"The hand-over file {path} cannot be used: {error}") from error


def create(path: Path) -> IO[bytes]:
    """A new file that only the user can read; what was there under its name is gone."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with _folder(path) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=folder)
        return os.fdopen(os.open(path.name, flags, 0o600, dir_fd=folder), "wb")


def write(path: Path, text: str) -> Path:
    """A new file with this text."""
    with create(path) as file:
        file.write(text.encode("utf-8", "replace"))
    return path


def copy(source: Path, directory: Path) -> Path:
    """A copy of one of our own files, in the directory."""
    with create(directory / source.name) as file:
        file.write(source.read_bytes())
    return directory / source.name


def read_end(path: Path, size: int) -> str:
    """The last bytes of a file that is really there, as text."""
    with _folder(path) as folder:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path.name, flags, dir_fd=folder), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - size))
            return file.read(size).decode(errors="replace")


def make_pipe(path: Path) -> None:
    """A new named pipe."""
    with _folder(path) as folder:
        os.mkfifo(path.name, 0o600, dir_fd=folder)


def open_pipe(path: Path, flags: int) -> int:
    """A descriptor of the pipe, and of nothing else that might be there by now."""
    with _folder(path) as folder:
        descriptor = os.open(path.name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        os.set_blocking(descriptor, bool(flags & os.O_NONBLOCK) is False)
        return descriptor
    os.close(descriptor)
    raise StartFailed(f"The hand-over pipe {path} was replaced by something else.")
