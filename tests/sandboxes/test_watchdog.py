"""The watchdog: what a cell uses as a whole has an end."""

import os
import signal
import subprocess
import sys

import pytest
from tests.live import wait_until

from interpreter.sandboxes.confinement import CellLimits
from interpreter.sandboxes.limits.cgroup import confine
from interpreter.sandboxes.limits.watchdog import Watchdog, WatchedFiles, members, proportional_mb

HANG = 60
STUBBORN = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, lambda *_: print('interrupted', flush=True))\n"
    "print('up', flush=True)\n"
    "while True: signal.pause()"
)
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


class Disk:
    """A disk that gets shorter each time somebody looks, once it leaks."""

    def __init__(self, free, leak=0.0):
        self.free, self.leak = free, leak

    def __call__(self):
        self.free -= self.leak
        return self.free


def watched(pid, disk, notices):
    watchdog = Watchdog(pid, [lambda: 9e9, disk], CellLimits(memory_mb=0), notices.append)
    watchdog.start()
    return watchdog


def test_a_full_disk_interrupts_first_and_ends_what_goes_on_writing():
    disk, notices = Disk(1000.0), []
    parent = subprocess.Popen([sys.executable, "-c", PARENT, STUBBORN], stdout=subprocess.PIPE)
    with parent:
        assert parent.stdout.readline() == b"up\n"
        watchdog = watched(parent.pid, disk, notices)
        disk.free, disk.leak = 110.0, 10.0
        assert parent.stdout.read() == b"interrupted\n"
        assert parent.wait(HANG) == 0
        watchdog.close()
    (notice,) = notices
    assert notice.endswith("left on the disk or for packages: what ran was interrupted.")


@pytest.fixture
def stubborn():
    """A process whose child does not end by an interrupt."""
    argv = [sys.executable, "-c", PARENT, STUBBORN]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"up\n"
        yield parent
        for member in list(members(parent.pid)):
            os.kill(member.pid, signal.SIGKILL)


def test_what_is_idle_lives_on_while_the_disk_is_full(stubborn):
    disk, notices, looks = Disk(1000.0), [], []
    watchdog = watched(stubborn.pid, lambda: looks.append(1) or disk(), notices)
    disk.free = 100.0
    assert stubborn.stdout.readline() == b"interrupted\n"
    seen = len(looks)
    wait_until(lambda: len(looks) > seen + 3)
    watchdog.close()
    assert len(list(members(stubborn.pid))) == 1
    assert len(notices) == 1


def test_a_disk_that_was_full_before_is_not_blamed_on_the_cell(stubborn):
    notices, looks = [], []
    watchdog = watched(stubborn.pid, lambda: looks.append(1) or 100.0, notices)
    wait_until(lambda: len(looks) > 3)
    watchdog.close()
    assert len(list(members(stubborn.pid))) == 1
    assert notices == []


def test_the_packages_of_a_session_are_counted(tmp_path):
    for number in range(3):
        (tmp_path / f"d{number}").mkdir()
        (tmp_path / f"d{number}/package").write_bytes(bytes(1 << 20))
    (tmp_path / "link").symlink_to("/")
    assert 6.5 < WatchedFiles(tmp_path, 10).left_mb() < 7.5
    assert WatchedFiles(tmp_path, 2).left_mb() < 0


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
    monkeypatch.setattr(
        "interpreter.sandboxes.limits.cgroup._own_groups", lambda: {"": "/user/session"}
    )
    group = confine(42, CellLimits(memory_mb=100, tmp_mb=50, programs=7), tmp_path)
    assert (tmp_path / "user/reploop-42/cgroup.procs").read_text() == "42"
    assert group.limited == frozenset()  # its files are the kernel's to make, and are not here


def test_no_group_is_no_error(tmp_path):
    group = confine(42, CellLimits(), tmp_path)
    assert group.limited == frozenset()
    group.close()
