"""The descriptors that a new cell inherits, and the ends that we keep."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import Self

from interpreter.sandboxes.cell.wire import LauncherWire


class CellDescriptors:
    """The wire, the system-call filter, and three pipes.

    One takes our words in, one brings the cell's first pid out, one tells whether we live.
    """

    def __init__(self, rules: bytes = b"") -> None:
        self._open, self._theirs = ExitStack(), ExitStack()
        self._ours, theirs = socket.socketpair()
        self._open.callback(self._ours.close)
        self.control = self._theirs.enter_context(theirs).fileno()
        self._told, self.info = os.pipe()
        self._open.callback(os.close, self._told)
        self._theirs.callback(os.close, self.info)
        self.words, words = os.pipe()
        self._theirs.callback(os.close, self.words)
        self._words = self._open.enter_context(os.fdopen(words, "wb", buffering=0))
        self._life, life = os.pipe()
        self._open.callback(os.close, self._life)
        self._living = self._open.enter_context(os.fdopen(life, "wb", buffering=0))
        self._lent: list[int] = []
        self.filter = self.memory_file(rules) if rules else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._theirs.close()
        self._open.close()

    @property
    def inherited(self) -> tuple[int, ...]:
        """What the cell's own process is to be started with.

        It can also read what it tells us. If we are killed, telling would fail otherwise, and
        bubblewrap would end without the word that its other half waits for, for ever.
        """
        ends = (self.control, self.info, self._told, self.words, self._life)
        return (*ends, *self._lent)

    def connect(self) -> LauncherWire:
        """The wire, once the cell has inherited the other ends; ours of those are closed."""
        self._theirs.close()
        return LauncherWire(socket.socket(fileno=self._ours.detach()))

    def tell(self, words: list[str]) -> None:
        """Say how the cell is to be made; if nobody listens, its last words will say why."""
        with contextlib.suppress(BrokenPipeError), self._words as pipe:
            pipe.write(b"".join(os.fsencode(word) + b"\0" for word in words))

    def first_pid(self) -> int | None:
        """The pid of the cell's first process as we count; None when it does not come up."""
        told = b""
        while piece := os.read(self._told, 4096):  # the pid comes first, in one piece
            told += piece
            if found := re.search(rb'"child-pid": (\d+)', told):
                return int(found[1])
        return None

    def tie(self, pid: int) -> Callable[[], None]:
        """From now on the kernel ends a process that inherited our ends as soon as we are gone.

        Returns what ends it before. Not by a signal that it asks for itself (PR_SET_PDEATHSIG): it
        would come while bubblewrap starts its other half, which then waits for it for ever.
        """
        fcntl.fcntl(self._life, fcntl.F_SETOWN, pid)
        fcntl.fcntl(self._life, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(self._life, fcntl.F_SETFL, os.O_ASYNC)
        return os.fdopen(os.dup(self._living.fileno()), "wb", buffering=0).close

    def memory_file(self, content: bytes) -> int:
        """A file without a name that holds this; it is closed when the cell has inherited it."""
        fd = os.memfd_create("rules")
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return self.lend(fd)

    def lend(self, fd: int) -> int:
        """Have the cell inherit this one, too; then it is closed here."""
        self._theirs.callback(os.close, fd)
        self._lent.append(fd)
        return fd
