"""Nothing gets out of a cell; and each attempt gets out where there are no walls."""

import ctypes
from pathlib import Path

import pytest
from tests.escape.attacks import HARMLESS, PREAMBLE, REDUCED_GAPS, RISKY, ROOT_ONLY_CONTROL
from tests.escape.conftest import ORDINARY

ALL = HARMLESS | ROOT_ONLY_CONTROL | RISKY


@pytest.mark.parametrize("name", ALL)
def test_a_cell_holds(world, name):
    assert world.attempt(PREAMBLE + ALL[name]) == {"text": "held\n", "status": 0}


@pytest.mark.parametrize("name", HARMLESS)
def test_the_same_attempt_succeeds_without_walls(world, name):
    assert world.attempt(PREAMBLE + HARMLESS[name], "open") == {"text": "ESCAPED\n", "status": 0}


@pytest.mark.parametrize("name", ROOT_ONLY_CONTROL)
def test_what_root_may_do_succeeds_without_walls(world, name):
    if world.who != "root":
        pytest.skip("an ordinary user may not do this anyway")
    attempt = world.attempt(PREAMBLE + ROOT_ONLY_CONTROL[name], "open")
    assert attempt == {"text": "ESCAPED\n", "status": 0}


def test_a_trusted_cell_reaches_no_socket_of_other_programs(world):
    """It shares the host's network, and so its abstract sockets."""
    version = ctypes.CDLL(None).syscall(444, None, 0, 1)
    if version < 6:
        pytest.skip(f"this kernel's Landlock ({version}) cannot close abstract sockets; 6 can")
    for name in ("connect to an abstract socket", "connect to a socket file"):
        attempt = world.attempt(PREAMBLE + ALL[name], "trusted")
        assert attempt == {"text": "held\n", "status": 0}, name
    own = """
server, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
server.bind("\\0mine"), server.listen(), client.connect("\\0mine")
verdict(True)"""
    assert world.attempt(PREAMBLE + own, "trusted") == {"text": "held\n", "status": 0}


FORK_BOMB = """
pids = []
try:
    for _ in range(1000):
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        pids.append(pid)
except OSError:
    pass
for pid in pids:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
verdict(len(pids) < 200)"""


def test_a_fork_bomb_is_stopped(world):
    if world.who == "root" and "programs" not in world.facts["limited"]:
        pytest.skip("no control group can be made here, and no other limit binds root")
    assert world.attempt(PREAMBLE + FORK_BOMB) == {"text": "held\n", "status": 0}


MANY_CHILDREN = """
hungry = "import signal; b = bytearray(400 << 20); b[::4096] = b[1::4096]; signal.pause()"
children = [subprocess.Popen([sys.executable, "-c", hungry]) for _ in range(4)]
ended = os.wait()
for child in children:
    child.kill()
verdict(os.WIFSIGNALED(ended[1]))"""


def test_many_children_cannot_hold_more_memory_than_one_may(world):
    assert world.attempt(PREAMBLE + MANY_CHILDREN) == {"text": "held\n", "status": 0}


HOARD = """
place, kept = os.environ["PIP_TARGET"], []
try:
    for number in range(400):
        kept.append(f"{place}/{number}")
        with open(kept[-1], "wb", buffering=0) as file:
            file.write(bytes(10 << 20))
except KeyboardInterrupt:
    pass
for path in kept:
    os.unlink(path)
verdict(len(kept) < 300)"""


def test_a_package_directory_that_grows_without_end_is_stopped(world):
    interrupted, killed = {"text": "held\n", "status": 0}, {"text": "", "status": -9}
    assert world.attempt(PREAMBLE + HOARD) in (interrupted, killed)  # as fast as it obeys
    assert world.attempt(PREAMBLE + "verdict(True)") == {"text": "held\n", "status": 0}


@pytest.mark.parametrize("name", sorted(set(ALL) - REDUCED_GAPS))
def test_a_reduced_cell_holds_but_for_what_is_known(world, name):
    if world.who == "root for a user":
        pytest.skip("without namespaces, root can have no cell in somebody else's workspace")
    text = world.attempt(PREAMBLE + ALL[name], "reduced")["text"]
    refused = ("PermissionError", "Address family not supported")
    assert text == "held\n" or any(word in text.splitlines()[-1] for word in refused)


def test_code_is_no_more_than_the_owner_of_the_workspace(world):
    """What root starts runs as whoever owns the workspace; where that is root, it is said."""
    source = "print(os.getresuid(), os.getresgid(), os.getgroups()); open('mine', 'w')"
    said = world.attempt(PREAMBLE + source)["text"]
    made = Path(world.facts["workspace"], "mine").stat()
    assert made.st_uid == Path(world.facts["workspace"]).stat().st_uid
    if world.who == "root for a user":
        assert (
            said
            == f"({ORDINARY}, {ORDINARY}, {ORDINARY}) ({ORDINARY}, {ORDINARY}, {ORDINARY}) []\n"
        )
        assert f"it runs as user {ORDINARY}" in world.facts["walls"]
    assert ("it runs as root" in world.facts["walls"]) == (world.who == "root")


def test_what_is_handed_over_can_be_used_whoever_code_is(world):
    """Root writes into the exchange; what it makes there is the code's."""
    path = f"{world.facts['exchange']}/handed"
    write = "from interpreter.protocol import safe_files; safe_files.write(Path({!r}), 'x')"
    assert world.attempt(write.format(path), "host") == {"answer": ""}
    read = f"print(open({path!r}).read()); open({path!r}, 'a'); os.unlink({path!r})"
    assert world.attempt(PREAMBLE + read) == {"text": "x\n", "status": 0}
