"""Meets programs that start under the journal: hands them the filter, takes their listener."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

from interpreter.protocol.system.reception import Reception

PATIENCE = 30.0  # seconds for a program on its first steps
MOST_AT_ONCE = 32


class Doorman:
    """Listens at `address`. What comes in is the cell's, and believed only as far as it goes."""

    def __init__(self, address: Path, program: bytes, admit: Callable[[int], None]) -> None:
        self._program = struct.pack("=I", len(program)) + program
        self._admit = admit
        self.refusals: list[str] = []
        self._reception = Reception(address, self._meet, MOST_AT_ONCE)

    def close(self) -> None:
        """Let nobody in any more."""
        self._reception.close()

    def _meet(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        connection.sendall(self._program)
        self._take(connection)
        connection.sendall(b"g")

    def _take(self, connection: socket.socket) -> None:
        word, descriptors, _, _ = socket.recv_fds(connection, 5, 1)
        if word[:1] == b"L" and len(descriptors) == 1 and _is_listener(descriptors[0]):
            self._admit(descriptors[0])
            return
        for descriptor in descriptors:
            os.close(descriptor)
        if word[:1] == b"E" and len(word) == 5 and len(self.refusals) < MOST_AT_ONCE:
            (code,) = struct.unpack("=I", word[1:])
            self.refusals.append(os.strerror(code))


def _is_listener(descriptor: int) -> bool:
    return os.readlink(f"/proc/self/fd/{descriptor}") == "anon_inode:seccomp notify"
