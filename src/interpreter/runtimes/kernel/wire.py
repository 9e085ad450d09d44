"""The Jupyter wire format: signed messages in frames, checked on the way in."""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import StartFailed
from interpreter.protocol.json.bounded import TooManyValues, bounded_json
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover

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
