"""The connections of this process to the database of sessions.

Everybody who keeps sessions here shares two of them: one that writes, one that reads. So many
sessions wait for each other by a lock, for as long as a commit takes; with a connection each, they
would ask for the file again and again, sleep longer each time, and give up in the end.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from interpreter.protocol.errors import StoreError
from interpreter.session.store.schema import open_database

_open: dict[tuple[int, Path], DatabaseConnection] = {}
_guard = threading.Lock()


class DatabaseConnection:
    """One for all users of a path in a process; to be closed by each of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._users = 0
        self._writer = open_database(path)
        self._reader: sqlite3.Connection | None = None
        self._write_lock = threading.RLock()
        self._read_lock = threading.RLock()

    @classmethod
    def to(cls, path: Path) -> DatabaseConnection:
        """The one that is open already, or a new one."""
        key = (os.getpid(), path)  # what a forked process inherits is not for using
        with _guard:
            if key not in _open:
                _open[key] = cls(path)
            _open[key]._users += 1
            return _open[key]

    def close(self) -> None:
        """One user less; the last one closes it."""
        with _guard:
            self._users -= 1
            if self._users or self._process != os.getpid():
                return
            del _open[self._process, self._path]
        with self._write_lock, self._read_lock:
            self._writer.close()
            if self._reader is not None:
                self._reader.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; nested ones join it."""
        with self._write_lock, _translated(self._path):
            if self._writer.in_transaction:
                yield self._writer
                return
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:
                self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """What is committed; nobody who writes is waited for."""
        with self._read_lock, _translated(self._path):
            if self._reader is None:
                self._reader = open_database(self._path)
            yield self._reader


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"The session database {path} cannot be used: {error}.") from error
