"""A line to one socket of a kernel, in ZeroMQ's protocol (ZMTP 3.0), read piece by piece.

Not left to the ZeroMQ library: it reads ahead, and knows no limit for the parts of one message, so
that a kernel could fill our memory. Here, what nobody waits for stays with the operating system.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import stat
import struct
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

LARGEST_MESSAGE = 32 << 20  # bytes of all parts of a message; a larger one is passed over
MOST_PARTS = 1024
LARGEST_BACKLOG = 64 << 20  # bytes that a kernel may leave unread of what we send
_PIECE = 1 << 16
_RETRY_SECONDS = 0.01  # the kernel binds while we already knock
_MORE, _LONG, _COMMAND = 1, 2, 4
_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_READY = b"\x05READY"


def packed(parts: Sequence[bytes], kind: int = 0) -> bytes:
    """A message as it goes over the line."""
    pieces = []
    for number, part in enumerate(parts, 1):
        flags = kind | (_MORE if number < len(parts) else 0)
        short = len(part) < 256
        head = (flags, len(part)) if short else (flags | _LONG, len(part))
        pieces += [struct.pack("!BB" if short else "!BQ", *head), part]
    return b"".join(pieces)


def _introduction(kind: str, identity: bytes) -> bytes:
    """What a socket says about itself before anything else."""
    body = _READY
    for name, value in ((b"Socket-Type", kind.encode()), (b"Identity", identity)):
        body += bytes([len(name)]) + name + struct.pack("!I", len(value)) + value
    return packed([body], _COMMAND)


class Broken(Exception):
    """What arrives is not in the protocol."""


class MessageCutter:
    """Cuts what arrives into messages; of one that is too large, nothing is kept."""

    def __init__(self) -> None:
        self.left_out = 0
        self.ready = False
        """Whether the other side has introduced itself: only then it takes messages."""
        self._unread = bytearray()
        self._greeted = False
        self._skip = 0
        self._parts: list[bytes] = []
        self._size = 0
        self._passing_over = False

    def feed(self, piece: bytes) -> None:
        """More has arrived."""
        skipped = min(self._skip, len(piece))
        self._skip -= skipped
        self._unread += memoryview(piece)[skipped:]

    def next(self) -> list[bytes] | None:
        """The next message, if it is there as a whole."""
        while (frame := self._frame()) is not None:
            flags, part = frame
            if flags & _COMMAND:
                self.ready = self.ready or part.startswith(_READY)
                continue
            self._parts.append(part)
            if flags & _MORE:
                continue
            parts, self._parts, self._size = self._parts, [], 0
            if not self._passing_over:
                return parts
            self._passing_over = False
            self.left_out += 1
        return None

    def _frame(self) -> tuple[int, bytes] | None:
        """The next part; what is skipped of it is empty."""
        if not self._greeted and not self._greeting():
            return None
        if self._skip or len(self._unread) < 2:
            return None
        flags = self._unread[0]
        if flags > _MORE | _LONG | _COMMAND:
            raise Broken
        start = 9 if flags & _LONG else 2
        if len(self._unread) < start:
            return None
        size = int.from_bytes(self._unread[1:start], "big")
        if not self._passing_over and not self._fits(size):
            self._passing_over, self._parts = True, []
        if self._passing_over:
            return flags, self._skipped(start, size)
        if len(self._unread) < start + size:
            return None
        part = bytes(memoryview(self._unread)[start : start + size])
        del self._unread[: start + size]
        self._size += 0 if flags & _COMMAND else size
        return flags, part

    def _fits(self, size: int) -> bool:
        return self._size + size <= LARGEST_MESSAGE and len(self._parts) < MOST_PARTS

    def _skipped(self, start: int, size: int) -> bytes:
        there = min(size, len(self._unread) - start)
        del self._unread[: start + there]
        self._skip = size - there
        self._parts.clear()
        return b""

    def _greeting(self) -> bool:
        if len(self._unread) < len(_GREETING):
            return False
        if self._unread[0] != 0xFF or self._unread[10] < 3 or self._unread[12:16] != b"NULL":
            raise Broken
        del self._unread[: len(_GREETING)]
        self._greeted = True
        return True


class ZmtpLine:
    """Connects, again if need be, and sends and receives without ever waiting."""

    def __init__(
        self, transport: str, address: tuple[str, int], kind: str, identity: bytes
    ) -> None:
        self._transport = transport
        self._address = address
        self._preface = _GREETING + _introduction(kind, identity)
        self._subscription = packed([b"\x01"]) if kind == "SUB" else b""  # to everything
        self._socket: socket.socket | None = None
        self._reader = MessageCutter()
        self._waiting: deque[bytes] = deque()
        self._unsent = bytearray()  # what is on its way over this connection
        self._introduced = False
        self._next_try = 0.0
        self._left_out = 0

    def register(self, poll: select.poll) -> bool:
        """Have somebody wait for this line; False if there is nothing to wait for yet."""
        self._connect()
        if self._socket is None:
            return False
        wanted = select.POLLIN | (select.POLLOUT if self._unsent else 0)
        poll.register(self._socket, wanted)
        return True

    def send(self, parts: Sequence[bytes]) -> None:
        """Send a message as soon as the other side takes it."""
        message = packed(parts)
        if sum(map(len, (self._unsent, message, *self._waiting))) <= LARGEST_BACKLOG:
            self._waiting.append(message)
        self._flush()

    def receive(self) -> list[bytes] | None:
        """The next message; None if it is not there yet. Reads one piece at most."""
        try:
            message = self._reader.next()
            if message is None and self._socket is not None:
                self._reader.feed(self._piece())
                message = self._reader.next()
        except (OSError, Broken):
            self._hang_up()
            return None
        self._flush()
        return message

    def take_left_out(self) -> int:
        """How many messages were too large since this was asked last."""
        new = self._reader.left_out - self._left_out
        self._left_out = self._reader.left_out
        return new

    def close(self) -> None:
        """Hang up for good."""
        self._hang_up()
        self._next_try = float("inf")

    def _piece(self) -> bytes:
        assert self._socket is not None
        try:
            piece = self._socket.recv(_PIECE)
        except BlockingIOError:
            return b""
        if not piece:
            raise ConnectionResetError
        return piece

    def _connect(self) -> None:
        if self._socket is not None or time.monotonic() < self._next_try:
            return
        self._next_try = time.monotonic() + _RETRY_SECONDS
        with contextlib.suppress(OSError):
            is_ipc = self._transport == "ipc"
            self._socket = _connected_file(self._address) if is_ipc else _dialled(self._address)
            self._unsent += self._preface
            self._flush()

    def _flush(self) -> None:
        if self._reader.ready and not self._introduced:
            self._introduced = True
            self._unsent += self._subscription
        while self._introduced and self._waiting:
            self._unsent += self._waiting.popleft()
        try:
            while self._socket is not None and self._unsent:
                del self._unsent[: self._socket.send(bytes(self._unsent[:_PIECE]))]
        except BlockingIOError:
            return
        except OSError:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._reader = MessageCutter()
        self._left_out = 0
        self._unsent.clear()
        self._introduced = False


def _connected_file(address: tuple[str, int]) -> socket.socket:
    """A line to a socket file, and not to one that a link leads to: code can make links there."""
    path = Path(f"{address[0]}-{address[1]}")
    line = socket.socket(socket.AF_UNIX)
    line.setblocking(False)
    try:
        if not hasattr(os, "O_PATH"):
            line.connect(str(path))
            return line
        held = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not stat.S_ISSOCK(os.fstat(held).st_mode):
                raise ConnectionRefusedError
            line.connect(f"/proc/self/fd/{held}")
        finally:
            os.close(held)
    except OSError:
        line.close()
        raise
    return line


def _dialled(address: tuple[str, int]) -> socket.socket:
    """A line to another machine, or to a port of this one; it may still be on its way."""
    line = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
    line.setblocking(False)
    problem = line.connect_ex(address)
    if problem not in (0, errno.EINPROGRESS):
        line.close()
        raise OSError(problem, os.strerror(problem))
    return line
