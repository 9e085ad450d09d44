"""The seccomp program: reads pass, changes are reported, on every machine that we know."""

import errno
import os
import struct

import pytest

from interpreter.checkpoints.journal.write_filter import write_filter
from interpreter.protocol.system.system_calls import AUDIT_ARCH, numbers

ALLOW, NOTIFY, REFUSE = 0x7FFF0000, 0x7FC00000, 0x00050000 | errno.ENOSYS
READ = {"x86_64": 0, "aarch64": 63}


def decide(program, machine, number, *arguments):
    """What the kernel's own machine makes of a call."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=iIQ6Q", number, machine, 0, *padded)
    accumulator = at = 0
    while True:
        code, yes, no, operand = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code in (0x15, 0x35, 0x45):
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += yes if holds else no
        else:
            raise AssertionError(f"unknown instruction {code:#x}")


@pytest.mark.parametrize("name", AUDIT_ARCH)
def test_reads_pass_and_changes_are_reported(name):
    program = write_filter(name)
    known = numbers(name)

    def call(number, *arguments):
        return decide(program, AUDIT_ARCH[name], number, *arguments)

    assert call(known["openat"], 0, 0, os.O_RDONLY | os.O_CLOEXEC) == ALLOW
    for flag in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC):
        assert call(known["openat"], 0, 0, flag | os.O_CLOEXEC) == NOTIFY
    assert call(READ[name]) == ALLOW
    for reported in ("unlinkat", "renameat2", "mkdirat", "linkat", "symlinkat", "fchmod", "bind"):
        assert call(known[reported]) == NOTIFY
    assert call(known["io_uring_setup"]) == REFUSE


@pytest.mark.parametrize("name", AUDIT_ARCH)
def test_calls_in_a_foreign_dialect_are_refused(name):
    program = write_filter(name)
    assert decide(program, 0x40000003, 5) == REFUSE
    assert decide(program, AUDIT_ARCH[name], 0x40000002) == REFUSE


def test_the_old_open_is_reported_where_it_exists():
    program = write_filter("x86_64")
    machine, number = AUDIT_ARCH["x86_64"], numbers("x86_64")["open"]
    assert decide(program, machine, number, 0, os.O_WRONLY) == NOTIFY
    assert decide(program, machine, number, 0, os.O_RDONLY) == ALLOW
