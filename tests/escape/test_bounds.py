"""What code can write to the host is bounded: memory, threads, descriptors, disk and time."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.escape.conftest import HERE, WHERE, as_user, python_for, readable_source
from tests.escape.ordinary_python import make_python
from tests.live import wait_until

from interpreter.assembly.cell.shutdown import SAVE_SECONDS
from interpreter.checkpoints.variables.frozen_copies import MOST_CALLERS, CopyRegistry
from interpreter.sandboxes.network.proxy import MOST_CONNECTIONS

FEW_MEGABYTES = 150
A_FEW_SECONDS = 30


class Session:
    """A session of somebody's, in a process of its own."""

    def __init__(self, prefix, python, base):
        self.data = base / "home/data"
        workspace = base / "home/project"
        for name in ("session_driver.py", "peak.py"):
            shutil.copy(HERE / name, base)
        argv = [*prefix, python, str(base / "session_driver.py"), readable_source(), str(workspace)]
        self._driver = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=base,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(base / "home"),
                "LANG": "C.UTF-8",
                "XDG_DATA_HOME": str(self.data),
            },
        )

    def do(self, what, **options):
        self._driver.stdin.write(json.dumps({"do": what, **options}) + "\n")
        self._driver.stdin.flush()
        line = self._driver.stdout.readline()
        assert line, f"the session ended with status {self._driver.wait(60)}"
        return json.loads(line)

    def run(self, source, **options):
        return self.do("run", source=source, **options)

    def close(self):
        with self._driver:
            self._driver.stdin.close()
        assert self._driver.returncode == 0


def new_place():
    place = Path(tempfile.mkdtemp(prefix="reploop-b-", dir=WHERE))
    place.chmod(0o755)
    return place


@pytest.fixture(scope="module")
def ordinary_python():
    """A Python that an ordinary user may run, with what a session needs."""
    prefix = as_user(place := new_place())
    python = python_for(prefix)
    if python is not None and os.getuid() == 0:
        python = make_python(python, place / "venv")
    yield python
    shutil.rmtree(place)


@pytest.fixture(params=["root", "user"])
def session(request):
    """A whole session, as root and as an ordinary user."""
    if request.param == "root" and os.getuid() != 0:
        pytest.skip("the tests do not run as root")
    python = sys.executable
    if request.param == "user" and (python := request.getfixturevalue("ordinary_python")) is None:
        pytest.skip("an ordinary user has no Python of this version here")
    base = new_place()
    (base / "home/project").mkdir(parents=True)
    (base / "home/data").mkdir()
    prefix = as_user(base) if request.param == "user" else []
    if prefix:
        subprocess.run(["chown", "-R", "--reference", str(base), str(base)], check=True)
    opened = Session(prefix, python, base)
    yield opened
    opened.close()
    shutil.rmtree(base)


# The socket of the variables.

CROWD = """
import socket, sys
address = sys.modules['_reploop_variables'].kernel.path('variables.sock')
crowd = []
for _ in range(900):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(5)
    try:
        line.connect(address)
    except OSError:
        line.close()
    else:
        crowd.append(line)
print('connected')
"""


def test_a_crowd_at_the_socket_of_the_variables_costs_nothing_and_undo_works(session):
    before = session.run("x = 'before'")
    crowded = session.run(CROWD)
    assert (crowded["text"], crowded["outcome"]) == ("connected\n", "ok")
    assert crowded["threads"] <= before["threads"] + 2
    assert crowded["descriptors"] <= before["descriptors"] + MOST_CALLERS + 8
    session.run("x = 'after'")
    session.do("undo")
    assert session.run("print(x)")["text"] == "before\n"


@pytest.fixture
def registry():
    with tempfile.TemporaryDirectory(prefix="rl-") as place:  # short: there is a socket in it
        opened = CopyRegistry(Path(place) / "r.sock")
        opened.address = f"{place}/r.sock"
        yield opened
        opened.close()


def calling(registry, hello):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(A_FEW_SECONDS)
    line.connect(registry.address)
    line.sendall(hello)
    return line


def flood(line):
    for _ in range(1000):
        line.sendall(b'{"saved": {}}' * 4096)


def test_only_a_copy_that_was_ordered_is_let_in(registry):
    registry.expect("ordered")
    with calling(registry, b'{"name": "another", "pid": 1}\n') as line:
        assert line.recv(1) == b""
    with calling(registry, b'{"name": "ordered", "pid": 7}\n'):
        assert registry.get("ordered", A_FEW_SECONDS).pid == 7
    with calling(registry, b'{"name": "ordered", "pid": 8}\n') as line:
        assert line.recv(1) == b""


def test_what_a_copy_says_unasked_is_not_read(registry):
    registry.expect("talkative")
    with calling(registry, b'{"name": "talkative", "pid": 1}\n') as line:
        assert registry.get("talkative", A_FEW_SECONDS)
        line.setblocking(False)
        with pytest.raises(BlockingIOError):
            flood(line)
        assert registry.get("talkative", 0) is not None


def test_a_copy_that_answers_without_end_is_hung_up_on(registry):
    registry.expect("endless")
    with calling(registry, b'{"name": "endless", "pid": 1}\n') as line:
        assert registry.get("endless", A_FEW_SECONDS)
        registry.measure(2)
        assert line.recv(100).startswith(b"memory ")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            flood(line)


def test_a_copy_that_ends_is_forgotten_without_a_word(registry):
    registry.expect("short")
    with calling(registry, b'{"name": "short", "pid": 1}\n'):
        assert registry.get("short", A_FEW_SECONDS)
    wait_until(lambda: registry.get("short", 0) is None)


# The way out.

CROWD_AT_THE_PROXY = """
import socket
crowd = [socket.socket() for _ in range(900)]
for line in crowd:
    line.setblocking(False)
    line.connect_ex(('127.0.0.1', 3128))
print('connected')
"""


def test_a_crowd_at_the_proxy_leaves_the_host_its_descriptors(session):
    before = session.run("x = 'before'")
    crowded = session.run(CROWD_AT_THE_PROXY)
    assert (crowded["text"], crowded["outcome"]) == ("connected\n", "ok")
    assert crowded["descriptors"] <= before["descriptors"] + MOST_CONNECTIONS + 16
    assert session.run("x = 'after'")["outcome"] == "ok"
    session.do("undo")
    assert session.run("print(x)")["text"] == "before\n"


# Leaving.

NEVER_ANSWERING = """
import os, signal
os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGSTOP))
x = 1
"""


def test_leaving_does_not_wait_long_for_a_copy_that_never_answers(session):
    session.run("y = 1")
    session.run(NEVER_ANSWERING)
    told = session.do("close")
    assert told["seconds"] < SAVE_SECONDS + A_FEW_SECONDS
    assert any(text.startswith("Saving the variables …") for text in told["notices"])
    assert any(text.startswith("The variables were not saved: ") for text in told["notices"])


@pytest.fixture
def small_disk(session):
    """A disk of a few megabytes where the session keeps its data."""
    if os.getuid() != 0:
        pytest.skip("only root can make a small disk")
    owner = session.data.stat().st_uid
    options = f"size=4m,mode=700,uid={owner},gid={owner}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(session.data)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield session.data
    subprocess.run(["umount", "-l", str(session.data)], check=True)


def fill(directory):
    with contextlib.suppress(OSError), (directory / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def test_leaving_with_a_full_disk_is_quick_and_says_what_is_lost(session, small_disk):
    assert session.run("x = list(range(1000))")["outcome"] == "ok"
    fill(small_disk)
    told = session.do("close")
    assert told["seconds"] < A_FEW_SECONDS
    assert any("No space left on device" in text for text in told["notices"])
