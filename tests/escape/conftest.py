"""The worlds in which the escape suite is tried: as root, as an ordinary user, and as root again
in a workspace that belongs to an ordinary user."""

import atexit
import compileall
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PEOPLE = ("root for a user", "root", "user")
WHERE = "/home" if os.getuid() == 0 else None  # a place that an ordinary user may enter
# No account is needed to be somebody without rights; a number of one's own, since limits of the
# machine count all processes of a number, also those of tests that run at the same time.
ORDINARY = 20_000 + os.getpid() % 40_000


def pytest_collection_modifyitems(config, items):
    """Each attack as one of the people, always the same; `make test-escape` tries it as all."""
    if os.environ.get("ESCAPE") == "all" or os.getuid() != 0:
        return
    tried = {}
    for item in items:
        who = _who(item)
        if who:
            tried.setdefault(item.nodeid.replace(who, "*", 1), []).append(item)
    left_out = set()
    for attack, as_people in tried.items():
        chosen = zlib.crc32(attack.encode()) % len(as_people)
        in_order = sorted(as_people, key=lambda item: item.nodeid)
        left_out.update(item for item in in_order if item is not in_order[chosen])
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _who(item):
    if not hasattr(item, "callspec") or not item.path.is_relative_to(HERE):
        return ""
    parameters = item.callspec.params.values()
    return next((one for one in parameters if isinstance(one, str) and one in PEOPLE), "")


@functools.cache
def readable_source():
    """A copy of our source that everybody may read, for all tests of this process."""
    base = Path(tempfile.mkdtemp(prefix="reploop-source-", dir=WHERE))
    atexit.register(shutil.rmtree, base)
    base.chmod(0o755)
    half_written = shutil.ignore_patterns("*.pyc.*")  # by a test that runs at the same time
    shutil.copytree(HERE.parents[1] / "src/interpreter", base / "interpreter", ignore=half_written)
    compileall.compile_dir(base, quiet=1)  # nobody else could write that
    return str(base)


class World:
    """A driver process as somebody, with a cell and a place without walls."""

    def __init__(self, prefix, python, base, driver="driver.py", owner=""):
        shutil.copy(HERE / driver, base)
        argv = [*prefix, python, str(base / driver), readable_source(), str(base / "home"), owner]
        self._driver = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=base
        )
        self.facts = self._answer()

    def attempt(self, code, where="cell", **options):
        return self.ask(code=code, where=where, **options)

    def ask(self, **request):
        self._driver.stdin.write(json.dumps(request) + "\n")
        self._driver.stdin.flush()
        return self._answer()

    def _answer(self):
        line = self._driver.stdout.readline()
        assert line, f"the driver ended with status {self._driver.wait(60)}"
        return json.loads(line)

    def close(self):
        with self._driver:
            self._driver.stdin.close()
        return self._driver.returncode


def as_user(path):
    """The command that makes what follows run without rights, and who then owns `path`."""
    if os.getuid() != 0:
        return []
    os.chown(path, ORDINARY, ORDINARY)
    number = str(ORDINARY)
    return ["setpriv", "--reuid", number, "--regid", number, "--clear-groups", "--"]


def python_for(prefix):
    """A Python that somebody may run; the one of the tests may be hidden in root's home."""
    check = (
        "import os, sys; real = os.path.realpath(sys.executable);"
        "sys.exit(sys.version_info < (3, 11) or not os.access(real, os.X_OK))"
    )
    for candidate in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        command = [*prefix, candidate, "-c", check]
        if subprocess.run(command, capture_output=True, cwd="/").returncode == 0:
            return candidate
    return None


def open_world(who, driver="driver.py"):
    if who.startswith("root") and os.getuid() != 0:
        pytest.skip("the tests do not run as root")
    base = Path(tempfile.mkdtemp(prefix="reploop-escape-", dir=WHERE))
    base.chmod(0o755)
    prefix = as_user(base) if who == "user" else []
    python = python_for(prefix)
    if python is None:
        shutil.rmtree(base)
        pytest.skip("an ordinary user has no Python 3.11 or newer here: apt install python3")
    owner = str(ORDINARY) if who == "root for a user" else ""
    return World(prefix, python, base, driver, owner), base


@pytest.fixture(scope="module", params=["root", "user", "root for a user"])
def world(request):
    yield from lasting(request.param, "driver.py")


@pytest.fixture(scope="module", params=["root", "user"])
def guarded_world(request):
    yield from lasting(request.param, "guard_driver.py")


def lasting(who, driver):
    world, base = open_world(who, driver)
    world.who = who
    yield world
    status = world.close()
    shutil.rmtree(base)
    assert status == 0


@pytest.fixture(params=["root", "user"])
def scenario(request):
    """Runs one of the scenarios of a script by its name, as somebody; what it says."""
    if request.param == "root" and os.getuid() != 0:
        pytest.skip("the tests do not run as root")
    base = Path(tempfile.mkdtemp(prefix="reploop-scenario-", dir=WHERE)).resolve()
    base.chmod(0o755)
    prefix = as_user(base) if request.param == "user" else []
    python = python_for(prefix)
    if python is None:
        pytest.skip("an ordinary user has no Python 3.11 or newer here: apt install python3")

    def run(script, name):
        shutil.copy(HERE / script, base)
        command = [*prefix, python, str(base / script), readable_source(), str(base), name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd="/")
        return done.stdout + done.stderr

    yield run
    shutil.rmtree(base)
