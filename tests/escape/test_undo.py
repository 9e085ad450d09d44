"""The undo engine and the host's other hands reach into places where the cell writes, too."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places

HANG = 120
PREAMBLE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def exchange(a, b):
    return libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), 2)
"""


class Room:
    """A cell around a repository, and a journal of what its programs do."""

    def __init__(self, base, *, trusting=False):
        self.workspace, self.outside = base / "workspace", base / "outside"
        (self.outside / "sub").mkdir(parents=True)
        (self.outside / "sub/victim").write_text("alive")
        subprocess.run(["git", "init", "-q", str(self.workspace)], check=True)
        (self.workspace / "tools/deep").mkdir(parents=True)
        (self.workspace / "tools/mine").write_text("my own tool")
        programs = (*interpreter_places(), self.workspace / "tools")
        confinement = Confinement(programs=programs)
        self.cell = BubblewrapSandbox(confinement, os.environ).open(self.workspace)
        protected = () if trusting else self.cell.protected
        store = base / "store"
        self.journal = FileJournal(
            JournalOptions(store, (self.workspace,), self.cell.exchange, protected=protected)
        )
        self._count = 0

    def start(self, source, *, journalled=True):
        argv = [sys.executable, "-c", PREAMBLE + source]
        command = self.journal.wrap(argv) if journalled else argv
        return self.cell.launch(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def block(self, source):
        self._count += 1
        name = f"{self._count:06}"
        self.journal.begin(name, "attack")
        program = self.start(source)
        with program.stdout as stdout:
            said = stdout.read().decode()
        program.wait(HANG)
        self.journal.end()
        return name, said

    def undo(self, name):
        """Undo a block; it must come to an end."""
        found = []
        thread = threading.Thread(target=lambda: found.extend(self.journal.undo(name)), daemon=True)
        thread.start()
        thread.join(HANG)
        assert not thread.is_alive(), "the undo waits for ever"
        return found

    def close(self):
        self.cell.close()
        self.journal.close()


@pytest.fixture
def room_in():
    opened, bases = [], []

    def make(**options):
        bases.append(tempfile.mkdtemp(prefix="rl-"))
        opened.append(Room(Path(bases[-1]), **options))
        return opened[-1]

    yield make
    for room in opened:
        room.close()
    for base in bases:
        shutil.rmtree(base)


def tools(room):
    place = room.workspace / "tools"
    return {path.name for path in place.iterdir()} if place.is_dir() else set()


def claim_to_have_exchanged(room):
    """The call fails; an undo that believed it would put the code's own programs in place."""
    room.block("os.mkdir('evil'); open('evil/python', 'w').write('#!/bin/sh')")
    name, said = room.block("print(exchange('evil', 'tools'))")
    assert said == "-1\n"
    room.undo(name)
    return "python" in tools(room) or "mine" not in tools(room)


def claim_to_have_moved(room):
    """The name from which something was moved is gone meanwhile, so all looks as claimed."""
    deep = room.workspace / "tools/deep"
    (deep / "mine").touch()
    room.block("os.mkdir('bait')")
    name, said = room.block("print(libc.rename(b'bait', b'tools/deep'))")
    assert said == "-1\n"
    (room.workspace / "bait").rmdir()
    room.undo(name)
    return not (deep / "mine").exists()


def claim_to_have_moved_git(room):
    room.block("os.mkdir('bait')")
    name, said = room.block("print(exchange('bait', '.git'))")
    assert said == "-1\n"
    room.undo(name)
    return not (room.workspace / ".git/HEAD").exists()


CLAIMS = [claim_to_have_exchanged, claim_to_have_moved, claim_to_have_moved_git]


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_undo_does_nothing_for_code_that_code_could_not_do(room_in, claim):
    assert not claim(room_in())


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_journal_that_believes_such_claims_is_used(room_in, claim):
    """The control: it is the list of protected places that holds."""
    assert claim(room_in(trusting=True))


def test_git_itself_is_journalled_where_code_may_write(room_in):
    room = room_in()
    name, _ = room.block("open('.git/description', 'w').write('changed')")
    assert (room.workspace / ".git/description").read_text() == "changed"
    assert room.undo(name) == []
    assert (room.workspace / ".git/description").read_text() != "changed"


SWAPPER = """
os.symlink({target!r}, "link")
print("ready", flush=True)
while True:
    exchange("d", "link")
"""


@pytest.mark.parametrize("journalled", [True, False])
def test_directories_swapped_for_links_during_an_undo_lead_nowhere(room_in, journalled):
    """The second one is a program that the journal does not hold up meanwhile."""
    room = room_in()
    (room.workspace / "d").mkdir()
    names = [
        room.block(f"open('d/victim', 'a').write('{n}'); open('d/new{n}', 'w')")[0]
        for n in range(8)
    ]
    swapper = room.start(SWAPPER.format(target=f"{room.outside}/sub"), journalled=journalled)
    assert swapper.stdout.readline() == b"ready\n"
    for name in reversed(names):
        room.undo(name)
    assert swapper.poll() is None
    swapper.kill()
    swapper.wait(HANG)
    swapper.stdout.close()
    assert [p.name for p in room.outside.rglob("*") if p.is_file()] == ["victim"]
    assert (room.outside / "sub/victim").read_text() == "alive"


def make_fifo(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def make_device(path):
    if os.geteuid() != 0:
        pytest.skip("only root makes devices")
    os.mknod(path, 0o20666, os.makedev(1, 5))  # /dev/zero: reading it would never end


def make_directory(path):
    path.mkdir()
    (path / "inside").write_text("x")


def make_link(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_fifo, make_socket, make_device, make_directory, make_link])
def test_whatever_lies_in_the_way_of_an_undo_it_ends(room_in, make):
    room = room_in()
    (room.workspace / "changed").write_text("before")
    (room.workspace / "gone").write_text("before")
    name, _ = room.block("open('changed', 'w').write('x'); os.unlink('gone'); open('new', 'w')")
    for path in (room.workspace / n for n in ("changed", "gone", "new")):
        path.unlink(missing_ok=True)
        make(path)
    room.undo(name)
    for path in (room.workspace / n for n in ("changed", "gone")):
        assert path.is_dir() or path.read_text() == "before"


def test_a_file_with_a_second_name_outside_is_as_it_was(room_in):
    room = room_in()
    (room.outside / "shared").write_text("before")
    (room.outside / "shared").chmod(0o640)
    (room.workspace / "shared").hardlink_to(room.outside / "shared")
    name, _ = room.block("open('shared', 'w').write('after'); os.chmod('shared', 0o777)")
    assert (room.outside / "shared").read_text() == "after"  # one file, in two places
    assert room.undo(name) == []
    assert (room.outside / "shared").read_text() == "before"
    assert (room.outside / "shared").stat().st_mode & 0o777 == 0o640
    assert (room.workspace / "shared").samefile(room.outside / "shared")
