"""Attempts to write without the journal: ``watch_scenarios.py SRC BASE NAME`` prints what came of it.

Self-contained but for the package in SRC, as it is also run by an ordinary user.
"""

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places

BASE = Path(sys.argv[2])
WORKSPACE = BASE / "home/work"
FILTERS = """
import glob
for path in glob.glob("/proc/[0-9]*/status"):
    lines = dict(line.split(":", 1) for line in open(path))
    print(lines["Pid"].strip(), lines["Seccomp_filters"].strip())
"""


def room(sandbox):
    host = {"HOME": str(BASE / "home"), "PATH": "/usr/bin:/bin"}
    cell = sandbox(Confinement(programs=interpreter_places()), host).open(WORKSPACE)
    options = JournalOptions(BASE / "store", (WORKSPACE,), cell.exchange, wraps=False)
    journal = FileJournal(options)
    cell.watch(journal.address)
    journal.check(cell.launch)
    return cell, journal


def written_by_a_program_that_nobody_wrapped(sandbox=BubblewrapSandbox):
    cell, journal = room(sandbox)
    journal.begin("000001", "a block")
    cell.launch(["sh", "-c", "echo x > new; (sleep 0; echo y > late) & wait"]).wait(60)
    journal.end()
    assert (WORKSPACE / "new").exists()
    assert (WORKSPACE / "late").exists()
    journal.undo("000001")
    return any(WORKSPACE.iterdir())


def written_by_a_program_that_nobody_wrapped_without_namespaces():
    return written_by_a_program_that_nobody_wrapped(LandlockSandbox)


def a_process_without_the_filter():
    """Only the first process has one filter less than the rest."""
    cell, journal = room(BubblewrapSandbox)
    program = cell.launch([sys.executable, "-c", FILTERS], stdout=subprocess.PIPE)
    with program.stdout as stdout:
        found = dict(line.split() for line in stdout.read().decode().splitlines())
    first = found.pop("1")
    return not found or any(int(filters) <= int(first) for filters in found.values())


def started_when_the_journal_is_gone():
    cell, journal = room(BubblewrapSandbox)
    journal.close()
    with contextlib.suppress(OSError):
        cell.launch(["sh", "-c", "echo x > new"]).wait(60)
    return any(WORKSPACE.iterdir())


def held_up_by_a_program_that_waits_for_the_journal():
    """While one program is held up, another can still be ended."""
    cell, journal = room(BubblewrapSandbox)
    running = cell.launch(["sleep", "1000"])
    deaf = socket.socket(socket.AF_UNIX)
    deaf.bind(str(cell.exchange / "deaf"))
    deaf.listen()
    cell.watch(cell.exchange / "deaf")
    refused = threading.Event()

    def wait():
        try:
            cell.launch(["true"])
        except OSError:
            refused.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    connection, _ = deaf.accept()
    running.kill()
    status = running.wait(20)
    connection.close()
    waiting.join(20)
    return status != -9 or not refused.is_set()


if __name__ == "__main__":
    WORKSPACE.mkdir(parents=True)
    sys.stdout.write("ESCAPED\n" if globals()[sys.argv[3]]() else "held\n")
