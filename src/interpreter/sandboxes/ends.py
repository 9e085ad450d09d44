"""The descriptors that a new cell inherits, and the ends that we keep."""

from __future__ import annotations

import json
import os
import socket
from contextlib import ExitStack
from typing import Self

from interpreter.sandboxes.wire import Wire


class Ends:
    """The wire, the system-call filter, and a pipe by which the cell's first pid is told."""

    def __init__(self, rules: bytes = b"") -> None:
        self._open, self._theirs = ExitStack(), ExitStack()
        self._ours, theirs = socket.socketpair()
        self._open.callback(self._ours.close)
        self.control = self._theirs.enter_context(theirs).fileno()
        self._told, self.info = os.pipe()
        self._open.callback(os.close, self._told)
        self._theirs.callback(os.close, self.info)
        self.filter = self.memory_file(rules) if rules else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._theirs.close()
        self._open.close()

    @property
    def inherited(self) -> tuple[int, ...]:
        """What the cell's own process is to be started with."""
        return tuple(fd for fd in (self.control, self.info, self.filter) if fd is not None)

    def connect(self) -> Wire:
        """The wire, once the cell has inherited the other ends; ours of those are closed."""
        self._theirs.close()
        return Wire(socket.socket(fileno=self._ours.detach()))

    def first_pid(self) -> int:
        """The pid of the cell's first process as we count, once the cell is up."""
        return int(json.loads(os.read(self._told, 4096))["child-pid"])

    def memory_file(self, content: bytes) -> int:
        """A file without a name that holds this; it is closed when the cell has inherited it."""
        fd = os.memfd_create("rules")
        self._theirs.callback(os.close, fd)
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd
