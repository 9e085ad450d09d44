"""Named pipes between us and the cell: the same path inside and outside, and text on our side."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from pathlib import Path

from interpreter.protocol.messages import Stream

READ_BYTES = 65_536


class Pipe:
    """The reading end of a named pipe that carries one stream's text."""

    def __init__(self, path: Path, stream: Stream = "stdout") -> None:
        self.path = path
        self.stream: Stream = stream
        self.ended = False
        os.mkfifo(path, 0o600)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._descriptor

    def read(self) -> str:
        """The text that is there; empty when there is none yet, or (`ended`) never will be."""
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return ""
        self.ended = not data
        return self._decode(data, final=not data)

    def close(self) -> None:
        """Close our end and remove the name."""
        os.close(self._descriptor)
        self.path.unlink(missing_ok=True)


class Marks:
    """A named pipe on which a driver tells the ends of blocks, one line each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        os.mkfifo(path, 0o600)
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # open for writing: never ends
        self._rest = b""

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._descriptor

    def read(self) -> list[list[str]]:
        """The lines that have come, as words. They come from the cell: check them."""
        try:
            self._rest += os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return []
        *lines, self._rest = self._rest[-READ_BYTES:].split(b"\n")
        return [line.decode(errors="replace").split() for line in lines]

    def close(self) -> None:
        """Close and remove the pipe."""
        os.close(self._descriptor)
        self._path.unlink(missing_ok=True)
