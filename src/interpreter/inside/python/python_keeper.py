"""The process that the host sees as the kernel: it stays while one kernel follows another.

Run by path with ``-f CONNECTION_FILE``; the kernel is forked from it before anything is imported.
Undo makes a frozen copy of the kernel the kernel. The host names its process id, on our standard
input; the old one is ended. All of them fall back to the keeper as their parent, so that it learns
how they end, and tells the host, line by line, on standard output: `ended STATUS`.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal

BECOME_THE_PARENT_OF_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER


def leave_a_keeper() -> None:
    """Go on as a child of the keeper."""
    ctypes.CDLL(None).prctl(BECOME_THE_PARENT_OF_ORPHANS, 1, 0, 0, 0)
    kernel = os.fork()
    if kernel:
        try:
            Keeper(kernel).serve()
        finally:
            os._exit(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)  # the user's code sees an empty standard input; the host's is the keeper's
    os.dup2(2, 1)  # and so is what is said to the host
    os.close(empty)


class Keeper:
    """Waits: for the host to let go, for a new kernel, for the end of the one there is."""

    def __init__(self, kernel: int) -> None:
        self._kernel = kernel
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the kernel and its children
        self._wake, alarm = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(alarm, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Until the host lets go of our standard input."""
        poll = select.poll()
        for descriptor in (0, self._wake):
            poll.register(descriptor, select.POLLIN)
        self._reap()
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._reap()
            if 0 in ready:
                words = os.read(0, 4096).split()
                self._end()
                if not words:
                    os._exit(0)
                self._kernel = int(words[-1])

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._kernel:
                self._kernel = 0
                os.write(1, b"ended %d\n" % os.waitstatus_to_exitcode(status))

    def _end(self) -> None:
        kernel, self._kernel = self._kernel, 0
        if kernel:
            with contextlib.suppress(OSError):  # it has ended by itself
                os.kill(kernel, signal.SIGKILL)


if __name__ == "__main__":
    leave_a_keeper()
    gc.disable()  # until the kernel serves: what is imported is no garbage
    import python_kernel  # type: ignore[import-not-found]  # (beside this file)

    python_kernel.main()
