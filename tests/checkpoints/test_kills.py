"""Whoever is killed, and whenever: a block stays undoable, and an undo gets finished."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from interpreter.checkpoints.journal import supervision
from interpreter.checkpoints.journal.client import FileJournal
from tests.checkpoints.conftest import Bench

MOMENTS = int(os.environ.get("KILLS", "4"))
BUSY = """
import os, shutil
for round in range(12):
    for i in range(25):
        with open(f"f{i}", "a") as file: file.write(f"{round}\\n")
    os.makedirs(f"d{round}/e", exist_ok=True)
    for i in range(10): os.rename(f"f{i}", f"d{round}/e/f{i}")
    for i in range(10): os.rename(f"d{round}/e/f{i}", f"f{i}")
    os.unlink(f"f{20 + round % 5}")
    if round % 3 == 2: shutil.rmtree(f"d{round - 1}")
print("finished")
"""


def fill(bench):
    for number in range(25):
        (bench.workspace / f"f{number}").write_text(f"start {number}\n")


def kill_after(process_id, seconds):
    timer = threading.Timer(seconds, kill, (process_id,))
    timer.start()
    return timer


def kill(process_id):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_block_survives_the_death_of_the_journal(bench, moment):
    fill(bench)
    before = bench.tree()
    name = bench.next_name()
    bench.journal.begin(name, "busy")
    timer = kill_after(bench.journal.pid, random.uniform(0.05, 0.5))
    done = bench.run(sys.executable, "-c", BUSY)
    timer.join()
    assert done.stdout == "finished\n", done.stderr
    bench.journal.end()
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before


DIES_IN_RECEIVING = """
import fcntl, os, signal
receive, real, count = 0xC0502100, fcntl.ioctl, 0
def ioctl(descriptor, request, *rest):
    global count
    result = real(descriptor, request, *rest)
    count += request == receive
    if count == 5: os.kill(os.getpid(), signal.SIGKILL)
    return result
if '"takes_over": false' in sys.argv[-1]: fcntl.ioctl = ioctl
"""


def test_a_call_that_was_received_in_the_moment_of_death_is_answered(tmp_path, monkeypatch):
    program = supervision._PROGRAM.replace("main()", f"{DIES_IN_RECEIVING}main()")
    monkeypatch.setattr(supervision, "_PROGRAM", program)
    bench = Bench(tmp_path)
    fill(bench)
    before, first, name = bench.tree(), bench.journal.pid, bench.next_name()
    bench.journal.begin(name, "busy")
    done = bench.run(sys.executable, "-c", BUSY)
    assert done.stdout == "finished\n", done.stderr
    assert bench.journal.pid != first
    bench.journal.end()
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
    bench.stop()


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_an_undo_survives_the_death_of_the_journal(bench, moment):
    fill(bench)
    before = bench.tree()
    name, _ = bench.block(sys.executable, "-c", BUSY)
    after = bench.tree()
    timer = kill_after(bench.journal.pid, random.uniform(0.0, 0.06))
    assert bench.journal.undo(name) == ()
    timer.join()
    assert bench.tree() == before
    timer = kill_after(bench.journal.pid, random.uniform(0.0, 0.06))
    assert bench.journal.redo(name) == ()
    timer.join()
    assert bench.tree() == after


HOST = """
import subprocess, sys
from pathlib import Path
from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
base, wish = Path(sys.argv[1]), sys.argv[2]
journal = FileJournal(JournalOptions(base / "store", (base / "workspace",), base / "exchange"))
if wish == "run":
    journal.begin("000001", "busy")
    program = journal.wrap([sys.executable, "-c", sys.argv[3]])
    process = subprocess.Popen(program, cwd=base / "workspace", start_new_session=True)
    print(process.pid, flush=True)
    process.wait()
else:
    print("ready", flush=True)
    journal.undo("000001")
sys.stdin.read()
"""


def host(bench, *words):
    return subprocess.Popen(
        [sys.executable, "-c", HOST, str(bench.workspace.parent), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for_end(pid):
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    assert select.select([descriptor], [], [], 60)[0]
    os.close(descriptor)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_block_and_its_undo_survive_the_death_of_the_host(tmp_path, moment):
    bench = Bench(tmp_path)
    bench.stop()
    (bench.exchange / "journal.sock").unlink(missing_ok=True)
    fill(bench)
    before = bench.tree()
    with host(bench, "run", BUSY) as process:
        program = int(process.stdout.readline())
        timer = kill_after(process.pid, random.uniform(0.05, 0.3))
        timer.join()
    wait_for_end(program)
    (bench.exchange / "journal.sock").unlink(missing_ok=True)
    with host(bench, "undo") as process:
        assert process.stdout.readline() == "ready\n"
        kill_after(process.pid, random.uniform(0.0, 0.05)).join()
    (bench.exchange / "journal.sock").unlink(missing_ok=True)
    journal = FileJournal(bench.options)
    (entry,) = journal.blocks()
    if not entry.undone:
        assert journal.undo(entry.name) == ()
    assert bench.tree() == before
    journal.close()


def test_a_new_host_can_undo_what_an_earlier_one_did(bench):
    (bench.workspace / "a").write_text("1")
    before = bench.tree()
    name, _ = bench.shell(textwrap.dedent("echo 2 > a; mkdir b; echo 3 > b/c"))
    bench.reopen()
    assert [entry.name for entry in bench.journal.blocks()] == [name]
    assert bench.journal.conflicts(1) == ()
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
