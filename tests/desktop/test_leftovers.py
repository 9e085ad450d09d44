"""A run of tests that is killed leaves none of its programs behind."""

import subprocess
import sys
from pathlib import Path

from tests.desktop.conftest import wait_for

SCRIPT = """
import os, signal
from tests.desktop.conftest import displayed
with displayed(["Xvfb", "-screen", "0", "640x480x24"]) as screen:
    os.environ |= screen.environment
    desktop = screen.desktop()
    screen.start("gtk3")
    assert desktop.lacks() == {}  # starts the bus of accessibility, which starts others
    print(screen.environment["XDG_RUNTIME_DIR"], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _left(directory):
    """The programs whose environment names a directory."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if directory.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" "))
        except OSError:
            continue
    return found


def test_a_killed_run_leaves_no_servers_and_programs():
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, check=False
    )
    directory = done.stdout.strip()
    assert directory, done.stderr
    wait_for(lambda: not _left(directory), f"the end of {_left(directory)}")
