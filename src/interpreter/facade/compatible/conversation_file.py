"""Conversations as JSON files, named as Open Interpreter names them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from interpreter import lmc
from interpreter.protocol import safe_files

FORBIDDEN = str.maketrans("", "", '<>:"/\\|?*!\n')
Mark = tuple[int, int, int]


def file_name(messages: list[lmc.Dictionary]) -> str:
    """A name made of the first words and the time."""
    first = str(messages[0].get("content", "")) if messages else ""
    words = first[:25].split(" ")
    label = "_".join(words[:-1]) if len(words) > 1 else first[:15]
    return f"{label.translate(FORBIDDEN)}__{time.strftime('%B_%d_%Y_%H-%M-%S')}.json"


class ConversationFile:
    """A file that holds a conversation; what is new is added at its end, however long it is."""

    def __init__(self) -> None:
        self._known: tuple[Path, int] | None = None
        self._count = 0
        self._mark: Mark = (0, 0, 0)

    def save(self, path: Path, messages: list[lmc.Dictionary], revision: int) -> None:
        """Make the file hold these messages; under the same revision they have only grown."""
        path = safe_files.named_by_user(path.parent, Path.cwd()) / path.name
        same = self._known == (path, revision) and self._count <= len(messages)
        if not (same and self._add(path, messages[self._count :])):
            self._mark = _write(path, messages)
        self._known, self._count = (path, revision), len(messages)

    def _add(self, path: Path, new: list[lmc.Dictionary]) -> bool:
        """Put more before the closing bracket; False if the file is not as it was left."""
        try:
            file = safe_files.opened_for_change(path)
        except OSError:
            return False
        with file:
            if _mark(file.fileno()) != self._mark:
                return False
            more = "".join(f", {json.dumps(dictionary)}" for dictionary in new)
            os.pwrite(file.fileno(), f"{more}]".encode(), self._mark[1] - 1)
            self._mark = _mark(file.fileno())
        return True


def _write(path: Path, messages: list[lmc.Dictionary]) -> Mark:
    """Write all of it, or leave the file as it was; only the user may read it."""
    safe_files.make_folder(path.parent)
    safe_files.write(path, json.dumps(messages))
    with safe_files.opened(path) as file:
        return _mark(file.fileno())


def _mark(descriptor: int) -> Mark:
    status = os.fstat(descriptor)
    return status.st_ino, status.st_size, status.st_mtime_ns
