"""The Linux calls that Python does not offer."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import struct

from interpreter.protocol.system.system_calls import native, numbers

BENEATH_WITHOUT_SYMLINKS = 0x08 | 0x04 | 0x02  # RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS
IN_ROOT = 0x10 | 0x02
NO_REPLACE = 1
EXCHANGE = 2
_LONGEST_PIECE = 1000  # characters, of up to four bytes: a path may have 4096
_MOST_LEVELS = 1000  # of directories whose path is too long


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: int | bytes) -> int:
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result: int = _libc().syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def open_directory(base: int, path: str, resolve: int) -> int:
    """Open a directory below `base` as a place only, following the rules of `resolve`."""
    how = struct.pack("QQQ", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, 0, resolve)
    return _call(437, base, os.fsencode(path) or b".", how, len(how))


def open_beneath(base: int, path: str) -> int:
    """The same without any symlink, piece by piece where a path is longer than it may be."""
    left = path
    here = base
    while True:
        piece, left = _first_piece(left)
        try:
            found = open_directory(here, piece, BENEATH_WITHOUT_SYMLINKS)
        finally:
            if here != base:
                os.close(here)
        if not left:
            return found
        here = found


def _first_piece(path: str) -> tuple[str, str]:
    """What of a path can be given to the kernel at once, and the rest."""
    if len(path) <= _LONGEST_PIECE:
        return path, ""
    end = path.rindex("/", 0, _LONGEST_PIECE)
    return path[:end], path[end + 1 :]


def directory_path(link: str) -> str:
    """Where a link of `/proc` to a directory leads, also where that is longer than a path may be:
    then the names are looked up in the directories above."""
    with contextlib.suppress(OSError):
        return os.readlink(link)
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    here = os.open(link, flags)
    names: list[str] = []
    try:
        for _ in range(_MOST_LEVELS):
            above = os.open("..", flags, dir_fd=here)
            names.append(_name_of(here, above))
            os.close(here)
            here = above
            with contextlib.suppress(OSError):
                return "/".join((os.readlink(f"/proc/self/fd/{here}"), *reversed(names)))
    finally:
        os.close(here)
    raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))


def _name_of(directory: int, above: int) -> str:
    inode = os.fstat(directory).st_ino
    reading = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=above)
    try:
        with os.scandir(reading) as entries:
            return next(entry.name for entry in entries if entry.inode() == inode)
    except StopIteration:
        raise FileNotFoundError(errno.ENOENT, "a directory has no name any more") from None
    finally:
        os.close(reading)


def open_place(root: int, path: str) -> int:
    """Open whatever is at a path below `root` as a place only; links lead nowhere outside."""
    how = struct.pack("QQQ", os.O_PATH | os.O_CLOEXEC, 0, IN_ROOT)
    return _call(437, root, os.fsencode(path), how, len(how))


def rename(source_fd: int, source: str, target_fd: int, target: str, flags: int) -> None:
    """Rename within directories that are held open, with NO_REPLACE or EXCHANGE."""
    number = numbers(native()).get("renameat2")
    if number is None:
        raise OSError(errno.ENOSYS, "this machine's system calls are not known")
    _call(number, source_fd, os.fsencode(source), target_fd, os.fsencode(target), flags)


def read_memory(pid: int, address: int, length: int) -> bytes:
    """Bytes of another process's memory; fewer where its mapping ends."""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, length, address)
    except (OSError, OverflowError) as error:
        raise OSError(errno.EFAULT, os.strerror(errno.EFAULT)) from error
    finally:
        os.close(memory)
