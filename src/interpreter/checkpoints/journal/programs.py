"""The programs of a cell that have been heard of, and the files that they hold open."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

_MOST = 4096
_PIECE = 1 << 16
_ONE_THREAD = 3  # names in a directory of tasks, with . and ..


class Programs:
    """Remembers who called, and finds their children."""

    def __init__(self) -> None:
        self._heard: set[int] = set()
        self._without_files: dict[int, bytes] = {}
        """Who held no file, and how long each had run then: nothing is new until it runs again."""

    def heard(self, thread: int) -> None:
        """A thread made a call."""
        if thread not in self._heard and len(self._heard) < _MOST:
            self._heard.add(thread)

    def writing(self) -> Iterator[str]:
        """The paths of files that are open for writing now."""
        for link, path in self._files():
            with contextlib.suppress(OSError):
                if os.lstat(link).st_mode & stat.S_IWUSR:
                    yield path

    def hold(self, status: os.stat_result) -> bool:
        """Whether any of them has this inode open."""
        for link, _ in self._files():
            with contextlib.suppress(OSError):
                found = os.stat(link)
                if (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino):
                    return True
        return False

    def _files(self) -> Iterator[tuple[str, str]]:
        """The descriptors of files, and what they are called."""
        alive = self._alive()
        self._without_files = {p: ran for p, ran in self._without_files.items() if p in alive}
        for pid in alive:
            ran = _time_run(pid)
            if ran and self._without_files.get(pid) == ran:
                continue
            files = list(_files_of(pid))
            if ran and not files:
                self._without_files[pid] = ran
            yield from files

    def _alive(self) -> set[int]:
        self._heard = {pid for pid in self._heard if os.path.exists(f"/proc/{pid}")}
        found: set[int] = set()
        left = list(self._heard)
        while left and len(found) < _MOST:
            pid = left.pop()
            if pid not in found:
                found.add(pid)
                left += map(int, _content(f"/proc/{pid}/task/{pid}/children").split())
        return found


def _files_of(pid: int) -> Iterator[tuple[str, str]]:
    try:
        links = [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return
    for link in links:
        with contextlib.suppress(OSError):
            path = os.readlink(link)
            if path.startswith("/") and not path.startswith("/dev/"):
                yield link, path


def _time_run(pid: int) -> bytes:
    """How long a program with one thread has run, to the nanosecond; empty where that is unknown.

    Other threads would open files unseen. Frozen copies of a kernel never run, and are many.
    """
    with contextlib.suppress(OSError):
        if os.stat(f"/proc/{pid}/task").st_nlink == _ONE_THREAD:
            return _content(f"/proc/{pid}/schedstat")
    return b""


def _content(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    content = b""
    try:
        while piece := os.read(descriptor, _PIECE):
            content += piece
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return content
