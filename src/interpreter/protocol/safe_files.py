"""Files in places that code in a cell can change: the workspace, the exchange, what is kept of it.

Code can put a link, a pipe, or a file of any size where the host is about to write or to read, and
change it at any moment. So every directory on the way is opened by its descriptor and none through
a link, only real files are read, at most as much as was asked for, and what is written takes its
name when it is whole.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATING = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS = 40  # as many as the kernel follows


@contextlib.contextmanager
def folder(path: Path, *, make: int | None = None) -> Iterator[int]:
    """A directory by its descriptor; OSError when any part of its path is a link.

    With `make`, a mode, those that are missing are made.
    """
    whole = Path(os.path.abspath(path))  # noqa: PTH100 (links must not be resolved)
    here = os.open(whole.anchor, _DIRECTORY)
    try:
        for part in whole.parts[1:]:
            below = _entered(part, here, make=make)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def _entered(part: str, here: int, *, make: int | None) -> int:
    try:
        return os.open(part, _DIRECTORY, dir_fd=here)
    except FileNotFoundError:
        if make is None:
            raise
        with contextlib.suppress(FileExistsError):  # somebody was faster
            os.mkdir(part, make, dir_fd=here)
            _hand_over(part, here)
        return os.open(part, _DIRECTORY, dir_fd=here)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _refused(part, here) or error from error
        raise


def _refused(name: str, here: int) -> OSError | None:
    with contextlib.suppress(OSError):
        if stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            return OSError(errno.ELOOP, "it is a link, and no link is followed here", name)
    return None


def make_folder(path: Path, *, mode: int = 0o700) -> None:
    """A directory with all above it, where they are missing."""
    with folder(path, make=mode):
        pass


def names(path: Path) -> list[str]:
    """What is in a directory."""
    with folder(path) as here:
        listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
    try:
        return os.listdir(listed)  # noqa: PTH208 (it is a descriptor)
    finally:
        os.close(listed)


def entries(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    """What is in a directory, and what each of it is; links are told, not followed."""
    for name in sorted(names(path)):
        with contextlib.suppress(FileNotFoundError), folder(path) as here:
            yield name, os.stat(name, dir_fd=here, follow_symlinks=False)


def opened(path: Path) -> BinaryIO:
    """A real file, for reading; OSError for a link, a pipe, a device or a directory."""
    with folder(path.parent) as here:
        try:
            descriptor = os.open(path.name, _READING, dir_fd=here)
        except OSError as error:
            raise _refused(path.name, here) or error from error
    return _regular(descriptor, path, "rb")


def _regular(descriptor: int, path: Path, mode: str) -> BinaryIO:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
    return cast("BinaryIO", os.fdopen(descriptor, mode))


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a real file; OSError when it is longer than `most`."""
    with opened(path) as file:
        length = os.fstat(file.fileno()).st_size
        content = file.read(most + 1) if length <= most else b""
    if max(length, len(content)) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes", str(path))
    return content


def read_start(path: Path, size: int) -> bytes:
    """The first bytes of a real file."""
    with opened(path) as file:
        return file.read(size)


def read_end(path: Path, size: int) -> str:
    """The last bytes of a real file, as text."""
    with opened(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - size))
        return file.read(size).decode(errors="replace")


def create(path: Path) -> BinaryIO:
    """A new file that only the user can read; what was there under its name is gone."""
    with folder(path.parent) as here:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=here)
        descriptor = os.open(path.name, _CREATING, 0o600, dir_fd=here)
        _hand_over(path.name, here)
        return os.fdopen(descriptor, "w+b")


def write(path: Path, content: str | bytes, *, mode: int = 0o600, replace: bool = True) -> Path:
    """Make a file hold this, all at once; a link of its name is replaced, never followed.

    Without `replace`, what is there already stays, whoever was faster.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        with drafted(path, mode=mode, replace=replace) as file:
            file.write(data)
    except FileExistsError:
        if replace:
            raise
    return path


@contextlib.contextmanager
def drafted(path: Path, *, mode: int = 0o600, replace: bool = True) -> Iterator[BinaryIO]:
    """A file to be filled, which takes its name at the end of this block, and not on an error.

    Without `replace`, FileExistsError where something has that name.
    """
    draft = f".{os.urandom(8).hex()}.new"
    with folder(path.parent) as here:
        try:
            with os.fdopen(os.open(draft, _CREATING, mode, dir_fd=here), "wb") as file:
                yield file
            _hand_over(draft, here)
            if replace:
                os.rename(draft, path.name, src_dir_fd=here, dst_dir_fd=here)
            else:
                ends = {"src_dir_fd": here, "dst_dir_fd": here}
                os.link(draft, path.name, **ends, follow_symlinks=False)
        finally:
            with contextlib.suppress(FileNotFoundError):  # as it is when all went well
                os.unlink(draft, dir_fd=here)


def opened_for_change(path: Path) -> BinaryIO:
    """A real file that is there, to be changed in its place."""
    with folder(path.parent) as here:
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return _regular(os.open(path.name, flags, dir_fd=here), path, "r+b")


def move(path: Path, name: str) -> None:
    """Give a file another name in its directory."""
    with folder(path.parent) as here:
        os.rename(path.name, name, src_dir_fd=here, dst_dir_fd=here)


def remove(path: Path) -> None:
    """Let nothing be there; what cannot be removed, as a directory, was never ours."""
    with contextlib.suppress(OSError), folder(path.parent) as here:
        os.unlink(path.name, dir_fd=here)


def is_file(path: Path) -> bool:
    """Whether a real file is there, and no link on the way to it."""
    try:
        with folder(path.parent) as here:
            status = os.stat(path.name, dir_fd=here, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode)


def make_pipe(path: Path) -> None:
    """A new named pipe."""
    with folder(path.parent) as here:
        os.mkfifo(path.name, 0o600, dir_fd=here)
        _hand_over(path.name, here)


def listen(address: Path, waiting: int) -> socket.socket:
    """A new socket that listens at a path, for the owner of its directory only."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(address))
    with folder(address.parent) as here:
        os.chmod(address.name, 0o600, dir_fd=here)
        _hand_over(address.name, here)
    server.listen(waiting)
    return server


def _hand_over(name: str, here: int) -> None:
    """What root makes in a directory of somebody else's is theirs: a cell runs as that one."""
    if os.geteuid() == 0 and (owner := os.fstat(here)).st_uid != 0:
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=here, follow_symlinks=False)


def open_pipe(path: Path, flags: int) -> int:
    """A descriptor of a named pipe, and of nothing else that might be there by now."""
    with folder(path.parent) as here:
        descriptor = os.open(path.name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no pipe any more", str(path))
    os.set_blocking(descriptor, not flags & os.O_NONBLOCK)
    return descriptor


def named_by_user(path: Path, *cell_places: Path) -> Path:
    """Where a path leads that the user has typed.

    Links elsewhere are the user's own and count; those in a place where a cell can write may be
    anybody's: they are left in the path, and whoever opens it is refused.
    """
    places = [place.resolve() for place in cell_places]
    start = Path.cwd() / path.expanduser()
    here, ahead, links = Path(start.anchor), list(reversed(start.parts[1:])), 0
    while ahead:
        part = ahead.pop()
        place = here.parent if part == ".." else here / part
        if any(map(place.is_relative_to, places)) or not place.is_symlink():
            here = place
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, "too many links", str(path))
        target = here / place.readlink()
        here, ahead = Path(target.anchor), [*ahead, *reversed(target.parts[1:])]
    return here


NEVER = -1  # a time that nothing has
_TICK = 3_000_000_000  # nanoseconds; the clock of files ticks every few milliseconds to two seconds


def is_settled(changed: int) -> bool:
    """Whether what is read now would get another time by a change from now on: two changes within
    one tick look like one, so that what was read right after a change has to be read again."""
    return time.time_ns() - changed > _TICK
