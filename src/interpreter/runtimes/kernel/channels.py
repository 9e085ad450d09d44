"""A kernel's channels as one mailbox: send requests, receive whatever comes, in order."""

from __future__ import annotations

import select
import time
import uuid
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from interpreter.protocol.json.bounded import TooManyValues
from interpreter.runtimes.kernel.wire import Codec, Connection, Incoming
from interpreter.runtimes.kernel.zmtp import ZmtpLine
from interpreter.runtimes.resident import Bell

HEARTBEAT_SECONDS = 3.0
_UNCONNECTED = 0.01  # seconds until it is tried again to connect


class MessageLine(Protocol):
    """One socket of a kernel; nothing here waits."""

    def register(self, poll: select.poll) -> bool:
        """Have somebody wait for this line; False if there is nothing to wait for yet."""
        ...

    def send(self, parts: Sequence[bytes]) -> None:
        """Send a message."""
        ...

    def receive(self) -> list[bytes] | None:
        """The next message; None if it is not there yet."""
        ...

    def take_left_out(self) -> int:
        """How many messages were too large since this was asked last."""
        ...

    def close(self) -> None:
        """Hang up for good."""
        ...


class Channels:
    """Lines to one kernel. Only the thread that runs a block touches them."""

    def __init__(self, connection: Connection, bell: Bell) -> None:
        identity = uuid.uuid4().bytes.replace(b"\0", b"\1")  # questions go to whom the block is of
        self._connection = connection
        self._codec = Codec(connection.key)
        self._bell = bell
        self._lines = {
            "iopub": self._open("iopub", "SUB", b""),
            "stdin": self._open("stdin", "DEALER", identity),
            "shell": self._open("shell", "DEALER", identity),
            "control": self._open("control", "DEALER", identity),
        }
        self._turns = deque(self._lines)
        self._left_out = 0
        self._heard = 0.0

    def send(
        self,
        channel: str,
        kind: str,
        content: dict[str, Any],
        parent: dict[str, Any] | None = None,
    ) -> str:
        """Send a message; returns its id, by which answers name it."""
        identity, frames = self._codec.pack(kind, content, parent)
        self._lines[channel].send(frames)
        return identity

    def receive(self, seconds: float | None) -> Incoming | None:
        """The next message; None when the bell rang or when time is up."""
        deadline = float("inf") if seconds is None else time.monotonic() + seconds
        while True:
            heard = False
            for channel in tuple(self._turns):  # so that a flood on one does not starve the rest
                self._turns.rotate(-1)
                parts = self._lines[channel].receive()
                heard = heard or parts is not None
                message = self._unpacked(channel, parts) if parts else None
                if message is not None:
                    return message
            self._heard = time.monotonic() if heard else self._heard
            left = deadline - time.monotonic()
            if left <= 0 or self._bell_rings(0 if heard else left):
                return None

    def quiet_seconds(self) -> float:
        """For how long nothing came at all, not even a piece of a message or one to pass over."""
        return time.monotonic() - self._heard

    def take_left_out(self) -> int:
        """How many messages were passed over, as they were too large, since this was asked last."""
        own, self._left_out = self._left_out, 0
        return own + sum(line.take_left_out() for line in self._lines.values())

    def beats(self) -> bool:
        """Whether the kernel's heart answers; it does so even while a block runs."""
        heart = self._open("hb", "REQ", b"")
        deadline = time.monotonic() + HEARTBEAT_SECONDS
        try:
            heart.send([b"", b"ping"])
            while time.monotonic() < deadline:
                if heart.receive() is not None:
                    return True
                _wait([heart], select.poll(), deadline - time.monotonic())
            return False
        finally:
            heart.close()

    def silence(self) -> None:
        """Forget that the bell rang."""
        self._bell.silence()

    def close(self) -> None:
        """Hang up; nothing unsent is waited for."""
        for line in self._lines.values():
            line.close()

    def _unpacked(self, channel: str, parts: list[bytes]) -> Incoming | None:
        try:
            return self._codec.unpack(channel, parts)
        except TooManyValues:
            self._left_out += 1
            return None

    def _bell_rings(self, seconds: float) -> bool:
        """Wait until something arrives, or for so long; whether the bell rang."""
        poll = select.poll()
        poll.register(self._bell.fileno(), select.POLLIN)
        ready = {number for number, _ in _wait(self._lines.values(), poll, seconds)}
        if ready - {self._bell.fileno()}:
            self._heard = time.monotonic()
        return self._bell.fileno() in ready

    def _open(self, channel: str, kind: str, identity: bytes) -> MessageLine:
        if self._connection.server_key:
            from interpreter.runtimes.kernel.encrypted_line import EncryptedLine  # noqa: PLC0415  (zmq)

            return EncryptedLine(self._connection, channel, kind, identity)
        connection = self._connection
        address = (connection.ip, connection.ports[channel])
        return ZmtpLine(connection.transport, address, kind, identity)


def _wait(lines: Iterable[MessageLine], poll: select.poll, seconds: float) -> list[tuple[int, int]]:
    connected = [line.register(poll) for line in lines]
    seconds = seconds if all(connected) else min(seconds, _UNCONNECTED)
    return poll.poll(None if seconds == float("inf") else max(0.0, seconds) * 1000)
