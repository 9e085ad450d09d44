"""Nothing gets out of a cell; and each attempt gets out where there are no walls."""

import pytest
from tests.escape.attacks import HARMLESS, PREAMBLE, REDUCED_GAPS, RISKY, ROOT_ONLY_CONTROL

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


@pytest.mark.parametrize("name", sorted(set(ALL) - REDUCED_GAPS))
def test_a_reduced_cell_holds_but_for_what_is_known(world, name):
    text = world.attempt(PREAMBLE + ALL[name], "reduced")["text"]
    refused = ("PermissionError", "Address family not supported")
    assert text == "held\n" or any(word in text.splitlines()[-1] for word in refused)
