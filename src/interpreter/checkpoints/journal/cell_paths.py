"""Where a path of a program in the cell leads: read from its memory, resolved in its own view."""

from __future__ import annotations

import os
import re
import stat

from interpreter.checkpoints.journal import system_calls
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.protocol.values import frozen

_PAGE = 4096
_PART = 512
_LONGEST = 4096
_AT_CWD = -100
_MAGIC = re.compile(r"/proc/(self|thread-self|\d+)(?:/task/\d+)?/(cwd|root|fd/\d+)(?:/(.*))?", re.S)
_STREAMS = {"/dev/stdin": "/dev/fd/0", "/dev/stdout": "/dev/fd/1", "/dev/stderr": "/dev/fd/2"}
_MOST_LINKS = 40
_DETOURS = frozenset(("", ".", ".."))


@frozen
class Caller:
    """A thread that waits for us in a system call."""

    pid: int

    def text(self, address: int) -> str:
        """The path at an address of its memory."""
        read = bytearray()
        while len(read) <= _LONGEST:
            here = address + len(read)
            part = system_calls.read_memory(self.pid, here, min(_PART, _PAGE - here % _PAGE))
            read += part
            if b"\0" in part or not part:
                break
        return os.fsdecode(bytes(read).partition(b"\0")[0])

    def bytes(self, address: int, length: int) -> bytes:
        """Some bytes of its memory."""
        return system_calls.read_memory(self.pid, address, length)

    def absolute(self, directory: int, path: str) -> str:
        """The path from its root; `directory` is a descriptor of the caller, as an argument."""
        path = self._without_self(path)
        if path.startswith("/"):
            return path
        number = (directory & 0xFFFFFFFF) - ((directory & 0x80000000) << 1)
        link = "cwd" if number == _AT_CWD else f"fd/{number}"
        base = system_calls.directory_path(f"/proc/{self.pid}/{link}")
        while len(base) > _LONGEST // 4 and path.startswith("../"):  # too long to ask the kernel
            base, path = base.rpartition("/")[0], path[3:].lstrip("/")
        return f"{base}/{path}"

    def opened(self, descriptor: int) -> str:
        """The path of one of its descriptors."""
        return os.readlink(f"/proc/{self.pid}/fd/{descriptor & 0xFFFFFFFF}")

    def _without_self(self, path: str) -> str:
        """Names that mean the asking process, which would be us, made to mean the caller."""
        path = _STREAMS.get(path, path)
        if path.startswith("/dev/fd/"):
            path = f"/proc/self/fd/{path[8:]}"
        magic = _MAGIC.fullmatch(path)
        if magic is None:
            return path
        who, name, rest = magic.groups()
        # A number is one of the cell's, which its own /proc knows.
        process = f"/proc/{self.pid}" + (f"/root/proc/{who}" if who.isdecimal() else "")
        base = os.readlink(f"{process}/{name}")
        return f"{base.rstrip('/')}/{rest}" if rest else base


class Resolver:
    """Turns the paths of callers into places of our roots."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees

    def place(self, caller: Caller, path: str, *, follow: bool) -> TreePlace | None:
        """Where an absolute path leads; with `follow`, through a symlink in its last part."""
        for _ in range(_MOST_LINKS):
            place = self._without_following(caller, path)
            if not follow:
                return place
            target = self._link(caller, path, place)
            if target is None:
                return place
            path = os.path.join(os.path.dirname(path), target)
        return None

    def exists(self, caller: Caller, path: str) -> bool:
        """Whether the caller finds anything at an absolute path, symlinks themselves."""
        directory, _, name = path.rstrip("/").rpartition("/")
        parent = self._parent(caller, directory or "/")
        return parent is not None and os.path.lexists(f"/proc/{caller.pid}/root{parent}/{name}")

    def _without_following(self, caller: Caller, path: str) -> TreePlace | None:
        directory, _, name = path.rstrip("/").rpartition("/")
        if name in ("", ".", ".."):
            return None  # a directory that exists: nothing that can be made, written or removed
        place = self._trees.spot(path.rstrip("/")) if _is_plain(path) else None
        if place is not None and self._trees.is_straight(place):
            return place
        parent = self._parent(caller, directory or "/")
        return self._trees.spot(f"{parent}/{name}") if parent else None

    def _parent(self, caller: Caller, directory: str) -> str | None:
        try:
            root = os.open(f"/proc/{caller.pid}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                found = system_calls.open_directory(root, directory, system_calls.IN_ROOT)
            finally:
                os.close(root)
        except OSError:
            return None
        try:
            return os.readlink(f"/proc/self/fd/{found}")
        finally:
            os.close(found)

    def _link(self, caller: Caller, path: str, place: TreePlace | None) -> str | None:
        """The target of the symlink at a path, which may lie outside of our roots."""
        if place is not None:
            status = self._trees.status(place)
            if status is None or not stat.S_ISLNK(status.st_mode):
                return None
            with self._trees.parent(place) as parent:
                return os.readlink(place.name, dir_fd=parent)
        try:
            return os.readlink(f"/proc/{caller.pid}/root{path}")
        except OSError:
            return None


def _is_plain(path: str) -> bool:
    """Whether a path can be compared as text: no dots and no empty parts."""
    return _DETOURS.isdisjoint(path.rstrip("/").split("/")[1:])
