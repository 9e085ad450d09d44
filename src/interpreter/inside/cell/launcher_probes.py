"""What the launcher of a cell tries from inside, and looks at, when the host asks."""

# pathlib and contextlib would take longer to import than all the rest
# ruff: noqa: PTH108, PTH112, PTH116, PTH123

from __future__ import annotations

import _socket
import os

MOST_NAMES, LONGEST_NAME = 20, 80  # so that a line of them is not too long for the host


def can_read(path: str) -> bool:
    try:
        with open(path, "rb"):
            return True
    except OSError:
        return False


def can_write(path: str) -> bool:
    """Whether a file can be made in this directory, or this file be written."""
    probe = path + "/.reploop-probe" if os.path.isdir(path) else path
    try:
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC))
    except OSError:
        return False
    if probe is not path:
        os.unlink(probe)
    return True


def is_same(target: str) -> bool:
    """Whether a path leads to this very inode; written as DEVICE:INODE=PATH."""
    identity, _, path = target.partition("=")
    try:
        status = os.stat(path)
    except OSError:
        return False
    return identity == f"{status.st_dev}:{status.st_ino}"


def can_connect(port: str) -> bool:
    sock = None
    try:
        sock = _socket.socket()
        sock.settimeout(1)
        sock.connect(("127.0.0.1", int(port)))
    except OSError:
        return False
    else:
        return True
    finally:
        if sock is not None:
            sock.close()


PROBES = {
    "see": os.path.exists,
    "use": lambda path: os.access(path, os.R_OK | os.X_OK),
    "change": lambda path: os.access(path, os.R_OK | os.W_OK | os.X_OK),
    "same": is_same,
    "read": can_read,
    "write": can_write,
    "connect": can_connect,
}


def successes(words: list[str]) -> list[int]:
    """The positions of the attempts that succeeded."""
    found: list[int] = []
    for position, word in enumerate(words):
        kind, _, target = word.partition("=")
        if PROBES[kind](target):
            found.append(position)
    return found


def newest_files(directory: str) -> list[str]:
    """The newest files of a directory: the name in hexadecimal digits, a dot, the size."""
    found = []
    try:
        for entry in os.scandir(directory):
            if (
                entry.is_file(follow_symlinks=False)
                and len(os.fsencode(entry.name)) <= LONGEST_NAME
            ):
                found.append((entry.stat(follow_symlinks=False), os.fsencode(entry.name)))
    except OSError:
        pass  # what was seen so far is as good as any
    found.sort(key=lambda one: one[0].st_mtime_ns, reverse=True)
    return [f"{name.hex()}.{status.st_size}" for status, name in found[:MOST_NAMES]]
