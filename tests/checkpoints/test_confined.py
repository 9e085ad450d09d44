"""The journal works for ordinary users, and for programs in namespaces of their own."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
PYTHON = "/usr/bin/python3"
HOST = """
import shutil, subprocess, sys, tempfile
from pathlib import Path
from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
base = Path(sys.argv[1])
workspace, exchange = base / "workspace", base / "exchange"
workspace.mkdir(); exchange.mkdir()
(workspace / "a").write_text("1"); (workspace / "d").mkdir(); (workspace / "d/x").write_text("x")
options = JournalOptions(base / "store", (workspace,), exchange, python="/usr/bin/python3")
journal = FileJournal(options)
journal.begin("000001", "x")
places = {"WORKSPACE": str(workspace), "EXCHANGE": str(exchange)}
words = [places.get(word, word) for word in sys.argv[2:]]
block = "echo 2 > a; mv d e; rm e/x; echo n > /tmp/private; ln -s a l; cat /proc/1/comm > comm"
done = subprocess.run([*words, *journal.wrap(["sh", "-c", block])], cwd=workspace, timeout=60)
report = journal.end()
print(done.returncode, sorted(Path(c.path).name for c in report.changes), report.notes)
print(journal.undo("000001"), sorted(str(p.relative_to(workspace)) for p in workspace.rglob("*")))
print((workspace / "a").read_text())
journal.close()
"""
EXPECTED = """0 ['a', 'comm', 'e', 'l', 'x'] ()
() ['a', 'd', 'd/x']
1
"""
BUBBLEWRAP = [
    *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
    *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"),
    *("--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),
    *("--bind", "WORKSPACE", "WORKSPACE", "--bind", "EXCHANGE", "EXCHANGE"),
    *("--chdir", "WORKSPACE", "--"),
]
CELLS = {
    "no cell": [],
    "user, process and mount namespaces": ["unshare", "-Urmpf", "--mount-proc"],
    "bubblewrap": BUBBLEWRAP,
}


@pytest.fixture
def base():
    path = Path(tempfile.mkdtemp(prefix="rl-"))
    yield path
    shutil.rmtree(path)


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not installed here: {missing}")
    found = subprocess.run([PYTHON, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"])
    if found.returncode:
        pytest.skip(f"{PYTHON} is too old")


@pytest.mark.parametrize("user", ["root", "an ordinary user"])
@pytest.mark.parametrize("cell", CELLS)
def test_blocks_are_undone_in_every_kind_of_cell(base, cell, user):
    needs(PYTHON, *CELLS[cell][:1])
    identity = {}
    if user != "root" and os.geteuid() == 0:
        identity = {"user": 65534, "group": 65534, "extra_groups": []}
        os.chown(base, 65534, 65534)
    elif (user == "root") != (os.geteuid() == 0):
        pytest.skip("needs root to be root")
    done = subprocess.run(
        [PYTHON, "-c", HOST, str(base), *CELLS[cell]],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE), "HOME": str(base)},
        cwd=base,
        capture_output=True,
        text=True,
        timeout=100,
        **identity,
    )
    if "Operation not permitted" in done.stderr and "shim" not in done.stderr:
        pytest.skip(f"namespaces are off here: {done.stderr.strip()}")
    assert done.stdout == EXPECTED, done.stderr
