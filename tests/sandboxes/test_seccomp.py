"""The filter assembler, held against a small machine that runs what it assembles."""

import errno
import platform
import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.protocol.system.system_calls import (
    ALLOW,
    AUDIT_ARCH,
    KILL,
    NOTIFY,
    RETURN,
    assemble,
    numbers,
    refuse,
)
from interpreter.sandboxes.backends.seccomp import (
    AnyBit,
    Equals,
    FilterRule,
    NoneOf,
    among_others_rules,
    cell_rules,
    rules_filter,
)

EPERM, ENOSYS = refuse(errno.EPERM), refuse(errno.ENOSYS)


def run(program, machine, number, *arguments, arch=None):
    """What the kernel's machine answers to a call; it only knows what our filters use."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, AUDIT_ARCH[machine] if arch is None else arch, 0, *words)
    code = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    register, at = 0, 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (register,) = struct.unpack_from("=I", data, value)
            case 0x54:
                register &= value
            case 0x15:
                at += if_true if register == value else if_false
            case 0x35:
                at += if_true if register >= value else if_false
            case 0x06:
                return value


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request):
    return request.param


def test_a_call_without_a_rule_is_allowed(machine):
    program = rules_filter([FilterRule("mount", EPERM)], machine)
    assert run(program, machine, numbers(machine)["openat"]) == ALLOW
    assert run(program, machine, numbers(machine)["mount"]) == EPERM


def test_another_architecture_is_killed_or_refused(machine):
    program = rules_filter([], machine)
    assert run(program, machine, 0, arch=0x40000003) == KILL
    refusing = rules_filter([], machine, foreign=EPERM)
    assert run(refusing, machine, 0, arch=0x40000003) == EPERM


def test_the_other_numbers_of_x86_are_missing():
    program = rules_filter([FilterRule("mount", EPERM)], "x86_64")
    assert run(program, "x86_64", 0x40000000 | numbers("x86_64")["mount"]) == ENOSYS


def test_calls_that_a_machine_does_not_have_are_left_out():
    assert rules_filter([FilterRule("open", EPERM)], "aarch64") == rules_filter([], "aarch64")


@pytest.mark.parametrize("alone", [True, False])
def test_no_rule_is_jumped_over_however_many_there_are(machine, alone):
    rules = (*cell_rules(internet=False), *(() if alone else among_others_rules()))
    program = rules_filter(rules, machine, foreign=EPERM)
    known = numbers(machine)
    always = {rule.call: rule.action for rule in rules if rule.check is None and rule.call in known}
    assert always
    assert {call: run(program, machine, known[call]) for call in always} == always


def test_two_places_of_one_name_are_no_filter():
    with pytest.raises(ValueError, match="two labels"):
        assemble(["here", (RETURN, ALLOW, "", ""), "here"])


def test_the_first_rule_that_fits_wins(machine):
    rules = [FilterRule("socket", EPERM, Equals(0, 2)), FilterRule("socket", NOTIFY)]
    number = numbers(machine)["socket"]
    program = rules_filter(rules, machine)
    assert run(program, machine, number, 2) == EPERM
    assert run(program, machine, number, 1) == NOTIFY


CHECKS = st.one_of(
    st.builds(Equals, st.integers(0, 5), st.integers(0, 7), st.sampled_from([7, 3, 0xFFFFFFFF])),
    st.builds(AnyBit, st.integers(0, 5), st.integers(1, 7)),
    st.builds(NoneOf, st.integers(0, 5), st.lists(st.integers(0, 7), max_size=5).map(tuple)),
)
RULES = st.lists(
    st.builds(
        FilterRule,
        st.sampled_from(["mount", "openat", "ioctl", "socket"]),
        st.sampled_from([EPERM, ENOSYS, NOTIFY]),
        st.one_of(st.none(), CHECKS),
    ),
    max_size=8,
)


def holds(check, arguments):
    match check:
        case None:
            return True
        case Equals(argument, value, mask):
            return arguments[argument] & mask == value
        case AnyBit(argument, bits):
            return bool(arguments[argument] & bits)
        case NoneOf(argument, values):
            return arguments[argument] not in values


@given(
    RULES,
    st.sampled_from(["mount", "openat", "ioctl", "socket", "rename"]),
    st.lists(st.integers(0, 9), min_size=6, max_size=6),
)
def test_a_filter_does_what_its_rules_say(rules, call, arguments):
    fitting = [r.action for r in rules if r.call == call and holds(r.check, arguments)]
    program = rules_filter(rules, "x86_64")
    assert run(program, "x86_64", numbers("x86_64")[call], *arguments) == [*fitting, ALLOW][0]


def test_cells_cannot_leave_by_a_call(machine):
    program = rules_filter(cell_rules(internet=True), machine)
    known = numbers(machine)
    for call in ("ptrace", "mount", "setns", "bpf", "open_by_handle_at", "pidfd_getfd"):
        assert run(program, machine, known[call]) == EPERM
    assert run(program, machine, known["clone3"]) == ENOSYS
    assert run(program, machine, known["clone"], 0x10000000 | 17) == EPERM
    assert run(program, machine, known["clone"], 0x01200011) == ALLOW
    assert run(program, machine, known["unshare"], 0x80) == EPERM
    assert run(program, machine, known["ioctl"], 0, 0x5412) == EPERM
    assert run(program, machine, known["ioctl"], 0, 0xFFFFFFFF00005412) == EPERM
    assert run(program, machine, known["ioctl"], 0, 0x5401) == ALLOW


def test_no_room_is_taken_that_is_not_written(machine):
    program = rules_filter(cell_rules(internet=True), machine)
    number = numbers(machine)["fallocate"]
    taking, giving = (0x00, 0x01, 0x10, 0x40), (0x03, 0x08, 0x20)
    assert {run(program, machine, number, 5, mode) for mode in taking} == {refuse(95)}
    assert {run(program, machine, number, 5, mode) for mode in giving} == {ALLOW}


@pytest.mark.parametrize(("internet", "expected"), [(True, ALLOW), (False, refuse(97))])
def test_sockets_by_family(machine, internet, expected):
    program = rules_filter(cell_rules(internet=internet), machine)
    number = numbers(machine)["socket"]
    assert run(program, machine, number, 1) == ALLOW
    assert run(program, machine, number, 2) == expected
    assert run(program, machine, number, 10) == expected
    assert run(program, machine, number, 40) == refuse(97)


def test_the_numbers_are_those_of_this_machine():
    """Checked against the C library's headers, where they are installed."""
    machine = platform.machine()
    names = sorted(numbers(machine))
    source = "#include <sys/syscall.h>\n" + "".join(
        f"#ifdef SYS_{name}\nours {name} SYS_{name}\n#endif\n" for name in names
    )
    try:
        done = subprocess.run(
            ["cc", "-E", "-P", "-"], input=source, capture_output=True, text=True, check=True
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no C compiler or no headers here")
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("ours ")]
    assert found
    assert {name: int(number) for name, number in found} == {
        name: numbers(machine)[name] for name, _ in found
    }
