"""The seccomp program that lets reads pass and reports every call that changes a directory.

Where the user has rules about programs, it also reports what starts them.
"""

from __future__ import annotations

import errno
import os

from interpreter.protocol.system.system_calls import (
    ALLOW,
    ANY_BIT,
    ARGUMENTS,
    AT_LEAST,
    AUDIT_ARCH,
    EQUAL,
    LOAD,
    MACHINE,
    NOTIFY,
    NUMBER,
    RETURN,
    Line,
    assemble,
    numbers,
    refuse,
)

_NEWER = 463  # setxattrat, the first call that we do not know; they have one number everywhere
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_FLAGS_ARGUMENT = {"open": 1, "openat": 2}
_CHANGES = (
    *("openat2", "creat", "truncate", "bind", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat"),
    *("rename", "renameat", "renameat2", "mknod", "mknodat", "symlink", "symlinkat", "link"),
    *("linkat", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown"),
    *("fchownat", "utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr"),
    *("fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
)
_PROGRAMS = ("execve", "execveat", "set_tid_address", "sched_getaffinity")


def write_filter(machine: str, *, programs: bool = False) -> bytes:
    """The program for a machine as the kernel takes it."""
    known = numbers(machine)
    reported = (*_CHANGES, *_PROGRAMS) if programs else _CHANGES
    opens = [name for name in _FLAGS_ARGUMENT if name in known]
    lines: list[Line | str] = [
        (LOAD, MACHINE, "", ""),
        (EQUAL, AUDIT_ARCH[machine], "", "refuse"),
        (LOAD, NUMBER, "", ""),
        # What is newer than this list might change files unseen; programs fall back to older calls.
        (AT_LEAST, _NEWER, "refuse", ""),
        # io_uring opens files where no filter sees it; programs fall back to plain calls.
        (EQUAL, known["io_uring_setup"], "refuse", ""),
        *((EQUAL, known[name], name, "") for name in opens),
        *(
            (EQUAL, number, "notify", "")
            for number in sorted(known[n] for n in reported if n in known)
        ),
        (RETURN, ALLOW, "", ""),
    ]
    for name in opens:
        flags = ARGUMENTS + 8 * _FLAGS_ARGUMENT[name]
        lines += [name, (LOAD, flags, "", ""), (ANY_BIT, _WRITING, "notify", "allow")]
    lines += ["allow", (RETURN, ALLOW, "", ""), "notify", (RETURN, NOTIFY, "", "")]
    return assemble([*lines, "refuse", (RETURN, refuse(errno.ENOSYS), "", "")])
