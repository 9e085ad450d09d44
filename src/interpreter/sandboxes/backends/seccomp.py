"""The seccomp filter of a cell: which system calls its programs cannot make."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from functools import cache

from interpreter.protocol.system.system_calls import (
    ALLOW,
    AND,
    ARGUMENTS,
    AT_LEAST,
    AUDIT_ARCH,
    EQUAL,
    KILL,
    LOAD,
    MACHINE,
    NUMBER,
    RETURN,
    Line,
    assemble,
    native,
    numbers,
    refuse,
)
from interpreter.protocol.values import frozen

WHOLE = 0xFFFFFFFF
_X32_BIT = 0x40000000


@frozen
class Equals:
    """True when the argument, masked, is this value. Only its low 32 bits are seen."""

    argument: int
    value: int
    mask: int = WHOLE


@frozen
class AnyBit:
    """True when the argument has one of these bits."""

    argument: int
    bits: int


@frozen
class NoneOf:
    """True when the argument is none of these values."""

    argument: int
    values: tuple[int, ...]


Check = Equals | AnyBit | NoneOf


@frozen
class FilterRule:
    """What happens to a call, always or when its check is true. The first rule that fits wins."""

    call: str
    action: int
    check: Check | None = None


def rules_filter(rules: Iterable[FilterRule], machine: str, *, foreign: int = KILL) -> bytes:
    """The filter for a machine ("x86_64" or "aarch64"); calls without a rule are allowed.

    `foreign` is what happens to calls of another architecture, whose numbers mean other things.
    Calls that the machine does not have are left out.
    """
    known = numbers(machine)
    lines: list[Line | str] = [
        *((LOAD, MACHINE, "", ""), (EQUAL, AUDIT_ARCH[machine], "ours", "")),
        *((RETURN, foreign, "", ""), "ours", (LOAD, NUMBER, "", "")),
    ]
    if machine == "x86_64":
        lines += [(AT_LEAST, _X32_BIT, "", "own"), (RETURN, refuse(errno.ENOSYS), "", ""), "own"]
    for at, rule in enumerate(rules):
        if rule.call in known:
            lines += [(EQUAL, known[rule.call], "", f"{at}"), *_rule_lines(rule, f"{at}"), f"{at}"]
    return assemble([*lines, (RETURN, ALLOW, "", "")])


def _rule_lines(rule: FilterRule, after: str) -> list[Line | str]:
    """What follows once the call's number is matched; `after` is where the next rule begins."""
    answer: Line = (RETURN, rule.action, "", "")
    no = f"{after} no"
    match rule.check:
        case None:
            return [answer]
        case Equals(argument, value, mask):
            test: list[Line | str] = [(AND, mask, "", ""), (EQUAL, value, "", no), answer]
        case AnyBit(argument, bits):
            test = [(AND, bits, "", ""), (EQUAL, 0, no, ""), answer]
        case NoneOf(argument, values):
            test = [*((EQUAL, value, no, "") for value in values), answer]
    return [(LOAD, ARGUMENTS + 8 * argument, "", ""), *test, no, (LOAD, NUMBER, "", "")]


_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag: mount, cgroup, uts, ipc, user, pid, net, time
_PUSH_INPUT, _CONSOLE = 0x5412, 0x541C  # TIOCSTI and TIOCLINUX type into the user's terminal
_GIVES_BACK_ROOM = (0x03, 0x08, 0x20)  # modes of fallocate: punch a hole, collapse, insert

_REFUSED = (
    # other processes' memory and files
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"),
    # mounts and namespaces
    *("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig"),
    *("fsmount", "fspick", "mount_setattr", "setns", "statmount", "listmount", "open_tree_attr"),
    *("name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd", "fanotify_init"),
    # the kernel itself
    *("bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load", "init_module"),
    *("finit_module", "delete_module", "syslog", "acct", "swapon", "swapoff", "reboot", "vhangup"),
    *("iopl", "ioperm", "keyctl", "add_key", "request_key", "lookup_dcookie", "nfsservctl"),
    # the clock
    *("clock_settime", "clock_adjtime", "settimeofday", "adjtimex"),
)
_MISSING = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3")


# Calls on a process, which is the first argument, and zero when it is the caller. Those on threads
# (sched_…) stay: libraries use them on their own by number, and they only slow others down.
_ON_A_PROCESS = ("prlimit64", "migrate_pages", "move_pages")
_ON_SOMEBODY = ("setpriority", "ioprio_set")  # a kind first: process, group or user


def among_others_rules() -> tuple[FilterRule, ...]:
    """More rules for a cell that sees the other processes of the user: none may be changed."""
    no = refuse(errno.EPERM)
    return (
        *(FilterRule(call, no, NoneOf(0, (0,))) for call in _ON_A_PROCESS),
        *(FilterRule(call, no, NoneOf(1, (0,))) for call in _ON_SOMEBODY),
        FilterRule("setpriority", no, NoneOf(0, (0,))),
        FilterRule("ioprio_set", no, NoneOf(0, (1,))),
    )


def cell_rules(*, internet: bool) -> tuple[FilterRule, ...]:
    """The rules of a cell; without `internet`, only sockets of this machine can be made."""
    families = (_UNIX, _NETLINK, *((_INET, _INET6) if internet else ()))
    no, absent = refuse(errno.EPERM), refuse(errno.ENOSYS)
    return (
        *(FilterRule(call, no) for call in _REFUSED),
        *(FilterRule(call, absent) for call in _MISSING),  # callers then use what they used before
        *(
            FilterRule(call, no, AnyBit(0, _NEW_NAMESPACES & ~0x80))
            for call in ("clone", "unshare")
        ),
        FilterRule("unshare", no, AnyBit(0, 0x80)),  # in `clone` these bits are the exit signal
        # Room that is taken without being written would be gone before anybody could see to it.
        FilterRule("fallocate", refuse(errno.EOPNOTSUPP), NoneOf(1, _GIVES_BACK_ROOM)),
        FilterRule("ioctl", no, Equals(1, _PUSH_INPUT)),
        FilterRule("ioctl", no, Equals(1, _CONSOLE)),
        FilterRule("socket", refuse(errno.EAFNOSUPPORT), NoneOf(0, families)),
    )


@cache
def filter_for(*, internet: bool, alone: bool = True) -> bytes:
    """The filter of a cell on this machine; empty where we have no table for it.

    `alone` are the processes of a cell with a process namespace of its own.
    """
    machine = native()
    if not machine:
        return b""
    rules = (*cell_rules(internet=internet), *(() if alone else among_others_rules()))
    return rules_filter(rules, machine, foreign=refuse(errno.EPERM))
