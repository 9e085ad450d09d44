"""Server-sent events whose data may be very long."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.mcp.transports.arrivals import Spool, TooLong

LONGEST_FIELD = 4_000
_DATA = b"data:"


class Events:
    """Cuts bytes into events; remembers what is needed to go on after a broken stream."""

    def __init__(self) -> None:
        self.last_id = ""
        self.retry_seconds = 1.0
        self._line = b""
        self._in_data = False
        self._event = Spool()

    def feed(self, chunk: bytes) -> Iterator[Spool]:
        """The data of each event that ends in this chunk; TooLong when one does not end."""
        first, *others = chunk.split(b"\n")
        self._more(first)
        for other in others:
            yield from self._line_ended()
            self._more(other)

    def close(self) -> None:
        """Half an event is none."""
        self._event.close()

    def _more(self, piece: bytes) -> None:
        if self._in_data:
            self._event.add(piece)
            return
        self._line += piece
        if len(self._line) > len(_DATA) and self._line.startswith(_DATA):
            self._in_data = True
            self._event.add(b"\n" * bool(self._event.size) + self._line[len(_DATA) :])
            self._line = b""
        if len(self._line) > LONGEST_FIELD:
            raise TooLong("a line of an event without end")

    def _line_ended(self) -> Iterator[Spool]:
        line, self._line = self._line.rstrip(b"\r"), b""
        was_data, self._in_data = self._in_data, False
        name, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if name == b"id" and "\0" not in text:
            self.last_id = text
        if name == b"retry" and text.isascii() and text.isdigit():
            self.retry_seconds = int(text[:9]) / 1000
        if not line and not was_data and self._event.size:
            done, self._event = self._event, Spool()
            if not done.is_blank:
                yield done
