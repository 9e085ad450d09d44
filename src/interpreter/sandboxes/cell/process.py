"""A program in a cell as the host sees it, shaped like `subprocess.Popen`."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from typing import IO, Protocol, Self


class Orders(Protocol):
    """Sends an order to the launcher; nothing happens when the cell has ended."""

    def __call__(self, word: str, *fields: str) -> None: ...


class CellProcess:
    """A program in a cell; signals travel through the launcher."""

    def __init__(self, tell: Orders, name: str, pid: int) -> None:
        self.pid = pid  # as the cell counts
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        self._tell = tell
        self._name = name
        self._ended = threading.Event()

    def poll(self) -> int | None:
        """The exit status if the program has ended."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once the program has ended."""
        self._ended.wait(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(f"program {self.pid} of the cell", timeout or 0)
        return self.returncode

    def send_signal(self, signal: int) -> None:
        """Signal the program, unless it has ended."""
        if self.returncode is None:
            self._tell("signal", self._name, str(int(signal)))

    def kill(self) -> None:
        """End the program at once."""
        self.send_signal(signal.SIGKILL)

    def signal_group(self, signal: int) -> None:
        """Signal the program and what it started."""
        self._tell("signal_group", self._name, str(int(signal)))

    def end(self, status: int) -> None:
        """It has ended with this status."""
        if self.returncode is None:
            self.returncode = status
            self._ended.set()


class Streams:
    """The three standard streams of a program about to start: its ends, and ours.

    What Popen lets a program inherit is the null device here: the user's terminal stays outside.
    """

    def __init__(self, stdin: int | None, stdout: int | None, stderr: int | None) -> None:
        self._wanted = (stdin, stdout, stderr)
        self._ours: list[int | None] = []
        self._theirs: list[int] = []
        self.inside: list[int] = []

    def __enter__(self) -> Self:
        try:
            for number, wanted in enumerate(self._wanted):
                self.inside.append(self._end(number, wanted))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for fd in (*self._theirs, *self._ours):
            if fd is not None:
                os.close(fd)

    def take(self) -> tuple[IO[bytes] | None, IO[bytes] | None, IO[bytes] | None]:
        """Our ends as files; from now on the caller closes them."""
        files: list[IO[bytes] | None] = []
        for fd, mode in zip(self._ours, ("wb", "rb", "rb"), strict=True):
            files.append(None if fd is None else os.fdopen(fd, mode))
        self._ours = []
        return files[0], files[1], files[2]

    def _end(self, number: int, wanted: int | None) -> int:
        if wanted == subprocess.PIPE:
            reading, writing = os.pipe()
            ours, theirs = (writing, reading) if number == 0 else (reading, writing)
            self._ours.append(ours)
            self._theirs.append(theirs)
            return theirs
        self._ours.append(None)
        if wanted == subprocess.STDOUT:
            return self.inside[1]
        if wanted is not None and wanted >= 0:
            return wanted
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._theirs.append(null)
        return null
