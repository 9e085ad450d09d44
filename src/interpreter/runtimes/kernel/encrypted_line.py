"""A line to an encrypted socket of a kernel that runs elsewhere, by the ZeroMQ library.

Only a kernel that the user attached to can be encrypted; none in a cell is.
"""

from __future__ import annotations

import select
from collections.abc import Sequence

import zmq

from interpreter.runtimes.kernel.wire import Connection
from interpreter.runtimes.kernel.zmtp import LARGEST_MESSAGE

_QUEUED_MESSAGES = 64
_KINDS = {"SUB": zmq.SUB, "DEALER": zmq.DEALER, "REQ": zmq.DEALER}


class EncryptedLine:
    """The same as a `Line`, under the key of the kernel."""

    def __init__(self, connection: Connection, channel: str, kind: str, identity: bytes) -> None:
        self._context = zmq.Context()
        self._socket = self._context.socket(_KINDS[kind])
        self._socket.linger = 0
        self._socket.rcvhwm = _QUEUED_MESSAGES
        self._socket.maxmsgsize = LARGEST_MESSAGE
        if identity:
            self._socket.routing_id = identity
        if kind == "SUB":
            self._socket.subscribe(b"")
        self._socket.curve_publickey, self._socket.curve_secretkey = zmq.curve_keypair()
        self._socket.curve_serverkey = connection.server_key
        self._socket.connect(connection.address(channel))

    def register(self, poll: select.poll) -> bool:
        """Have somebody wait for this line; always looked at again soon, as the library wants."""
        poll.register(self._socket.fileno(), select.POLLIN)
        return False

    def send(self, parts: Sequence[bytes]) -> None:
        """Send a message."""
        self._socket.send_multipart(parts)

    def receive(self) -> list[bytes] | None:
        """The next message; None if it is not there yet."""
        try:
            return self._socket.recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            return None

    def take_left_out(self) -> int:
        """The library does not tell."""
        return 0

    def close(self) -> None:
        """Hang up for good."""
        self._context.destroy(linger=0)
