"""All that a block printed: in memory while it is short, in a bounded file when it is long."""

from __future__ import annotations

import io
import itertools
from fnmatch import fnmatch
from pathlib import Path
from typing import IO

from interpreter.protocol import safe_files

IN_MEMORY = 7_000  # less than a model is shown whole
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
            safe_files.make_folder(directory)
            _let_go_of_old_files(directory)
            self._file = io.TextIOWrapper(safe_files.create(path), "utf-8", "replace")
        except OSError:  # the disk is full, or code has put something else in its place
            self._directory = None
            return
        self.path = path
        self._file.writelines(self._pieces)
        self._pieces.clear()


def _let_go_of_old_files(directory: Path) -> None:
    names = [name for name in safe_files.names(directory) if fnmatch(name, "output-*.txt")]
    for name in sorted(names)[: -FILES_KEPT + 1]:
        safe_files.remove(directory / name)
