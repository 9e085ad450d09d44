"""In which process a session is open: in one at a time, by a lock that ends with the process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from pathlib import Path

from interpreter.protocol.errors import StoreError

_held: dict[Path, tuple[int, int]] = {}
"""The locks of this process: the descriptor, and how often it was taken."""
_guard = threading.Lock()


class Owners:
    """The sessions that are open here; any number of these in one process agree."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._mine: list[str] = []

    def take(self, session: str) -> None:
        """Open a session here; StoreError where it is open in another process."""
        with _guard:
            path = self._directory / session
            descriptor, count = _held.get(path, (-1, 0))
            if not count:
                descriptor = self._lock(path)
            if descriptor < 0:
                raise StoreError(
                    f"Session {session} is open in another terminal, which keeps it. To go on in a "
                    f"copy: interpreter --resume $(interpreter sessions fork {session})"
                )
            _held[path] = (descriptor, count + 1)
        self._mine.append(session)

    def is_elsewhere(self, session: str) -> bool:
        """Whether another process has it open."""
        with _guard:
            path = self._directory / session
            if path in _held or not path.exists():
                return False
            descriptor = self._lock(path)
            if descriptor >= 0:
                _let_go(path, descriptor)
            return descriptor < 0

    def release(self, session: str) -> None:
        """It is left."""
        self._mine.remove(session)
        with _guard:
            path = self._directory / session
            descriptor, count = _held.pop(path)
            if count > 1:
                _held[path] = (descriptor, count - 1)
            else:
                _let_go(path, descriptor)

    def close(self) -> None:
        """Leave all."""
        while self._mine:
            self.release(self._mine[-1])

    def _lock(self, path: Path) -> int:
        """A descriptor that holds the lock; -1 where somebody else does."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return -1
            except OSError:  # a file system without locks: as if everybody were alone
                return descriptor
            if _is_still(path, descriptor):
                return descriptor
            os.close(descriptor)  # its owner has just removed it


def _is_still(path: Path, descriptor: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False


def _let_go(path: Path, descriptor: int) -> None:
    path.unlink(missing_ok=True)  # while it is locked, so that nobody else can have it
    os.close(descriptor)
