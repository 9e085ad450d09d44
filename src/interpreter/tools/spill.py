"""All that a block printed: in memory while it is short, in a bounded file when it is long."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import IO

IN_MEMORY = 48_000
ON_DISK = 64_000_000
FILES_KEPT = 20
_numbers = itertools.count(1)


class Spill:
    """Takes text; once it is too long to be shown whole, there is a file that holds it."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._pieces: list[str] = []
        self._file: IO[str] | None = None
        self.characters = 0
        self.path: Path | None = None

    def add(self, text: str) -> None:
        """Take in the next piece."""
        self.characters += len(text)
        if self._file is not None:
            if self.characters <= ON_DISK:
                self._file.write(text)
        elif self._directory is not None:
            self._pieces.append(text)
            if self.characters > IN_MEMORY:
                self._open(self._directory)

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()

    def summary(self) -> str:
        """One sentence for the model; empty while the output is short."""
        if self.path is None:
            return ""
        cut = f"; the first {ON_DISK} are kept" if self.characters > ON_DISK else ""
        return f"All that was printed ({self.characters} characters{cut}) is in {self.path}."

    def _open(self, directory: Path) -> None:
        path = directory / f"output-{next(_numbers):06d}.txt"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _let_go_of_old_files(directory)
            self._file = new_file(path)
        except OSError:  # the disk is full, or code has put something else in its place
            self._directory = None
            return
        self.path = path
        self._file.writelines(self._pieces)
        self._pieces.clear()


@contextlib.contextmanager
def _opened(directory: Path) -> Iterator[int]:
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)


def _let_go_of_old_files(directory: Path) -> None:
    with _opened(directory) as folder:
        names = [name for name in os.listdir(folder) if fnmatch(name, "output-*.txt")]  # noqa: PTH208
        for name in sorted(names)[: -FILES_KEPT + 1]:
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(name, dir_fd=folder)


def new_file(path: Path) -> IO[str]:
    """A new file where the cell can write too: a link that it left there is not followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with _opened(path.parent) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=folder)
        descriptor = os.open(path.name, flags, 0o600, dir_fd=folder)
    return os.fdopen(descriptor, "w", encoding="utf-8", errors="replace")
