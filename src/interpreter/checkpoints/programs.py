"""The programs of a cell that have been heard of, and the files that they hold open."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_MOST = 4096


class Programs:
    """Remembers who called, and finds their children."""

    def __init__(self) -> None:
        self._heard: set[int] = set()

    def heard(self, thread: int) -> None:
        """A thread made a call."""
        if thread not in self._heard and len(self._heard) < _MOST:
            self._heard.add(thread)

    def writing(self) -> Iterator[str]:
        """The paths of files that are open for writing now."""
        for link, entry in self._descriptors():
            path = _link(link)
            if path is not None and path.startswith("/") and _is_writable(entry):
                yield path

    def hold(self, status: os.stat_result) -> bool:
        """Whether any of them has this inode open."""
        for link, _ in self._descriptors():
            with contextlib.suppress(OSError):
                found = os.stat(link)
                if (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino):
                    return True
        return False

    def _descriptors(self) -> Iterator[tuple[str, str]]:
        for pid in self._alive():
            with contextlib.suppress(OSError):
                for number in os.listdir(f"/proc/{pid}/fd"):
                    yield f"/proc/{pid}/fd/{number}", f"/proc/{pid}/fdinfo/{number}"

    def _alive(self) -> set[int]:
        self._heard = {pid for pid in self._heard if os.path.exists(f"/proc/{pid}")}
        found: set[int] = set()
        left = list(self._heard)
        while left and len(found) < _MOST:
            pid = left.pop()
            if pid not in found:
                found.add(pid)
                left += _children(pid)
        return found


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return [int(word) for word in children.read().split()]
    except OSError:
        return []


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def _is_writable(entry: str) -> bool:
    try:
        with open(entry) as lines:
            flags = next(line.split()[1] for line in lines if line.startswith("flags:"))
    except (OSError, StopIteration):
        return False
    return bool(int(flags, 8) & (os.O_WRONLY | os.O_RDWR))
