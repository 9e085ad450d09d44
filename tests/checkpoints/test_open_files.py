"""Which files the programs of a cell hold open."""

import subprocess
import sys
from contextlib import contextmanager

import pytest

from interpreter.checkpoints.journal.programs import Programs

OBEDIENT = """
import sys, threading
files = []
def obey():
    for line in sys.stdin:
        files.append(open(line[2:-1], line[0]))
        print("done", flush=True)
{start}
"""
ALONE = OBEDIENT.format(start="obey()")
IN_A_THREAD = OBEDIENT.format(start="t = threading.Thread(target=obey); t.start(); t.join()")


@contextmanager
def program(source):
    """A program that opens what it is told to, and idles otherwise."""
    pipe = subprocess.PIPE
    pipes = {"stdin": pipe, "stdout": pipe, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", source], text=True, **pipes) as process:

        def opens(path, mode):
            process.stdin.write(f"{mode} {path}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"

        try:
            yield process.pid, opens
        finally:
            process.kill()


@pytest.mark.parametrize("source", [ALONE, IN_A_THREAD])
def test_a_file_that_an_idle_program_opens_later_is_seen(tmp_path, source):
    programs = Programs()
    with program(source) as (pid, opens):
        programs.heard(pid)
        opens("/dev/null", "w")
        assert list(programs.writing()) == []
        assert list(programs.writing()) == []
        opens(tmp_path / "written", "w")
        assert list(programs.writing()) == [str(tmp_path / "written")]
        assert programs.hold((tmp_path / "written").stat())


def test_a_file_that_is_only_read_is_held_and_not_written(tmp_path):
    (tmp_path / "read").write_text("")
    programs = Programs()
    with program(ALONE) as (pid, opens):
        programs.heard(pid)
        opens(tmp_path / "read", "r")
        assert list(programs.writing()) == []
        assert programs.hold((tmp_path / "read").stat())


def test_a_program_that_has_ended_holds_nothing(tmp_path):
    programs = Programs()
    with program(ALONE) as (pid, opens):
        programs.heard(pid)
        opens(tmp_path / "written", "w")
    assert list(programs.writing()) == []
