"""A socket in the exchange at which the host listens to its cell, one thread for each caller."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from interpreter.protocol import safe_files

_ALL_DESCRIPTORS_USED = 0.1  # seconds until it is tried again to let somebody in


class Reception:
    """Lets callers in at `address`, so many at once; `meet` has each to itself and may block."""

    def __init__(self, address: Path, meet: Callable[[socket.socket], None], most: int) -> None:
        self._address = address
        self._meet = meet
        self._places = threading.Semaphore(most)
        self._closed = threading.Event()
        self._socket = safe_files.listen(address, most)
        self._thread = threading.Thread(target=self._wait, name="reception", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let nobody in any more."""
        self._closed.set()
        self._places.release()  # for the thread that waits for one
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        safe_files.remove(self._address)

    def _wait(self) -> None:
        while not self._closed.is_set():
            self._places.acquire()
            try:
                connection, _ = self._socket.accept()
            except OSError:  # no descriptor is left, if it is not the end
                self._places.release()
                self._closed.wait(_ALL_DESCRIPTORS_USED)
                continue
            threading.Thread(target=self._receive, args=(connection,), daemon=True).start()

    def _receive(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError):
                self._meet(connection)
        finally:
            self._places.release()
