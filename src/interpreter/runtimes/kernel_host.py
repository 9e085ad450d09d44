"""Where a kernel comes from: started by us in the cell, or already running elsewhere."""

from __future__ import annotations

import contextlib
import itertools
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Protocol

from interpreter.protocol import safe_files
from interpreter.protocol.errors import StartFailed
from interpreter.protocol.ports import Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.runtimes.wake import close_stdin, when_it_ends
from interpreter.runtimes.wire import Connection, new_connection, read_connection

_ENDING = 5.0  # seconds for a killed process to be gone
_numbers = itertools.count(1)


@frozen
class KernelCommand:
    """How to start a kernel; `{connection_file}` stands for the file it is to read."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    signals: bool = False
    """Interrupted by a signal rather than by a message."""
    on_leash: bool = False
    """Ends by itself when its standard input does."""


class KernelHost(Protocol):
    """Starts a kernel, signals it and ends it."""

    check_seconds: float | None
    """After such a silence the kernel's heart is listened to; None where its end is noticed."""

    def start(self, when_gone: Callable[[], None]) -> Connection:
        """Begin; the kernel need not answer yet. `when_gone` is called when it has ended."""
        ...

    def gone(self) -> str:
        """How the kernel ended; empty while it lives."""
        ...

    def last_words(self) -> str:
        """What it wrote about itself, if anything."""
        ...

    def interrupt(self) -> bool:
        """Signal an interrupt; False where only a message can do it."""
        ...

    def kill(self) -> None:
        """End the kernel and all it started, and wait for it."""
        ...


class LaunchedKernel:
    """A kernel of our own, in the cell."""

    check_seconds: float | None = None

    def __init__(self, launch: Launch, exchange: Path, command: KernelCommand) -> None:
        self._launch = launch
        self._exchange = exchange
        self._command = command
        self._process: Process | None = None
        self._file: Path | None = None

    def start(self, when_gone: Callable[[], None]) -> Connection:
        """Write the connection file and launch."""
        connection, self._file = new_connection(self._exchange, f"k{next(_numbers)}")
        argv = [part.replace("{connection_file}", str(self._file)) for part in self._command.argv]
        leash = subprocess.PIPE if self._command.on_leash else subprocess.DEVNULL
        try:
            with handover.create(self._log()) as log:
                process = self._process = self._launch(
                    argv,
                    env=self._command.env,
                    stdin=leash,
                    stdout=log.fileno(),
                    stderr=log.fileno(),
                )
        except OSError as error:
            raise StartFailed(f"{argv[0]} could not be started: {error}") from error
        when_it_ends(process, when_gone)
        return connection

    def gone(self) -> str:
        """How the kernel ended; empty while it lives."""
        process = self._process
        if process is None:
            return "it was ended"
        status = process.poll()
        return "" if status is None else ending(status)

    def last_words(self) -> str:
        """The end of what the kernel itself wrote, which tells why it did not start."""
        try:
            return handover.read_end(self._log(), 1000).strip()
        except StartFailed:
            return ""

    def interrupt(self) -> bool:
        """Signal the kernel and its children."""
        if self._process is None or not self._command.signals:
            return False
        self._process.signal_group(signal.SIGINT)
        return True

    def kill(self) -> None:
        """End the kernel and all it started."""
        process, self._process = self._process, None  # two threads may want it to end at once
        if process is not None:
            process.signal_group(signal.SIGKILL)
            process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # the cell ends it, at the latest
                process.wait(_ENDING)
            close_stdin(process)
        self._remove_sockets()

    def _log(self) -> Path:
        assert self._file is not None
        return self._file.with_suffix(".log")

    def _remove_sockets(self) -> None:
        if self._file is None:
            return
        for path in (*self._exchange.glob(f"{self._file.stem}-*"), self._log(), self._file):
            safe_files.remove(path)


class RunningKernel:
    """Somebody else's kernel: we work in it and leave it running."""

    check_seconds: float | None = 5.0

    def __init__(self, connection_file: Path) -> None:
        self._file = connection_file

    def start(self, when_gone: Callable[[], None]) -> Connection:
        """Read where it listens."""
        return read_connection(self._file)

    def gone(self) -> str:
        """Unknown to us; a kernel that does not answer is noticed by its silence."""
        return ""

    def last_words(self) -> str:
        """It writes elsewhere."""
        return ""

    def interrupt(self) -> bool:
        """Only a message can reach it."""
        return False

    def kill(self) -> None:
        """It is not ours to end."""


def ending(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"
