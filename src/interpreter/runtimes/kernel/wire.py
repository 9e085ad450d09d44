"""The Jupyter wire format: signed messages in frames, checked on the way in.

And the channels that they go through.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import select
import time
import uuid
from collections import deque
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from interpreter.protocol.errors import StartFailed
from interpreter.protocol.json.codec import TooManyValues, bounded_json
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.runtimes.kernel.zmtp import ZmtpLine
from interpreter.runtimes.resident import Bell

DELIMITER = b"<IDS|MSG>"
MOST_VALUES = 1_000_000  # in one message
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")


@frozen
class Connection:
    """Where a kernel listens, and the key that its messages are signed with."""

    transport: str
    ip: str
    ports: dict[str, int]
    key: bytes
    server_key: bytes = b""

    def address(self, channel: str) -> str:
        """The ZeroMQ address of a channel."""
        separator = "-" if self.transport == "ipc" else ":"
        return f"{self.transport}://{self.ip}{separator}{self.ports[channel]}"


@frozen
class Incoming:
    """A message from a kernel, as far as we look at it."""

    channel: str
    kind: str
    parent: str
    content: dict[str, Any]
    header: dict[str, Any]

    def text(self, name: str) -> str:
        """A field of the content that must be text; anything else counts as empty."""
        value = self.content.get(name)
        return value if isinstance(value, str) else ""


def new_connection(directory: Path, name: str) -> tuple[Connection, Path]:
    """Sockets in `directory` with a fresh key, and the file that tells a kernel of them."""
    key = uuid.uuid4().hex
    ports = {channel: number for number, channel in enumerate(CHANNELS, 1)}
    connection = Connection("ipc", str(directory / name), ports, key.encode())
    file = directory / f"{name}.json"
    handover.write(
        file,
        json.dumps({
            "transport": "ipc",
            "ip": connection.ip,
            "key": key,
            "signature_scheme": "hmac-sha256",
            **{f"{channel}_port": port for channel, port in ports.items()},
        }),
    )
    return connection, file


def read_connection(file: Path) -> Connection:
    """The connection of a running kernel; StartFailed if the file does not tell it."""
    try:
        known = json.loads(file.read_text())
        return Connection(
            transport=str(known.get("transport", "tcp")),
            ip=str(known["ip"]),
            ports={channel: int(known[f"{channel}_port"]) for channel in CHANNELS},
            key=str(known.get("key", "")).encode(),
            server_key=str(known.get("curve_publickey") or "").encode(),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StartFailed(f"{file} is not a kernel's connection file: {error!r}") from error


class Codec:
    """Packs and unpacks messages of one session."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._session = uuid.uuid4().hex

    def pack(
        self, kind: str, content: dict[str, Any], parent: dict[str, Any] | None = None
    ) -> tuple[str, list[bytes]]:
        """A message's id and its frames."""
        identity = uuid.uuid4().hex
        header = {
            "msg_id": identity,
            "session": self._session,
            "username": "reploop",
            "date": datetime.now(UTC).isoformat(),
            "msg_type": kind,
            "version": "5.4",
        }
        body = [json.dumps(part).encode() for part in (header, parent or {}, {}, content)]
        return identity, [DELIMITER, self._sign(body), *body]

    def unpack(self, channel: str, frames: Sequence[bytes]) -> Incoming | None:
        """The message in the frames; None if it is malformed or not signed with our key.

        TooManyValues if it is as it should be, but would fill our memory.
        """
        try:
            start = frames.index(DELIMITER)
            signature, *body = frames[start + 1 : start + 6]
            if not hmac.compare_digest(signature, self._sign(body)):
                return None
            header, parent, _, content = _objects(body)
            return Incoming(
                channel, str(header["msg_type"]), str(parent.get("msg_id", "")), content, header
            )
        except TooManyValues:
            raise
        except (ValueError, KeyError, RecursionError):
            return None

    def _sign(self, body: Sequence[bytes]) -> bytes:
        if not self._key:
            return b""
        digest = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in body:
            digest.update(part)
        return digest.hexdigest().encode()


def _objects(parts: Sequence[bytes]) -> list[dict[str, Any]]:
    values = bounded_json(b"[%s]" % b",".join(parts), MOST_VALUES)
    if len(values) != len(parts) or not all(isinstance(value, dict) for value in values):
        raise ValueError("not objects")
    return list(values)


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
