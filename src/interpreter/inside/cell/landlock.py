"""Gives up rights for good, then becomes another program.

Run as ``python -I -S landlock.py RULES_FD FILTER_FD COMMAND …``. RULES_FD holds NUL-separated
words, ``r`` or ``w`` and a path: what may be read, or read and written. FILTER_FD holds a seccomp
filter. Whatever cannot be given up ends the program.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = PATH_BENEATH = 1
DEATH_SIGNAL, SECCOMP, SUBREAPER, NO_NEW_PRIVILEGES = 1, 22, 36, 38
CAPABILITY_VERSION = 0x20080522
KILL = 9

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
OF_FIRST_VERSION = (1 << 13) - 1

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def control(option: int, *arguments: object) -> None:
    check(libc.prctl(option, *arguments), f"prctl {option}")


def rights_of(version: int) -> int:
    """All rights on files that this version can take away."""
    rights = OF_FIRST_VERSION
    rights |= REFER if version >= 2 else 0
    rights |= TRUNCATE if version >= 3 else 0
    rights |= DEVICE_CONTROL if version >= 5 else 0
    return rights


def new_ruleset(version: int) -> int:
    """A ruleset that takes everything away; also TCP, abstract sockets and signals to others."""
    size = 1 if version < 4 else 2 if version < 6 else 3
    attribute = struct.pack(f"={size}Q", *(rights_of(version), 3, 3)[:size])
    return check(libc.syscall(CREATE_RULESET, attribute, len(attribute), 0), "landlock")


def allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there need not be allowed
    if os.readlink(f"/proc/self/fd/{place}") != os.path.normpath(path):  # noqa: PTH115
        os.close(place)
        return  # a link: what it leads to is allowed by its own name, or not at all
    wanted = rights if os.path.isdir(path) else rights & OF_FILES  # noqa: PTH112
    rule = struct.pack("=Qi", wanted, place)
    check(libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0), path)
    os.close(place)


def restrict(words: list[str]) -> None:
    version = libc.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    if version < 1:
        raise OSError("this kernel has no Landlock")
    ruleset = new_ruleset(version)
    for kind, path in zip(words[::2], words[1::2], strict=True):
        everything = rights_of(version)
        allow(ruleset, path, everything if kind == "w" else EXECUTE | READ_FILE | READ_DIR)
    check(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock")
    os.close(ruleset)


def drop_capabilities() -> None:
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    check(libc.capset(header, bytes(24)), "capset")


def filter_calls(rules: bytes) -> None:
    program = ctypes.create_string_buffer(rules, len(rules))
    header = struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(program))
    control(SECCOMP, 2, header, 0, 0)


def content(fd: int) -> bytes:
    with os.fdopen(fd, "rb") as file:
        return file.read()


def main() -> None:
    rules, calls = content(int(sys.argv[1])), content(int(sys.argv[2]))
    control(DEATH_SIGNAL, KILL, 0, 0, 0)
    control(SUBREAPER, 1, 0, 0, 0)
    control(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    restrict(os.fsdecode(rules).split("\0"))
    drop_capabilities()
    filter_calls(calls)
    os.execv(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
