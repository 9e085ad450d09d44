"""Where a kernel comes from: started by us in the cell, or already running elsewhere."""

from __future__ import annotations

import contextlib
import itertools
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import IO, Protocol

from interpreter.protocol import safe_files
from interpreter.protocol.errors import StartFailed
from interpreter.protocol.ports import Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.runtimes.kernel.wire import Connection, new_connection, read_connection
from interpreter.runtimes.resident import close_stdin, when_it_ends

_ENDING = 5.0  # seconds for a killed process to be gone
_numbers = itertools.count(1)


@frozen
class KernelCommand:
    """How to start a kernel; `{connection_file}` stands for the file it is to read."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    signals: bool = False
    """Interrupted by a signal rather than by a message."""
    has_keeper: bool = False
    """Ends by itself when its standard input does, tells on its standard output, line by line, how
    a kernel has ended, and is told on the former which process takes its place."""


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

    def successor(self) -> Connection:
        """Where another process is to listen that takes the kernel's place; StartFailed if none
        can."""
        ...

    def succeeded(self, pid: int) -> None:
        """It listens there: it takes the kernel's place, which ends."""
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
        self._connection: Connection | None = None
        self._successors = 0
        self._ended: int | None = None

    def start(self, when_gone: Callable[[], None]) -> Connection:
        """Write the connection file and launch."""
        connection, self._file = new_connection(self._exchange, f"k{next(_numbers)}")
        self._connection, self._ended = connection, None
        argv = [part.replace("{connection_file}", str(self._file)) for part in self._command.argv]
        leash = subprocess.PIPE if self._command.has_keeper else subprocess.DEVNULL
        try:
            with handover.create(self._log()) as log:
                process = self._process = self._launch(
                    argv,
                    env=self._command.env,
                    stdin=leash,
                    stdout=subprocess.PIPE if self._command.has_keeper else log.fileno(),
                    stderr=log.fileno(),
                )
        except OSError as error:
            raise StartFailed(f"{argv[0]} could not be started: {error}") from error
        when_it_ends(process, when_gone)
        if process.stdout is not None:
            arguments = (process, process.stdout, when_gone)
            threading.Thread(target=self._hear_the_keeper, args=arguments, daemon=True).start()
        return connection

    def _hear_the_keeper(
        self, process: Process, words: IO[bytes], when_gone: Callable[[], None]
    ) -> None:
        with words:
            while line := words.readline(100):
                status = line.removeprefix(b"ended ").strip()
                if process is self._process and status.removeprefix(b"-").isdigit():
                    self._ended = int(status)
                    when_gone()

    def gone(self) -> str:
        """How the kernel ended; empty while it lives."""
        process = self._process
        if process is None:
            return "it was ended"
        status = self._ended if self._ended is not None else process.returncode  # somebody waits
        return "" if status is None else ending(status)

    def successor(self) -> Connection:
        """Sockets under a name of their own, and the same key."""
        process = self._process
        if process is None or process.poll() is not None or self._connection is None:
            raise StartFailed("Nobody is there who could mind another kernel.")
        assert self._file is not None
        self._successors += 1
        place = self._file.with_name(f"{self._file.stem}-s{self._successors}")
        return replace(self._connection, ip=str(place))

    def succeeded(self, pid: int) -> None:
        """Have the keeper mind the new kernel and end the old one."""
        process = self._process
        if process is None or process.stdin is None:
            raise StartFailed("Nobody is there who could mind another kernel.")
        try:
            process.stdin.write(b"%d\n" % pid)
            process.stdin.flush()
        except OSError as error:
            raise StartFailed("Nobody is there who could mind another kernel.") from error
        self._ended = None

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

    def successor(self) -> Connection:
        """It is not ours to replace."""
        raise StartFailed("A kernel that somebody else has started is not replaced.")

    def succeeded(self, pid: int) -> None:
        """It never is."""


def ending(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"
