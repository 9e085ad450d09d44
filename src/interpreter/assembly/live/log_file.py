"""The events of a session as lines of a file, each with its number; read from any number on.

A line is written in one piece before anybody hears of the event. Half a line, as a process leaves
that is killed while writing, is cut off when the file is opened again.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
MOST_BYTES = 64 << 20  # of one session; then it begins anew, and late readers get the messages
EACH = 64  # events between two places that are known
READ_AT_ONCE = 1 << 20


class Numbered(Generic[T]):
    """An event, its number, and its line of JSON where a file has it."""

    __slots__ = ("_event", "line", "n")

    def __init__(self, n: int, event: T | Callable[[], T], line: str = "") -> None:
        self.n = n
        self.line = line
        self._event = event

    @property
    def event(self) -> T:
        """The event; from a file it is decoded when it is asked for."""
        return self._event() if callable(self._event) else self._event


class LogFile(Generic[T]):
    """A file that only its user can read. One thread appends; any may read."""

    def __init__(self, path: Path, encode: Callable[[T], str], decode: Callable[[str], T]) -> None:
        self.first = 1
        self.last = 0
        self.last_of_type: dict[str, int] = {}
        """The number of the last event of each type that was there when the file was opened."""
        self._path = path
        self._encode = encode
        self._decode = decode
        self._places: list[int] = []
        self._lock = threading.Lock()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o600)
        self._finalizer = weakref.finalize(self, os.close, self._descriptor)
        self._size = self._scan()

    def append(self, number: int, event: T) -> str:
        """Write an event; its line."""
        line = f'{{"n":{number},{self._encode(event)[1:]}'
        data = f"{line}\n".encode()
        with self._lock:
            if self._size > MOST_BYTES:
                os.ftruncate(self._descriptor, 0)
                self._size, self._places, self.first = 0, [], number
            if (number - self.first) % EACH == 0:
                self._places.append(self._size)
            _write(self._descriptor, data)
            self._size += len(data)
            self.last = number
        return line

    def read(self, after: int, most: int) -> list[Numbered[T]]:
        """Events after a number, at least one; there must be one."""
        with self._lock:
            block = max(0, after + 1 - self.first) // EACH
            place, size = self._places[block], self._size
            found: list[Numbered[T]] = []
            rest = b""
            while place < size and len(found) < most:
                data = os.pread(self._descriptor, min(READ_AT_ONCE, size - place), place)
                place += len(data)
                *lines, rest = (rest + data).split(b"\n")
                found += [one for one in map(self._numbered, lines) if one.n > after]
        return found[:most]

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._finalizer()
            self._descriptor = -1

    def _numbered(self, line: bytes) -> Numbered[T]:
        text = line.decode()
        number = int(text[5 : text.index(",")])
        decode = self._decode
        return Numbered(number, lambda: decode("{" + text[text.index(",") + 1 :]), text)

    def _scan(self) -> int:
        """Learn what is there; the size of it, without half a line at the end."""
        size = 0
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            file.seek(0)
            for line in file:
                if not line.endswith(b"\n") or not self._know(line, size):
                    break
                size += len(line)
        os.ftruncate(self._descriptor, size)
        return size

    def _know(self, line: bytes, place: int) -> bool:
        """Take a line into account; False for one that we have not written."""
        head = line[:80].decode(errors="replace").split(",", 2)
        number = head[0].removeprefix('{"n":')
        if len(head) < 2 or not number.isdigit() or (place and int(number) != self.last + 1):
            return False
        if not place:
            self.first = int(number)
        self.last = int(number)
        if (self.last - self.first) % EACH == 0:
            self._places.append(place)
        kind = head[1].removeprefix('"type":').rstrip("}\n")
        self.last_of_type[json.loads(kind)] = self.last
        return True


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
