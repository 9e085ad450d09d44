"""A bell that any thread or signal handler can ring, and that a poll can wait for."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable

from interpreter.protocol.ports import Process


class Bell:
    """One pipe: `ring` makes `fileno` readable until `silence`."""

    def __init__(self) -> None:
        self._hear, self._pull = os.pipe()
        os.set_blocking(self._hear, False)
        os.set_blocking(self._pull, False)

    def fileno(self) -> int:
        """The descriptor to poll for reading."""
        return self._hear

    def ring(self) -> None:
        """Wake whoever polls; more rings than fit change nothing."""
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._pull, b"!")

    def silence(self) -> None:
        """Forget the rings so far."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._hear, 4096):
                pass

    def close(self) -> None:
        """Give the pipe back."""
        os.close(self._pull)
        os.close(self._hear)


def when_it_ends(process: Process, then: Callable[[], None]) -> None:
    """Call `then` from a thread of its own once the process has ended."""

    def wait() -> None:
        process.wait()
        then()

    threading.Thread(target=wait, name=f"wait for {process.pid}", daemon=True).start()


def close_stdin(process: Process) -> None:
    """Let go of a program's standard input; what it did not read is lost."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
