"""One seccomp listener: receives the calls that programs wait in, and lets them go on."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import select
import struct
from collections.abc import Callable

RECEIVE, ANSWER, STILL_VALID, SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082102, 0x40082104
_SYNCHRONOUS = 1  # the caller is woken on our processor: half the latency, since Linux 6.6
_GO_ON = 1
SIZE = 80
BEYOND = 1024  # bytes behind the last slot: `ioctl` fills what is larger than this where it lies

Handle = Callable[[int, int, tuple[int, ...], Callable[[], bool]], int]
"""Takes thread, call number, arguments and a check that the caller still waits; returns an errno
to fail the call with, 0 to let it go on, or DONE if it has been done for the caller."""
DONE = -1


class SeccompListener:
    """Serves one listener descriptor.

    A call is received into its slot of a memory that outlives us: should we be killed, even in the
    moment in which the kernel hands it over, whoever takes over finds and answers it.
    """

    def __init__(self, descriptor: int, memory: mmap.mmap, slot: int, handle: Handle) -> None:
        self._descriptor = descriptor
        self._slot = memoryview(memory)[slot * SIZE :]
        self._handle = handle

    def serve(self) -> None:
        """Answer until nobody is left who could call."""
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._descriptor, SET_FLAGS, _SYNCHRONOUS)
        self._finish_the_call_in_hand()
        waiting = select.poll()
        waiting.register(self._descriptor, select.POLLIN)
        while True:
            if waiting.poll()[0][1] & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
                return
            try:
                fcntl.ioctl(self._descriptor, RECEIVE, self._slot)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.EINTR):
                    continue
                return
            self._answer()

    def _finish_the_call_in_hand(self) -> None:
        if any(self._slot[:SIZE]):
            self._answer()

    def _answer(self) -> None:
        identity, thread, _, number = struct.unpack_from("=QIIi", self._slot)
        arguments = struct.unpack_from("=6Q", self._slot, 32)
        code = self._handle(thread, number, arguments, lambda: self._still_waits(identity))
        error = -code if code != DONE else 0
        answer = struct.pack("=QqiI", identity, 0, error, 0 if code else _GO_ON)
        with contextlib.suppress(OSError):  # killed while it waited
            fcntl.ioctl(self._descriptor, ANSWER, bytearray(answer))
        self._slot[:SIZE] = bytes(SIZE)

    def _still_waits(self, identity: int) -> bool:
        try:
            fcntl.ioctl(self._descriptor, STILL_VALID, struct.pack("=Q", identity))
        except OSError:
            return False
        return True
