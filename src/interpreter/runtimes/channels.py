"""A kernel's channels as one mailbox: send requests, receive whatever comes, in order."""

from __future__ import annotations

import time
import uuid
from collections import deque
from typing import Any

import zmq

from interpreter.runtimes.wake import Bell
from interpreter.runtimes.wire import Codec, Connection, Incoming

HEARTBEAT_MILLISECONDS = 3_000
QUEUED_MESSAGES = 64  # of at most 64 kB each: what a slow reader can cost us in memory

LARGEST_FRAME = 64 << 20  # a kernel that sends more is cut off


class Channels:
    """Sockets to one kernel. Only the thread that runs a block touches them."""

    def __init__(self, connection: Connection, bell: Bell) -> None:
        self._identity = uuid.uuid4().bytes.replace(b"\0", b"\1")
        self._connection = connection
        self._codec = Codec(connection.key)
        self._context = zmq.Context()
        self._bell = bell
        self._poller = zmq.Poller()
        self._sockets = {
            "iopub": self._open("iopub", zmq.SUB),
            "stdin": self._open("stdin", zmq.DEALER),
            "shell": self._open("shell", zmq.DEALER),
            "control": self._open("control", zmq.DEALER),
        }
        self._sockets["iopub"].subscribe(b"")
        self._poller.register(bell.fileno(), zmq.POLLIN)
        self._ready: deque[str] = deque()

    def send(
        self,
        channel: str,
        kind: str,
        content: dict[str, Any],
        parent: dict[str, Any] | None = None,
    ) -> str:
        """Send a message; returns its id, by which answers name it."""
        identity, frames = self._codec.pack(kind, content, parent)
        self._sockets[channel].send_multipart(frames)
        return identity

    def receive(self, seconds: float | None) -> Incoming | None:
        """The next message; None when the bell rang or when time is up."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            message = self._next_message()
            if message is not None:
                return message
            if not self._wait(None if deadline is None else deadline - time.monotonic()):
                return None

    def _next_message(self) -> Incoming | None:
        while self._ready:
            channel = self._ready.popleft()
            try:
                frames = self._sockets[channel].recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                continue
            self._ready.append(channel)  # in turn, so that a flood on one does not starve the rest
            message = self._codec.unpack(channel, frames)
            if message is not None:
                return message
        return None

    def beats(self) -> bool:
        """Whether the kernel's heart answers; it does so even while a block runs."""
        heart = self._context.socket(zmq.REQ)
        heart.linger = 0
        try:
            self._secure(heart)
            heart.connect(self._connection.address("hb"))
            heart.send(b"ping")
            return bool(heart.poll(HEARTBEAT_MILLISECONDS))
        finally:
            heart.close()

    def silence(self) -> None:
        """Forget that the bell rang."""
        self._bell.silence()

    def close(self) -> None:
        """Close all sockets; nothing unsent is waited for."""
        self._context.destroy(linger=0)

    def _wait(self, seconds: float | None) -> bool:
        timeout = None if seconds is None else max(0, int(seconds * 1000))
        ready = {socket for socket, _ in self._poller.poll(timeout)}
        self._ready.extend(name for name, socket in self._sockets.items() if socket in ready)
        return bool(ready) and self._bell.fileno() not in ready

    def _open(self, channel: str, kind: int) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind)
        socket.linger = 0
        if kind == zmq.DEALER:
            socket.routing_id = self._identity  # questions go to whom the block came from
        socket.rcvhwm = QUEUED_MESSAGES
        socket.maxmsgsize = LARGEST_FRAME
        socket.reconnect_ivl = 10  # the kernel binds while we already knock
        self._secure(socket)
        socket.connect(self._connection.address(channel))
        self._poller.register(socket, zmq.POLLIN)
        return socket

    def _secure(self, socket: zmq.Socket[bytes]) -> None:
        if self._connection.server_key:
            socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
            socket.curve_serverkey = self._connection.server_key
