"""What each reported system call is about to do, told to the recorder."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable

from interpreter.checkpoints.gates.denied_paths import DeniedPaths
from interpreter.checkpoints.gates.doors import Doors
from interpreter.checkpoints.journal.cell_paths import Caller, Resolver
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.checkpoints.journal.recorder import Recorder

_CWD = -100 & 0xFFFFFFFF
_FOLLOW = 0x400  # AT_SYMLINK_FOLLOW, of linkat
_NO_FOLLOW = 0x100  # AT_SYMLINK_NOFOLLOW
_LONGEST_ADDRESS = 110

Arguments = tuple[int, ...]
Call = Callable[[Caller, Arguments], None]
StillWaits = Callable[[], bool]


class CellCalls:
    """Knows the arguments of every call in the filter."""

    def __init__(self, trees: Trees, recorder: Recorder, doors: Doors, denied: DeniedPaths) -> None:
        self._trees = trees
        self._denied = denied
        self._resolver = Resolver(trees)
        self._recorder = recorder
        self._doors = doors
        self._still_waits: StillWaits = lambda: True
        at, record = self._at, recorder
        self._calls: dict[str, Call] = {
            "open": lambda c, a: self._open(c, _CWD, a[0], a[1]),
            "openat": lambda c, a: self._open(c, a[0], a[1], a[2]),
            "openat2": self._open2,
            "creat": lambda c, a: self._open(c, _CWD, a[0], os.O_CREAT | os.O_WRONLY | os.O_TRUNC),
            "truncate": lambda c, a: self._open(c, _CWD, a[0], os.O_WRONLY),
            "unlink": lambda c, a: at(doors.remove, c, _CWD, a[0]),
            "rmdir": lambda c, a: at(doors.remove, c, _CWD, a[0]),
            "unlinkat": lambda c, a: at(doors.remove, c, a[0], a[1]),
            "mkdir": lambda c, a: at(doors.make_directory, c, _CWD, a[0]),
            "mkdirat": lambda c, a: at(doors.make_directory, c, a[0], a[1]),
            "mknod": lambda c, a: at(doors.create, c, _CWD, a[0]),
            "mknodat": lambda c, a: at(doors.create, c, a[0], a[1]),
            "symlink": lambda c, a: self._symlink(c, a[0], _CWD, a[1]),
            "symlinkat": lambda c, a: self._symlink(c, a[0], a[1], a[2]),
            "link": lambda c, a: self._link(c, (_CWD, a[0], _CWD, a[1]), 0),
            "linkat": lambda c, a: self._link(c, a[:4], a[4]),
            "rename": lambda c, a: self._rename(c, (_CWD, a[0], _CWD, a[1]), 0),
            "renameat": lambda c, a: self._rename(c, a[:4], 0),
            "renameat2": lambda c, a: self._rename(c, a[:4], a[4] & 0xFFFFFFFF),
            "chmod": lambda c, a: at(doors.change_mode, c, _CWD, a[0], follow=True),
            "chown": lambda c, a: at(doors.change_mode, c, _CWD, a[0], follow=True),
            "lchown": lambda c, a: at(doors.change_mode, c, _CWD, a[0]),
            "fchmodat": lambda c, a: at(doors.change_mode, c, a[0], a[1], follow=True),
            "fchmodat2": lambda c, a: self._change_mode(c, a[0], a[1], a[3]),
            "fchownat": lambda c, a: self._change_mode(c, a[0], a[1], a[4]),
            "fchmod": self._change_mode_of_open_file,
            "fchown": self._change_mode_of_open_file,
            "utime": lambda c, a: at(doors.change_mode, c, _CWD, a[0], follow=True),
            "utimes": lambda c, a: at(doors.change_mode, c, _CWD, a[0], follow=True),
            "futimesat": lambda c, a: self._change_times(c, a[0], a[1], 0),
            "utimensat": lambda c, a: self._change_times(c, a[0], a[1], a[3]),
            "setxattr": lambda c, a: at(record.change_attributes, c, _CWD, a[0], follow=True),
            "removexattr": lambda c, a: at(record.change_attributes, c, _CWD, a[0], follow=True),
            "lsetxattr": lambda c, a: at(record.change_attributes, c, _CWD, a[0]),
            "lremovexattr": lambda c, a: at(record.change_attributes, c, _CWD, a[0]),
            "fsetxattr": self._change_attributes_of_open_file,
            "fremovexattr": self._change_attributes_of_open_file,
            "bind": self._bind,
        }

    def take(self, name: str, thread: int, arguments: Arguments, still_waits: StillWaits) -> None:
        """Record what a call is about to do."""
        self._still_waits = still_waits
        self._trees.let_go()
        self._calls[name](Caller(thread), arguments)

    def _place(
        self, caller: Caller, directory: int, address: int, follow: bool
    ) -> TreePlace | None:
        """Where a path leads, unless the call must fail there anyway."""
        return self._trees.free(self._spot(caller, directory, address, follow))

    def _spot(self, caller: Caller, directory: int, address: int, follow: bool) -> TreePlace | None:
        path = caller.text(address)
        if not path:
            return None
        absolute = caller.absolute(directory, path)
        if not self._still_waits():  # the number may be another program's by now
            raise ProcessLookupError
        return self._permitted(self._resolver.place(caller, absolute, follow=follow))

    def _permitted(self, place: TreePlace | None, *, arrives: bool = False) -> TreePlace | None:
        if place is not None:
            self._denied.check(self._trees.text(place), arrives=arrives)
        return place

    def _at(
        self,
        record: Callable[[TreePlace], None],
        caller: Caller,
        directory: int,
        address: int,
        *,
        follow: bool = False,
    ) -> None:
        place = self._place(caller, directory, address, follow)
        if place is not None:
            record(place)

    def _open(self, caller: Caller, directory: int, address: int, flags: int) -> None:
        exclusive = flags & os.O_CREAT and flags & os.O_EXCL
        follow = not (exclusive or flags & os.O_NOFOLLOW)
        place = self._place(caller, directory, address, follow)
        if place is not None:
            self._doors.write(place)
            self._recorder.open(place, flags, lambda: self._is_writable(caller, place))

    def _symlink(self, caller: Caller, text: int, directory: int, address: int) -> None:
        place = self._place(caller, directory, address, follow=False)
        if place is not None:
            self._doors.symlink(place, caller.text(text))

    def _is_writable(self, caller: Caller, place: TreePlace) -> bool:
        """Whether the cell's own view, which may be read-only here, lets the call succeed."""
        if os.stat(f"/proc/{caller.pid}").st_uid != os.geteuid():
            return False  # it may have fewer rights than we have
        path = f"/proc/{caller.pid}/root{self._trees.text(place)}"
        return os.access(path, os.W_OK, effective_ids=True)

    def _open2(self, caller: Caller, arguments: Arguments) -> None:
        (flags,) = struct.unpack("=Q", caller.bytes(arguments[2], 8))
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
            self._open(caller, arguments[0], arguments[1], flags)

    def _link(self, caller: Caller, arguments: Arguments, flags: int) -> None:
        source = self._place(caller, arguments[0], arguments[1], bool(flags & _FOLLOW))
        target = self._place(caller, arguments[2], arguments[3], follow=False)
        if target is not None:
            self._doors.link(source, target)

    def _rename(self, caller: Caller, arguments: Arguments, flags: int) -> None:
        source = self._spot(caller, arguments[0], arguments[1], follow=False)
        target = self._spot(caller, arguments[2], arguments[3], follow=False)
        self._permitted(target, arrives=True)
        self._doors.rename(source, target, flags)
        source, target = self._trees.free(source), self._trees.free(target)
        if source is not None and target is not None:
            self._recorder.rename(source, target, flags)
        elif source is not None:
            self._recorder.take_away(source)
        elif target is not None and self._exists(caller, arguments[0], arguments[1]):
            self._recorder.remove(target)
            self._recorder.arrive(target)

    def _exists(self, caller: Caller, directory: int, address: int) -> bool:
        path = caller.absolute(directory, caller.text(address))
        return self._resolver.exists(caller, path)

    def _change_mode(self, caller: Caller, directory: int, address: int, flags: int) -> None:
        follow = not flags & _NO_FOLLOW
        self._at(self._doors.change_mode, caller, directory, address, follow=follow)

    def _change_times(self, caller: Caller, directory: int, address: int, flags: int) -> None:
        if address:
            self._change_mode(caller, directory, address, flags)
        else:  # of an open file
            self._of_open_file(self._doors.change_mode, caller, directory)

    def _change_mode_of_open_file(self, caller: Caller, arguments: Arguments) -> None:
        self._of_open_file(self._doors.change_mode, caller, arguments[0])

    def _change_attributes_of_open_file(self, caller: Caller, arguments: Arguments) -> None:
        self._of_open_file(self._recorder.change_attributes, caller, arguments[0])

    def _of_open_file(
        self, record: Callable[[TreePlace], None], caller: Caller, descriptor: int
    ) -> None:
        place = self._trees.place(caller.opened(descriptor))
        if place is not None:
            record(place)

    def _bind(self, caller: Caller, arguments: Arguments) -> None:
        length = min(arguments[2] & 0xFFFFFFFF, _LONGEST_ADDRESS)
        if length <= 2:
            return
        address = caller.bytes(arguments[1], length)
        path = os.fsdecode(address[2:].partition(b"\0")[0])
        if int.from_bytes(address[:2], "little") != socket.AF_UNIX or not path:
            return
        absolute = caller.absolute(_CWD, path)
        found = self._permitted(self._resolver.place(caller, absolute, follow=False))
        place = self._trees.free(found)
        if place is not None:
            self._doors.create(place)
