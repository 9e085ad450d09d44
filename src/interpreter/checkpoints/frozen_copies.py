"""The kernel's frozen copies, seen from the host: each ends when we hang up on it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import socket
import threading
from collections import deque
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import CheckpointError

_NAMES = re.compile(r"[A-Za-z0-9-]{1,64}")
_LONGEST_LINE = 1 << 20
_MOST = 64
_HELLO = 10.0  # seconds until a caller must have said who it is


class FrozenCopy:
    """One copy's line."""

    def __init__(self, name: str, pid: int, line: socket.socket) -> None:
        self.name = name
        self.pid = pid
        self.cost = 0
        self._line = line
        self._saved: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def hear(self) -> None:
        """Take in what the copy says until it ends."""
        with contextlib.suppress(OSError, ValueError), self._line.makefile("rb") as lines:
            while line := lines.readline(_LONGEST_LINE):
                self._take(json.loads(line))
        self._saved.put(None)

    def measure(self, pids: list[int]) -> None:
        """Have the copy measure what copies cost; `cost` is set when it has."""
        words = " ".join(str(pid) for pid in pids)
        with contextlib.suppress(OSError):
            self._line.sendall(f"memory {words}\n".encode())

    def save(self, descriptor: int, largest: int, seconds: float) -> dict[str, str]:
        """Have variables written to a file, up to so many bytes; what was left out, and why."""
        try:
            socket.send_fds(self._line, [f"save {largest}\n".encode()], [descriptor])
            lost = self._saved.get(timeout=seconds)
        except (OSError, queue.Empty):
            lost = None
        if lost is None:
            raise CheckpointError("The variables could not be saved: the frozen copy is gone.")
        return {str(name): str(why) for name, why in lost.items()}

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()

    def _take(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        memory, saved = message.get("memory"), message.get("saved")
        if isinstance(memory, int):
            self.cost = memory
        if isinstance(saved, dict):
            self._saved.put(saved)


class Registry:
    """Where frozen copies report, and where a kernel fetches a file that was promised to it."""

    def __init__(self, address: Path) -> None:
        self._address = address
        self._lock = threading.Condition()
        self._copies: dict[str, FrozenCopy] = {}
        self._offers: dict[str, int] = {}
        self._refused: deque[str] = deque(maxlen=_MOST)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(address))
        address.chmod(0o600)
        self._socket.listen(16)
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def get(self, name: str, seconds: float) -> FrozenCopy | None:
        """The copy of that name, once it has reported."""
        with self._lock:
            self._lock.wait_for(lambda: name in self._copies, seconds)
            return self._copies.get(name)

    def copies(self) -> list[FrozenCopy]:
        """The copies that live, oldest first."""
        with self._lock:
            return list(self._copies.values())

    def drop(self, name: str) -> None:
        """End a copy."""
        with self._lock:
            copy = self._copies.pop(name, None)
        if copy is not None:
            copy.close()

    def refuse(self, name: str) -> None:
        """End a copy that may still report."""
        with self._lock:
            self._refused.append(name)
        self.drop(name)

    def offer(self, ticket: str, descriptor: int) -> None:
        """Promise a file to whoever shows the ticket."""
        with self._lock:
            self._offers[ticket] = descriptor

    def close(self) -> None:
        """End all copies."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        self._address.unlink(missing_ok=True)
        for copy in self.copies():
            self.drop(copy.name)
        for descriptor in self._offers.values():
            os.close(descriptor)

    def _wait(self) -> None:
        while True:
            try:
                line, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._meet, args=(line,), daemon=True).start()

    def _meet(self, line: socket.socket) -> None:
        try:
            line.settimeout(_HELLO)
            hello = json.loads(_first_line(line))
            line.settimeout(None)
        except (OSError, ValueError):
            line.close()
            return
        if isinstance(hello, dict) and isinstance(hello.get("ticket"), str):
            self._hand_over(line, hello["ticket"])
        elif isinstance(hello, dict) and _NAMES.fullmatch(str(hello.get("name"))):
            pid = hello.get("pid")
            self._admit(FrozenCopy(str(hello["name"]), pid if isinstance(pid, int) else 0, line))
        else:
            line.close()

    def _hand_over(self, line: socket.socket, ticket: str) -> None:
        with self._lock:
            descriptor = self._offers.pop(ticket, None)
        with line, contextlib.suppress(OSError):
            if descriptor is not None:
                socket.send_fds(line, [b"x"], [descriptor])
        if descriptor is not None:
            os.close(descriptor)

    def _admit(self, copy: FrozenCopy) -> None:
        with self._lock:
            unwanted = copy.name in self._copies or copy.name in self._refused
            if unwanted or len(self._copies) >= _MOST:
                copy.close()
                return
            self._copies[copy.name] = copy
            self._lock.notify_all()
        copy.hear()
        with self._lock:
            if self._copies.get(copy.name) is copy:
                del self._copies[copy.name]
        copy.close()


def _first_line(line: socket.socket) -> bytes:
    """The greeting, byte by byte: what follows it belongs to somebody else."""
    read = b""
    while not read.endswith(b"\n") and len(read) < 200:
        part = line.recv(1)
        if not part:
            break
        read += part
    return read
