"""All that a block printed: in memory while it is short, in a bounded file when it is long."""

from __future__ import annotations

import contextlib
import itertools
import os
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
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in sorted(directory.glob("output-*.txt"))[: -FILES_KEPT + 1]:
            old.unlink(missing_ok=True)
        self.path = directory / f"output-{next(_numbers):06d}.txt"
        self._file = new_file(self.path)
        self._file.writelines(self._pieces)
        self._pieces.clear()


def new_file(path: Path) -> IO[str]:
    """A new file where the cell can write too: a link that it left there is not followed."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        descriptor = os.open(path.name, flags, 0o600, dir_fd=folder)
    finally:
        os.close(folder)
    return os.fdopen(descriptor, "w", encoding="utf-8", errors="replace")
