"""Numbered events for any number of readers, in threads or in asyncio.

Readers pull: each knows the last number it has, and asks for what comes after. So nothing is queued
for a slow one. What is no longer in memory is read from the file; a log without a file makes the
writer wait for its slowest reader instead.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Generic, TypeVar

from interpreter.assembly.live.log_file import LogFile, Numbered

T = TypeVar("T")
MOST_KEPT = 512  # events in memory, where a file has the others
MOST_CHARACTERS = 512 << 10
MOST_WAITING = 10_000  # events in memory, where there is no file
AT_ONCE = 256

__all__ = ["EventLog", "Gone", "Numbered", "Reader"]


class Gone(LookupError):
    """What comes after this number is no longer kept, or was never there."""


class EventLog(Generic[T]):
    """Written by one session, read by anybody."""

    def __init__(self, file: LogFile[T] | None = None) -> None:
        self._file = file
        self._recent: deque[Numbered[T]] = deque()
        self._characters = 0
        self._last = file.last if file else 0
        self._ended = False
        self._patient = True
        self._readers: list[Reader[T]] = []
        self.changed = threading.Condition()

    @property
    def last(self) -> int:
        """The number of the last event; 0 before the first."""
        return self._last

    @property
    def first(self) -> int:
        """The number of the first event that is still kept, or of the next one."""
        if self._file is not None:
            return self._file.first
        return self._recent[0].n if self._recent else self._last + 1

    def append(self, event: T) -> int:
        """Keep an event and tell the readers; its number. When this returns, it is in the file."""
        with self.changed:
            if self._file is None:
                self.changed.wait_for(lambda: self._ended or not self._is_full())
            number = self._last + 1
            line = self._file.append(number, event) if self._file else ""
            self._last = number
            self._recent.append(Numbered(number, event, line))
            self._characters += len(line)
            self._trim()
            self._wake()
        return number

    def reader(self, after: int = 0) -> Reader[T]:
        """Somebody who wants what comes after this number; Gone where that is not kept."""
        with self.changed:
            if not self.first - 1 <= after <= self._last:
                raise Gone(f"There are events {self.first} to {self._last}.")
            reader = Reader(self, after)
            self._readers.append(reader)
        return reader

    def end(self) -> None:
        """Nothing more will come: readers stop when they have read all."""
        with self.changed:
            self._ended = True
            self._wake()

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._ended

    def close(self) -> None:
        """Give the file back; it is opened again by whoever makes a log of it."""
        self.end()
        if self._file is not None:
            self._file.close()

    def take(self, reader: Reader[T], most: int = AT_ONCE) -> list[Numbered[T]]:
        """The next events for a reader, some at once; none when it has all."""
        with self.changed:
            if reader.at >= self._last:
                return []
            start = self._recent[0].n if self._recent else self._last + 1
            if reader.at + 1 >= start:
                skipped = reader.at + 1 - start
                found = list(islice(self._recent, skipped, skipped + most))
                reader.at = found[-1].n
                self._let_go()
                return found
        if self._file is None or reader.at + 1 < self._file.first:
            raise Gone(f"What came after {reader.at} is no longer kept.")
        found = self._file.read(reader.at, most)
        reader.at = found[-1].n
        return found

    def leave(self, reader: Reader[T]) -> None:
        """A reader goes; nobody waits for it any more."""
        with self.changed:
            if reader in self._readers:
                self._readers.remove(reader)
                self.changed.notify_all()

    def wait_for_readers(self, wish: bool) -> None:
        """Whether the writer waits for readers that are far behind, where there is no file."""
        with self.changed:
            self._patient = wish
            self.changed.notify_all()

    @property
    def _slowest(self) -> int:
        return min((reader.at for reader in self._readers), default=self._last)

    def _is_full(self) -> bool:
        return self._patient and self._last - self._slowest >= MOST_WAITING

    def _let_go(self) -> None:
        """Without a file, forget what all readers have; a writer that waits for them goes on."""
        if self._file is None:
            while self._recent and self._recent[0].n <= self._slowest:
                self._recent.popleft()
            self.changed.notify_all()

    def _trim(self) -> None:
        most = MOST_KEPT if self._file else MOST_WAITING
        while len(self._recent) > most or (self._file and self._characters > MOST_CHARACTERS):
            self._characters -= len(self._recent.popleft().line)

    def _wake(self) -> None:
        self.changed.notify_all()
        for reader in self._readers:
            reader.wake()


class Reader(Generic[T]):
    """Reads a log from a number on; to be closed, or used as a context manager."""

    def __init__(self, log: EventLog[T], after: int) -> None:
        self.at = after
        self._log = log
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    def __enter__(self) -> Reader[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading."""
        self._log.leave(self)

    def __iter__(self) -> Iterator[Numbered[T]]:
        """Each event as it comes, in a thread, until the log ends."""
        changed = self._log.changed
        while True:
            yield from self._log.take(self)
            with changed:
                changed.wait_for(lambda: self.at < self._log.last or self._log.ended)
            if self.at >= self._log.last:
                return

    def __aiter__(self) -> AsyncIterator[Numbered[T]]:
        """Each event as it comes, in asyncio, until the log ends."""
        return self._each()

    async def _each(self) -> AsyncIterator[Numbered[T]]:
        while found := await self.some():
            for event in found:
                yield event

    async def some(self, most: int = AT_ONCE) -> list[Numbered[T]]:
        """The next events, as many as there are; none only when the log has ended."""
        while not (found := self._log.take(self, most)):
            arrived = asyncio.Event()
            with self._log.changed:
                if self.at < self._log.last:
                    continue
                if self._log.ended:
                    return []
                self._waiting = (asyncio.get_running_loop(), arrived)
            await arrived.wait()
        return found

    def wake(self) -> None:
        """Something came."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting[0].is_closed():
            waiting[0].call_soon_threadsafe(waiting[1].set)
