"""What a killed host leaves in the temporary directory is swept away by another, and only that."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from interpreter.sandboxes.cell.own_directory import OwnDirectory, sweep

HANG = 30
KILLED = """
import os
from interpreter.sandboxes.cell.own_directory import OwnDirectory
directory = OwnDirectory().path
(directory / "packages").mkdir()
(directory / "packages" / "kept").write_text("x")
print(directory, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A temporary directory of our own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_by_a_killed_host(place):
    host = [sys.executable, "-c", KILLED]
    env = {**os.environ, "TMPDIR": str(place)}
    killed = subprocess.run(host, env=env, stdout=subprocess.PIPE, timeout=HANG, check=False)
    assert killed.returncode == -signal.SIGKILL
    return place / Path(killed.stdout.decode().strip()).name


def test_what_a_killed_host_left_is_deleted(place):
    left = left_by_a_killed_host(place)
    assert sweep() == [left.name]
    assert list(place.iterdir()) == []


def test_what_a_living_host_uses_stays(place):
    own = OwnDirectory()
    assert sweep() == []
    assert own.path.is_dir()
    own.remove()
    own.remove()
    assert list(place.iterdir()) == []


def test_a_program_left_in_a_dead_cell_is_ended_and_no_other(place):
    left = left_by_a_killed_host(place)
    envs = ({"PIP_TARGET": str(left / "packages")}, {"PIP_TARGET": str(left / "packages-of-mine")})
    inside, outside = (subprocess.Popen(["sleep", "600"], env=env) for env in envs)
    sweep()
    assert inside.wait(HANG) == -signal.SIGKILL
    assert outside.poll() is None
    outside.kill()
    outside.wait()


def test_links_and_open_directories_and_other_names_are_left_alone(place):
    mine = place / "mine"
    mine.mkdir()
    (mine / "owner").touch()
    (mine / "thesis").write_text("x")
    (place / "reploop-aaaaaaaa").symlink_to(mine)
    for name, mode in (("reploop-bbbbbbbb", 0o755), ("reploop-engine-0", 0o700)):
        (place / name).mkdir(mode=mode)
        (place / name / "owner").touch()
    before = sorted(place.rglob("*"))
    assert sweep() == []
    assert sorted(place.rglob("*")) == before


def test_links_inside_are_deleted_and_not_followed(place):
    thesis = place / "thesis"
    thesis.mkdir()
    (thesis / "text").write_text("x")
    left = left_by_a_killed_host(place)
    (left / "packages" / "out").symlink_to(thesis)
    assert sweep() == [left.name]
    assert (thesis / "text").read_text() == "x"


def test_a_directory_whose_maker_was_killed_at_once_goes_when_it_is_old(place):
    for name in ("reploop-cccccccc", "reploop-dddddddd", "reploop-eeeeeeee"):
        (place / name).mkdir(mode=0o700)
    (place / "reploop-eeeeeeee" / "of an older version").touch()
    for name in ("reploop-dddddddd", "reploop-eeeeeeee"):
        os.utime(place / name, (0, 0))
    assert sweep() == ["reploop-dddddddd"]
