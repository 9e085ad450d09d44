"""Conversations as JSON files, named as Open Interpreter names them."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

from interpreter import lmc

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
        same = self._known == (path, revision) and self._count <= len(messages)
        if not (same and self._add(path, messages[self._count :])):
            self._mark = _write(path, messages)
        self._known, self._count = (path, revision), len(messages)

    def _add(self, path: Path, new: list[lmc.Dictionary]) -> bool:
        """Put more before the closing bracket; False if the file is not as it was left."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            if _mark(descriptor) != self._mark:
                return False
            more = "".join(f", {json.dumps(dictionary)}" for dictionary in new)
            os.pwrite(descriptor, f"{more}]".encode(), self._mark[1] - 1)
            self._mark = _mark(descriptor)
        finally:
            os.close(descriptor)
        return True


def _write(path: Path, messages: list[lmc.Dictionary]) -> Mark:
    """Write all of it, or leave the file as it was; only the user may read it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".json")  # 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(messages))
            file.flush()
            mark = _mark(descriptor)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return mark


def _mark(descriptor: int) -> Mark:
    status = os.fstat(descriptor)
    return status.st_ino, status.st_size, status.st_mtime_ns
