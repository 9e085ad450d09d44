"""What comes from a server, bounded: messages in memory, very long ones in a nameless file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import IO, Protocol

from interpreter.protocol.json.rpc import Call, Note, NotJsonRpc, Rpc, RpcAnswer, decoded
from interpreter.protocol.values import frozen

IN_MEMORY = 1 << 22
"""Bytes of a message that we read ourselves; a longer one is handed on as a file."""
LARGEST = 1 << 28
"""Bytes of a message at most: nobody wants to know more at once."""
MOST_WAITING = 1_000
_EDGE = 400
_ID_FIRST = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"result"'
)
_ID_LAST = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


class TooLong(ValueError):
    """A message without end."""


@frozen
class LargeAnswer:
    """An answer that is too long to be read here: the whole message, in a file."""

    id: int
    file: IO[bytes]
    size: int


@frozen
class StreamEnded:
    """Nothing more will come; why."""

    error: Exception


Arrival = Rpc | LargeAnswer | StreamEnded


class Receiver(Protocol):
    """Takes what comes for one call."""

    def put(self, arrival: Arrival) -> None:
        """It came; from any thread."""
        ...


class Inbox:
    """What came for one call, in order. A server that talks on and on is heard only so far."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Arrival | None] = SimpleQueue()

    def put(self, arrival: Arrival) -> None:
        """It came. Of notes only so many wait: they are news, and old ones are none."""
        if not isinstance(arrival, Note) or self._queue.qsize() < MOST_WAITING:
            self._queue.put(arrival)

    def wake(self) -> None:
        """Let whoever waits look up; from any thread."""
        self._queue.put(None)

    def take(self, seconds: float) -> Arrival | None:
        """The next one; None when there is none in time, or after a wake."""
        try:
            return self._queue.get(timeout=max(0.0, seconds))
        except Empty:
            return None


class Spool:
    """Collects the bytes of one message."""

    def __init__(self) -> None:
        self.size = 0
        self._pieces: list[bytes] = []
        self._file: IO[bytes] | None = None

    def add(self, piece: bytes) -> None:
        """Some more of it; TooLong when it does not end."""
        self.size += len(piece)
        if self.size > LARGEST:
            self.close()
            raise TooLong(f"a message of more than {LARGEST >> 20} MB")
        if self._file is None and self.size > IN_MEMORY:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  (whoever gets it closes it)
            self._file.writelines(self._pieces)
            self._pieces.clear()
        if self._file is None:
            self._pieces.append(piece)
        else:
            self._file.write(piece)

    def message(self) -> Rpc | LargeAnswer:
        """What was collected; NotJsonRpc if it is nothing of ours."""
        if self._file is None:
            return decoded(b"".join(self._pieces))
        self._file.seek(0)
        found = _ID_FIRST.match(self._file.read(_EDGE))
        if found is None:
            self._file.seek(-_EDGE, 2)
            found = _ID_LAST.search(self._file.read(_EDGE))
        if found is None:
            self.close()
            raise NotJsonRpc(f"it has {self.size} bytes and does not say what it answers")
        self._file.seek(0)
        return LargeAnswer(int(found[1]), self._file, self.size)

    def close(self) -> None:
        """Nobody wants it."""
        if self._file is not None:
            self._file.close()

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it."""
        return self._file is None and not b"".join(self._pieces).strip()


class Lines:
    """Cuts bytes into lines, each a spool of its own; closed when no more come."""

    def __init__(self) -> None:
        self._spool = Spool()

    def close(self) -> None:
        """Half a line is none."""
        self._spool.close()

    def feed(self, piece: bytes) -> Iterator[Spool]:
        """The lines that end in this piece."""
        first, *others = piece.split(b"\n")
        self._spool.add(first)
        for other in others:
            done, self._spool = self._spool, Spool()
            self._spool.add(other)
            if not done.is_blank:
                yield done


def is_for(arrival: Rpc | LargeAnswer) -> int | None:
    """The number of our call that an arrival answers or tells the progress of."""
    match arrival:
        case RpcAnswer(int(number)) | LargeAnswer(number):
            return number
        case Note("notifications/progress", {"progressToken": int(number)}):
            return number
        case Call() | Note() | RpcAnswer():
            return None
