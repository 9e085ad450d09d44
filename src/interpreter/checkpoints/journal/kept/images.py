"""Keeping a file as it is, the cheapest way that is safe: link, clone, move, copy."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator

_FICLONE = 0x40049409
_CHUNK = 1 << 30
# Not waiting: a pipe that took the file's place a moment ago would never let us go.
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITING = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_CANNOT_LINK = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP)


def link(directory: int, name: str, image: str) -> bool:
    """Keep a name that is about to go by a second link to its inode."""
    try:
        os.link(name, image, src_dir_fd=directory, follow_symlinks=False)
    except OSError as error:
        if error.errno in _CANNOT_LINK:
            return False
        raise
    return True


def keep(directory: int, name: str, image: str) -> None:
    """Copy whatever is at a name, with its mode, owner and times; complete or not there."""
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    unfinished = f"{image}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(unfinished)
    copy(directory, name, None, unfinished, status)
    os.rename(unfinished, image)


def clone(directory: int, name: str, image: str) -> bool:
    """Keep a file by sharing its blocks; False where the filesystem cannot."""
    reading = os.open(name, _READING, dir_fd=directory)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        writing = os.open(image, flags, 0o600)
        try:
            fcntl.ioctl(writing, _FICLONE, reading)
            _dress(writing, reading)
        except OSError:
            os.unlink(image)
            return False
        finally:
            os.close(writing)
    finally:
        os.close(reading)
    return True


def copy(
    source_fd: int | None, source: str, target_fd: int | None, target: str, status: os.stat_result
) -> None:
    """Make `target`, which must not exist, the same as `source` in all that we restore."""
    if stat.S_ISREG(status.st_mode):
        _copy_regular(source_fd, source, target_fd, target)
        return
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(source, dir_fd=source_fd), target, dir_fd=target_fd)
    elif stat.S_ISFIFO(status.st_mode):
        os.mkfifo(target, stat.S_IMODE(status.st_mode), dir_fd=target_fd)
    else:
        raise OSError(errno.EOPNOTSUPP, "sockets and devices are not kept", source)
    _chown(target, status, target_fd)
    times = (status.st_atime_ns, status.st_mtime_ns)
    os.utime(target, ns=times, dir_fd=target_fd, follow_symlinks=False)


def _copy_regular(source_fd: int | None, source: str, target_fd: int | None, target: str) -> None:
    reading = os.open(source, _READING, dir_fd=source_fd)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        writing = os.open(target, flags, 0o600, dir_fd=target_fd)
        try:
            pour(reading, writing)
            _dress(writing, reading)
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _chown(target: str | int, status: os.stat_result, directory: int | None = None) -> None:
    with contextlib.suppress(PermissionError):  # only root may give files away
        if isinstance(target, int):
            os.fchown(target, status.st_uid, status.st_gid)
        else:
            os.chown(target, status.st_uid, status.st_gid, dir_fd=directory, follow_symlinks=False)


def _dress(writing: int, reading: int) -> None:
    """Give a file the owner, extended attributes, mode and times of another."""
    status = os.fstat(reading)
    _chown(writing, status)
    _copy_attributes(reading, writing)
    os.fchmod(writing, stat.S_IMODE(status.st_mode))
    os.utime(writing, ns=(status.st_atime_ns, status.st_mtime_ns))


def _copy_attributes(reading: int, writing: int) -> None:
    with contextlib.suppress(OSError):  # a filesystem without any
        names, unwanted = os.listxattr(reading), set(os.listxattr(writing))
        for name in unwanted.difference(names):
            _try(os.removexattr, writing, name)
        for name in names:
            _try(os.setxattr, writing, name, os.getxattr(reading, name))


def keep_attributes(directory: int, name: str, image: str) -> None:
    """Write the extended attributes of a directory to a file; of what is no directory, none."""
    with _itself(directory, name) as path:
        found = {one: os.getxattr(path, one).hex() for one in os.listxattr(path)}
    with open(image, "x") as file:
        json.dump(found, file)


def put_attributes(directory: int, name: str, image: str) -> None:
    """Give a directory the extended attributes in a file, and no others."""
    with open(image) as file:
        wanted = {one: bytes.fromhex(value) for one, value in json.load(file).items()}
    with _itself(directory, name) as path:
        for one in set(os.listxattr(path)).difference(wanted):
            _try(os.removexattr, path, one)
        for one, value in wanted.items():
            _try(os.setxattr, path, one, value)


def has_attributes(directory: int, name: str) -> bool:
    """Whether a directory has extended attributes."""
    with contextlib.suppress(OSError), _itself(directory, name) as path:
        return bool(os.listxattr(path))
    return False


@contextlib.contextmanager
def _itself(directory: int, name: str) -> Iterator[str]:
    """A path that leads to a directory whatever becomes of its name meanwhile."""
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    thing = os.open(name, flags, dir_fd=directory)
    try:
        yield f"/proc/self/fd/{thing}"
    finally:
        os.close(thing)


def _try(call: Callable[..., None], *arguments: object) -> None:
    with contextlib.suppress(OSError):  # those of the system are root's to set
        call(*arguments)


def pour(reading: int, writing: int) -> None:
    """All bytes of one file into another, empty one, shared where the filesystem can."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(writing, _FICLONE, reading)
        return
    size = os.fstat(reading).st_size
    at = 0
    while (at := _next(reading, at, os.SEEK_DATA, size)) < size:
        end = _next(reading, at, os.SEEK_HOLE, size)
        _pour_part(reading, writing, at, end)
        at = end
    os.ftruncate(writing, size)


def _next(reading: int, at: int, what: int, size: int) -> int:
    """Where the next data or hole begins; a file grows by its holes if we do not skip them."""
    try:
        return os.lseek(reading, at, what)
    except OSError as error:
        if error.errno == errno.ENXIO:  # only a hole is left
            return size
        return at if what == os.SEEK_DATA else size  # a filesystem that does not know holes


def _pour_part(reading: int, writing: int, at: int, end: int) -> None:
    os.lseek(writing, at, os.SEEK_SET)
    while at < end:
        most = min(_CHUNK, end - at)
        try:
            count = os.copy_file_range(reading, writing, most, at)
        except OSError as error:
            if error.errno in NO_ROOM:
                raise
            count = os.sendfile(writing, reading, at, most)  # older kernels, across devices
        if count == 0:
            return  # it was cut short meanwhile
        at += count


def overwrite(directory: int, name: str, image: str) -> None:
    """Put an image's content and mode into an existing inode, for files with several names."""
    writing = os.open(name, _WRITING, dir_fd=directory)
    try:
        reading = os.open(image, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.ftruncate(writing, 0)
            pour(reading, writing)
            _dress(writing, reading)
        finally:
            os.close(reading)
    finally:
        os.close(writing)
