"""The watchdog: what a cell uses as a whole has an end."""

import signal
import subprocess
import sys
import threading

from interpreter.sandboxes.cgroup import confine
from interpreter.sandboxes.confinement import Limits
from interpreter.sandboxes.watchdog import Watchdog, members, proportional_mb

HANG = 60
STUBBORN = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, lambda *_: print('interrupted', flush=True))\n"
    "print('up', flush=True)\n"
    "while True: signal.pause()"
)
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def test_a_full_disk_interrupts_first_and_ends_what_goes_on():
    free = [1000.0]
    notices = []
    parent = subprocess.Popen([sys.executable, "-c", PARENT, STUBBORN], stdout=subprocess.PIPE)
    with parent:
        assert parent.stdout.readline() == b"up\n"
        watchdog = Watchdog(parent.pid, lambda: free[0], Limits(memory_mb=0), notices.append)
        watchdog.start()
        free[0] = 100.0
        assert parent.stdout.read() == b"interrupted\n"
        assert parent.wait(HANG) == 0
        watchdog.close()
    assert notices == ["Only 100 MB are free on the disk: what ran was interrupted."]


def test_a_disk_that_was_full_before_is_not_blamed_on_the_cell():
    ended = threading.Event()
    sleeper = subprocess.Popen(["sleep", "600"])
    notices = []
    watchdog = Watchdog(sleeper.pid, lambda: 100.0, Limits(memory_mb=0), notices.append)
    watchdog.start()
    ended.wait(0.6)
    watchdog.close()
    sleeper.send_signal(signal.SIGTERM)
    assert sleeper.wait(HANG) == -signal.SIGTERM
    assert notices == []


def test_members_are_all_that_a_process_started():
    script = (
        "import subprocess, sys; p = subprocess.Popen(['cat']); print('up', flush=True); p.wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as first:
        assert first.stdout.readline() == b"up\n"
        found = list(members(first.pid))
        assert [member.is_program for member in found] == [True, False]
        assert all(member.megabytes > 0 for member in found)
        assert proportional_mb(found[0].pid) > 0
        first.stdin.close()


def test_a_process_that_is_gone_weighs_nothing():
    assert proportional_mb(2**22 + 1) == 0
    assert list(members(2**22 + 1)) == []


def test_a_group_is_made_where_that_is_allowed(tmp_path, monkeypatch):
    """A pretended tree of control groups, as a real one needs rights that tests may not have."""
    own = tmp_path / "user/session"
    own.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("memory pids")
    monkeypatch.setattr("interpreter.sandboxes.cgroup._own_groups", lambda: {"": "/user/session"})
    group = confine(42, Limits(memory_mb=100, tmp_mb=50, programs=7), tmp_path)
    assert (tmp_path / "user/reploop-42/cgroup.procs").read_text() == "42"
    assert group.limited == frozenset()  # its files are the kernel's to make, and are not here


def test_no_group_is_no_error(tmp_path):
    group = confine(42, Limits(), tmp_path)
    assert group.limited == frozenset()
    group.close()
