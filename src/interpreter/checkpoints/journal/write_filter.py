"""The seccomp program that lets reads pass and reports every call that changes a directory.

Where the user has rules about programs, it also reports what starts them.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence

from interpreter.checkpoints.journal.system_calls import Architecture

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _NOTIFY, _REFUSE = 0x7FFF0000, 0x7FC00000, 0x00050000 | errno.ENOSYS
_NUMBER, _MACHINE = 0, 4
_NEWER = 463  # setxattrat, the first call that we do not know; they have one number everywhere
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_FLAGS_ARGUMENT = {"open": 1, "openat": 2}
_NOT_REPORTED = ("open", "openat", "io_uring_setup")
PROGRAMS = ("execve", "execveat", "set_tid_address", "sched_getaffinity")

Line = tuple[int, int, str, str]
"""An instruction: code, operand, and the labels to go to when a test holds or not."""


def write_filter(machine: Architecture, *, programs: bool = False) -> bytes:
    """The program as the kernel takes it, an array of sock_filter."""
    left_out = _NOT_REPORTED if programs else (*_NOT_REPORTED, *PROGRAMS)
    opens = [name for name in _FLAGS_ARGUMENT if name in machine.numbers]
    lines: list[Line | str] = [(_LOAD, _MACHINE, "", ""), (_EQUAL, machine.audit, "", "refuse")]
    # What is newer than this list might change files unseen; programs fall back to older calls.
    lines += [(_LOAD, _NUMBER, "", ""), (_AT_LEAST, _NEWER, "refuse", "")]
    # io_uring opens files where no filter sees it; programs fall back to plain calls.
    lines += [(_EQUAL, machine.numbers["io_uring_setup"], "refuse", "")]
    lines += [(_EQUAL, machine.numbers[name], name, "") for name in opens]
    reported = [number for name, number in machine.numbers.items() if name not in left_out]
    lines += [(_EQUAL, number, "notify", "") for number in sorted(reported)]
    lines += [(_RETURN, _ALLOW, "", "")]
    for name in opens:
        flags = 16 + 8 * _FLAGS_ARGUMENT[name]
        lines += [name, (_LOAD, flags, "", ""), (_ANY_BIT, _WRITING, "notify", "allow")]
    lines += ["allow", (_RETURN, _ALLOW, "", ""), "notify", (_RETURN, _NOTIFY, "", "")]
    return _assemble([*lines, "refuse", (_RETURN, _REFUSE, "", "")])


def _assemble(lines: Sequence[Line | str]) -> bytes:
    labels: dict[str, int] = {}
    program: list[Line] = []
    for line in lines:
        if isinstance(line, str):
            labels[line] = len(program)
        else:
            program.append(line)
    return b"".join(
        struct.pack("=HBBI", code, _jump(labels, yes, here), _jump(labels, no, here), operand)
        for here, (code, operand, yes, no) in enumerate(program)
    )


def _jump(labels: dict[str, int], label: str, here: int) -> int:
    return labels[label] - here - 1 if label else 0
