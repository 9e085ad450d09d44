"""A host may be killed at any moment, also while it opens a cell."""

import os
import pwd
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HANG = 30
REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir  # each test has another one in its environment
OPENING = """
import os, sys
from pathlib import Path
from interpreter.sandboxes.backends import bubblewrap
from interpreter.sandboxes.cell import descriptors as ends
from interpreter.sandboxes.confinement import Confinement, interpreter_places
def die(*_, **__):
    os.kill(os.getpid(), 9)
setattr({"Ends": ends.CellDescriptors, "bubblewrap": bubblewrap}[sys.argv[2]], sys.argv[3], die)
confinement = Confinement(programs=interpreter_places())
bubblewrap.BubblewrapSandbox(confinement, os.environ, live=sys.argv[4] == "live").open(
    Path(sys.argv[1])
)
die()
"""
MOMENTS = {
    "before it has the wire": ("Ends", "connect"),
    "before it says how the cell is made": ("Ends", "tell"),
    "before the walls are tried": ("bubblewrap", "set_up"),
    "before grants can be made": ("bubblewrap", "Portal"),
}


@pytest.fixture
def place():
    """A directory whose name no other process mentions."""
    with tempfile.TemporaryDirectory(dir=REAL_HOME) as name:
        yield Path(name)


def left_over(workspace):
    """The processes that still have to do with a cell of a workspace."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(workspace).encode() in (entry / "cmdline").read_bytes():
                yield int(entry.name), (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended since


def ends(pid):
    """Whether a process that is not our child ends soon."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], HANG)[0])
    finally:
        os.close(watched)


@pytest.mark.parametrize("live", ["live", "fixed"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_host_that_is_killed_while_it_opens_a_cell_leaves_no_process(place, moment, live):
    host = [sys.executable, "-c", OPENING, str(place), *MOMENTS[moment], live]
    assert subprocess.run(host, timeout=HANG).returncode == -signal.SIGKILL
    for pid, command in left_over(place):
        assert ends(pid), command


STOPPED = """
import os, signal, sys
from pathlib import Path
from interpreter.sandboxes.backends import bubblewrap
from interpreter.sandboxes.cell import descriptors as ends
from interpreter.sandboxes.confinement import Confinement, interpreter_places
pids = []
first_pid = ends.CellDescriptors.first_pid
ends.CellDescriptors.first_pid = lambda self: pids.append(first_pid(self)) or pids[0]
confinement = Confinement(programs=interpreter_places())
sandbox = bubblewrap.BubblewrapSandbox(confinement, os.environ, live=sys.argv[2] == "live")
cell = sandbox.open(Path(sys.argv[1]))
cell.launch(["sleep", "600"])
os.kill(pids[0], signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("live", ["live", "fixed"])
def test_a_cell_that_does_not_listen_ends_with_its_host(place, live):
    host = [sys.executable, "-c", STOPPED, str(place), live]
    assert subprocess.run(host, timeout=HANG).returncode == -signal.SIGKILL
    for pid, command in left_over(place):
        assert ends(pid), command
