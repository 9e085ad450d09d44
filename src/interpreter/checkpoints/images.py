"""Keeping a file as it is, the cheapest way that is safe: link, clone, move, copy."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat

_FICLONE = 0x40049409
_CHUNK = 1 << 30
# Not waiting: a pipe that took the file's place a moment ago would never let us go.
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITING = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
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
            _dress(writing, os.fstat(reading))
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
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(source, dir_fd=source_fd), target, dir_fd=target_fd)
        _chown(target, status, target_fd)
        times = (status.st_atime_ns, status.st_mtime_ns)
        os.utime(target, ns=times, dir_fd=target_fd, follow_symlinks=False)
    elif stat.S_ISFIFO(status.st_mode):
        os.mkfifo(target, stat.S_IMODE(status.st_mode), dir_fd=target_fd)
    elif stat.S_ISREG(status.st_mode):
        _copy_regular(source_fd, source, target_fd, target)
    else:
        raise OSError(errno.EOPNOTSUPP, "sockets and devices are not kept", source)


def _copy_regular(source_fd: int | None, source: str, target_fd: int | None, target: str) -> None:
    reading = os.open(source, _READING, dir_fd=source_fd)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        writing = os.open(target, flags, 0o600, dir_fd=target_fd)
        try:
            pour(reading, writing)
            _dress(writing, os.fstat(reading))
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


def _dress(writing: int, status: os.stat_result) -> None:
    _chown(writing, status)
    os.fchmod(writing, stat.S_IMODE(status.st_mode))
    os.utime(writing, ns=(status.st_atime_ns, status.st_mtime_ns))


def pour(reading: int, writing: int) -> None:
    """All bytes from one descriptor to another, shared where the filesystem can."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(writing, _FICLONE, reading)
        return
    while True:
        try:
            count = os.copy_file_range(reading, writing, _CHUNK)
        except OSError:
            count = os.sendfile(writing, reading, None, _CHUNK)  # older kernels, across devices
        if count == 0:
            return


def overwrite(directory: int, name: str, image: str) -> None:
    """Put an image's content and mode into an existing inode, for files with several names."""
    writing = os.open(name, _WRITING, dir_fd=directory)
    try:
        reading = os.open(image, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.ftruncate(writing, 0)
            pour(reading, writing)
            _dress(writing, os.fstat(reading))
        finally:
            os.close(reading)
    finally:
        os.close(writing)
