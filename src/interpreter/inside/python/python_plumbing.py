"""The pipes under descriptors 1 and 2 of the kernel, read by a thread.

Loaded by our launcher inside the user's Python. Standard library only.
"""

from __future__ import annotations

import fcntl
import os
import selectors
import struct
import termios
import threading
from codecs import getincrementaldecoder
from typing import Any

READ_BYTES = 65_536


class Plumbing(threading.Thread):
    """Reads what C code and children write to descriptors 1 and 2.

    Each block has new pipes, so that a child which outlives it still speaks under its name.
    """

    def __init__(self) -> None:
        super().__init__(name="Plumbing", daemon=True)
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._taps: list[Tap] = []

    def renew(self, streams: tuple[Any, Any]) -> None:
        """Put fresh pipes under descriptors 1 and 2; older ones live while somebody holds them."""
        self._taps = [self._tap(stream) for stream in streams]

    def drain(self) -> None:
        """Take over all that has been written to the pipes so far."""
        for tap in self._taps:
            with self._lock:
                while not tap.closed and tap.waiting():
                    tap.read()

    def cut(self) -> None:
        """In a copy, where this thread is not: give all up."""
        for key in list(self._selector.get_map().values()):
            os.close(key.fd)
        self._selector.close()

    def run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                with self._lock:
                    self._serve(key.data)

    def _serve(self, tap: Tap) -> None:
        tap.read()
        if tap.closed:
            self._selector.unregister(tap.source)
            os.close(tap.source)

    def _tap(self, stream: Any) -> Tap:
        source, sink = (above_the_streams(end) for end in os.pipe())
        os.set_blocking(source, False)
        os.dup2(sink, stream.fileno(), inheritable=True)
        os.close(sink)
        tap = Tap(source, stream)
        self._selector.register(source, selectors.EVENT_READ, tap)
        return tap


def above_the_streams(descriptor: int) -> int:
    """The same end under a number that is no standard stream's, should a block have closed one."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Tap:
    """The reading end of one pipe, and whom its text belongs to."""

    def __init__(self, source: int, stream: Any) -> None:
        self.source = source
        self.closed = False
        self._stream = stream
        self._parent = stream.parent_header
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def waiting(self) -> int:
        """How many bytes can be read."""
        count: int = struct.unpack("i", fcntl.ioctl(self.source, termios.FIONREAD, b"\0" * 4))[0]
        return count

    def read(self) -> None:
        """Take what is there; nothing at all means that nobody holds the other end any more."""
        try:
            data = os.read(self.source, READ_BYTES)
        except BlockingIOError:  # drained by another thread in the meantime
            return
        self.closed = not data
        text = self._decode(data, final=not data)
        if text:
            self._stream.outbox.add(self._stream, self._parent, text)
