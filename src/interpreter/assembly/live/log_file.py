"""The events of a session as lines of a file, each with its number; read from any number on.

A line is written in one piece before anybody hears of the event. Half a line, as a process leaves
that is killed while writing, is cut off when the file is opened again. Nothing is read of a long
file but what is asked for: numbers only grow, so a place is found by halving.
"""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
MOST_BYTES = 64 << 20  # of one session; then it begins anew, and late readers get the messages
PIECE = 64 << 10  # bytes that are read at once
MOST_PLACES = 64
HEAD = re.compile(rb'\{"n":(\d{1,18}),"type":"(\w+)"')


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
        self._path = path
        self._encode = encode
        self._decode = decode
        self._places: dict[int, int] = {}
        self._lock = threading.Lock()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o600)
        self._finalizer = weakref.finalize(self, os.close, self._descriptor)
        self._size = os.fstat(self._descriptor).st_size
        self._find_ends()

    def append(self, number: int, event: T) -> str:
        """Write an event; its line."""
        line = f'{{"n":{number},{self._encode(event)[1:]}'
        data = f"{line}\n".encode()
        with self._lock:
            if self._size > MOST_BYTES:
                os.ftruncate(self._descriptor, 0)
                self._size, self.first = 0, number
                self._places.clear()
            self._write(data)
            self._size += len(data)
            self.last = number
        return line

    def read(self, after: int, most: int) -> list[Numbered[T]]:
        """Events after a number, at least one; there must be one."""
        found: list[Numbered[T]] = []
        with self._lock:
            for following, line in self._lines_from(self._place_before(after + 1)):
                one = self._numbered(line)
                if one.n > after:
                    found.append(one)
                if len(found) == most:
                    self._remember(one.n + 1, following)
                    break
        return found

    def backwards(self) -> Iterator[tuple[int, str]]:
        """The number and the type of each event, the last first."""
        for _, line in self._lines_back(self._size):
            if head := HEAD.match(line):
                yield int(head[1]), head[2].decode()

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

    def _write(self, data: bytes) -> None:
        left = data
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            os.ftruncate(self._descriptor, self._size)  # no half a line before the next one
            raise

    def _find_ends(self) -> None:
        """Learn the first number and the last, and cut off what is no line of ours at the end."""
        end = 0
        for place, line in self._lines_back(self._size + 1):
            head = HEAD.match(line)
            if head and place + len(line) < self._size:
                end, self.last = place + len(line) + 1, int(head[1])
                break
        if end != self._size:
            os.ftruncate(self._descriptor, end)
        self._size = end
        if first := HEAD.match(os.pread(self._descriptor, 80, 0)):
            self.first = int(first[1])

    def _lines_back(self, end: int) -> Iterator[tuple[int, bytes]]:
        """The lines that end before a place, the last first, each with its own place."""
        place, rest = end - 1, b""
        while place > 0:
            length = min(place, max(PIECE, len(rest)))
            place -= length
            first, *lines = (os.pread(self._descriptor, length, place) + rest).split(b"\n")
            at = place + len(first) + sum(len(line) + 1 for line in lines)
            for line in reversed(lines):
                yield at - len(line), line
                at -= len(line) + 1
            rest = first
        if rest:
            yield 0, rest

    def _lines_from(self, place: int) -> Iterator[tuple[int, bytes]]:
        """The lines from a place on, each with the place of the next one."""
        rest = b""
        while data := self._piece(place):
            at, place = place - len(rest), place + len(data)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                at += len(line) + 1
                yield at, line

    def _place_before(self, number: int) -> int:
        """Where a line begins that is the one of this number, or a little before it."""
        if number in self._places:
            return self._places[number]
        low, high = 0, self._size
        while high - low > PIECE:
            middle = (low + high) // 2
            start = self._next_line(middle)
            head = HEAD.match(os.pread(self._descriptor, 80, start)) if start < high else None
            if head and int(head[1]) <= number:
                low = start
            else:
                high = middle
        return low

    def _next_line(self, place: int) -> int:
        """Where the next line begins after a place."""
        while data := self._piece(place):
            if (found := data.find(b"\n")) >= 0:
                return place + found + 1
            place += len(data)
        return place

    def _piece(self, place: int) -> bytes:
        return os.pread(self._descriptor, min(PIECE, self._size - place), place)

    def _remember(self, number: int, place: int) -> None:
        """Whoever read until here asks for what comes next."""
        if len(self._places) >= MOST_PLACES:
            self._places.clear()
        self._places[number] = place
