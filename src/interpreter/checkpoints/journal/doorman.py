"""Meets programs that start under the journal: hands them the filter, takes their listener."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path

from interpreter.protocol import safe_files

PATIENCE = 30.0  # seconds for a program on its first steps
MOST_AT_ONCE = 32
_ALL_DESCRIPTORS_USED = 0.1  # seconds until it is tried again to let somebody in


class Doorman:
    """Listens at `address`. What comes in is the cell's, and believed only as far as it goes."""

    def __init__(self, address: Path, program: bytes, admit: Callable[[int], None]) -> None:
        self._address = address
        self._program = struct.pack("=I", len(program)) + program
        self._admit = admit
        self._places = threading.Semaphore(MOST_AT_ONCE)
        self._closed = threading.Event()
        self.refusals: list[str] = []
        self._socket = safe_files.listen(address, MOST_AT_ONCE)
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let nobody in any more."""
        self._closed.set()
        self._places.release()  # for the thread that waits for one
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        self._address.unlink(missing_ok=True)

    def _wait(self) -> None:
        while not self._closed.is_set():
            self._places.acquire()
            try:
                connection, _ = self._socket.accept()
            except OSError:  # no descriptor is left, if it is not the end
                self._places.release()
                self._closed.wait(_ALL_DESCRIPTORS_USED)
                continue
            threading.Thread(target=self._meet, args=(connection,), daemon=True).start()

    def _meet(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError):
                connection.settimeout(PATIENCE)
                connection.sendall(self._program)
                self._take(connection)
                connection.sendall(b"g")
        finally:
            self._places.release()

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
