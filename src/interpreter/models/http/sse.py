"""Server-sent events from bytes, in any chunking."""

from __future__ import annotations

from collections.abc import Iterator

LONGEST_EVENT = 64_000_000


class EventTooLong(ValueError):
    """One event is larger than anything a model says."""


class EventReader:
    """Splits bytes into the data of events; names of events are not needed by any provider."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that this chunk completes."""
        first, *others = chunk.split(b"\n")
        self._pieces.append(first)
        self._size += len(first)
        if self._size > LONGEST_EVENT:
            raise EventTooLong
        for piece in others:
            line = b"".join(self._pieces) if len(self._pieces) > 1 else self._pieces[0]
            self._pieces, self._size = [piece], len(piece)
            yield from self._line(line.rstrip(b"\r"))

    def finish(self) -> Iterator[bytes]:
        """The last event, for servers that forget the empty line behind it."""
        yield from self._line(b"".join(self._pieces).rstrip(b"\r"))
        yield from self._line(b"")
        self._pieces = []

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif line.startswith(b"{") and not self._data:  # an error in the middle, without framing
            yield line
        elif not line and self._data:
            data, self._data = b"\n".join(self._data), []
            yield data
