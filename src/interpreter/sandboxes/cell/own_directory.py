"""A cell's own directory outside; those of hosts that were killed are swept away by others.

Whoever makes one holds a lock on a file in it for as long as it lives. The kernel gives the lock
back when the process ends, however it ends, so whoever gets it may delete the directory.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

PREFIX = "reploop-"
_NAMES = re.compile(PREFIX + r"[a-z0-9_]{8}")
_LOCK, _UNLOCKED = "owner", "owner.new"
_STARTING = 3600.0  # seconds in which whoever makes a directory has surely locked it
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class OwnDirectory:
    """A directory that only this user may enter, locked for as long as it is in use."""

    def __init__(self) -> None:
        """Make it; its name is short, as those of sockets in it have to be."""
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._lock: int | None = os.open(self.path / _UNLOCKED, flags, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        (self.path / _UNLOCKED).rename(self.path / _LOCK)  # nobody ever sees it unlocked

    def remove(self) -> None:
        """Delete it with all that is in it, and only then give the lock back."""
        shutil.rmtree(self.path, ignore_errors=True)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def sweep(place: Path | None = None) -> list[str]:
    """Delete what hosts left that were killed, and end what is left of their cells; the names."""
    where = Path(place or tempfile.gettempdir()).resolve()
    with _opened(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) as directory:
        names = [name for name in os.listdir(directory) if _NAMES.fullmatch(name)]  # noqa: PTH208
        return [name for name in names if _swept(directory, where / name)]


def _swept(parent: int, path: Path) -> bool:
    with ExitStack() as opened, contextlib.suppress(OSError):
        own = opened.enter_context(_opened(path.name, _READING | os.O_DIRECTORY, parent))
        status = os.fstat(own)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            return False
        try:
            lock = opened.enter_context(_opened(_LOCK, _READING, own))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            if not _was_never_used(own, status):
                return False
        end_programs_of(path)
        shutil.rmtree(path.name, dir_fd=parent)  # goes by descriptors: no link leads it away
        return True
    return False


def _was_never_used(own: int, status: os.stat_result) -> bool:
    """Whether its maker was killed before it had locked it."""
    is_empty = set(os.listdir(own)) <= {_UNLOCKED}
    return is_empty and time.time() - status.st_mtime > _STARTING


@contextlib.contextmanager
def _opened(path: str | Path, flags: int, parent: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def end_programs_of(directory: Path) -> None:
    """End what still runs in the cell of a directory: the variables it was started with name it."""
    if not Path("/proc/self/environ").exists():
        return  # not Linux
    mark = b"=" + os.fsencode(directory / "packages") + b"\0"
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError):
            _end_if_marked(int(name), mark)


def _end_if_marked(pid: int, mark: bytes) -> None:
    handle = os.pidfd_open(pid)
    try:  # read after it is held: the number cannot be another's any more
        if mark in Path(f"/proc/{pid}/environ").read_bytes() + b"\0":
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    finally:
        os.close(handle)
