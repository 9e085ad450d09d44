"""What it costs to be able to go back: files by the journal and by git, variables by copies."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from bench.table import seconds, show
from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.checkpoints.shadow_git import ShadowGit, ShadowOptions
from interpreter.checkpoints.transaction import Transaction
from interpreter.checkpoints.variables.python import ENVIRONMENT, PythonVariables
from interpreter.protocol.events import OutputDelta
from interpreter.protocol.messages import Code
from interpreter.runtimes.kernel.python import PythonOptions, python_kernel
from interpreter.sandboxes.backends.none import OpenCell

FILES = 100_000
THREE = "echo 1 >> d0/f0; rm -f d1/f1; echo 2 > d2/new"
MIXED = (
    "rm -rf a; mv b c; sed -i s/1/x/ d/*; for i in $(seq 30); do echo 1 >> e/$i; done; "
    "truncate -s 1 f/1 f/2; chmod 600 f/3; ln -s f g"
)


def main():
    with tempfile.TemporaryDirectory() as base:
        show("Files", [HEAD, *_files(Path(base))])
    with tempfile.TemporaryDirectory(prefix="rb-") as base:
        show("Variables", [HEAD, *_variables(Path(base))])


HEAD = ("", "measured", "baseline", "ratio", "goal")


def _row(what, measured, baseline, goal):
    ratio = f"{measured / baseline:.1f}" if baseline else ""
    shown = f"{baseline * 1e3:.1f} ms" if baseline else ""
    return what, f"{measured * 1e3:.1f} ms", shown, ratio, goal


class Place:
    """A workspace with a journal, and a shell in it that is under the journal, or not."""

    def __init__(self, base):
        self.base = base
        self.workspace, exchange = base / "workspace", base / "exchange"
        self.workspace.mkdir()
        exchange.mkdir()
        options = JournalOptions(base / "store", (self.workspace,), exchange)
        self.journal = FileJournal(options)
        self.journal.blocks()
        self.count = 0

    def begin(self):
        self.count += 1
        self.journal.begin(f"{self.count:06}", "")

    def undo(self):
        self.journal.undo(f"{self.count:06}")

    def shell(self, *, journalled):
        argv = ["bash"]
        return Shell(self.journal.wrap(argv) if journalled else argv, self.workspace)


class Shell:
    """A bash that stays, so that starting it is not measured."""

    def __init__(self, argv, cwd):
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(argv, cwd=cwd, stdin=pipe, stdout=pipe)
        self("true")

    def __call__(self, source):
        self._process.stdin.write(f"{source}\necho done\n".encode())
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"done\n"

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def _files(base):
    place = Place(base)
    under, free = place.shell(journalled=True), place.shell(journalled=False)
    yield from _small_copies(place, under, free)
    yield _mixed(place, under)
    yield from _large_tree(place, under, free)
    under.close()
    free.close()
    place.journal.close()


def _fill(directory, files, per_directory=50):
    for number in range(files):
        where = directory / f"d{number // per_directory}"
        if number % per_directory == 0:
            where.mkdir(parents=True)
        (where / f"f{number % per_directory}").write_text(f"content of file {number}\n" * 8)


def _small_copies(place, under, free):
    _fill(place.workspace / "tree", 3500)

    def copy(shell):
        shell("cp -r tree copy")

    def journalled():
        place.begin()
        copy(under)
        place.journal.end()

    baseline = _repeat(lambda: copy(free), lambda: shutil.rmtree(place.workspace / "copy"))
    measured = _repeat(journalled, place.undo)
    yield _row("cp -r of 3,500 files", measured, baseline, "≤ 6 ×")
    read = "cat tree/*/* > /dev/null"
    place.begin()
    measured = seconds(lambda: under(read), times=7)
    baseline = seconds(lambda: free(read), times=7)
    yield _row("reading 3,500 files", measured, baseline, "no cost")
    shutil.rmtree(place.workspace / "tree")


def _repeat(action, clean, times=5):
    """The least time of an action that has to be taken back each time."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
        clean()
    return min(found)


def _mixed(place, under):
    for name, files in (("a", 300), ("b", 60), ("d", 30), ("e", 30), ("f", 12)):
        (place.workspace / name).mkdir()
        for number in range(files):
            (place.workspace / name / str(number)).write_text("1\n")
    found = []
    for _ in range(7):
        place.begin()
        under(MIXED)
        place.journal.end()
        start = time.perf_counter()
        place.undo()
        found.append(time.perf_counter() - start)
    return _row("undo of 432 mixed paths", min(found), 0, "≤ 50 ms")


def _large_tree(place, under, free):
    for entry in place.workspace.iterdir():
        shutil.rmtree(entry)
    _fill(place.workspace, FILES)

    def journalled():
        place.begin()
        under(THREE)
        place.journal.end()

    bare = seconds(lambda: free(THREE), times=15)
    measured = seconds(journalled, times=15)
    yield _row(f"3 changes among {FILES:,} files", measured, bare, "≤ 10 ms more")
    git = ShadowGit(ShadowOptions(place.base / "git", place.workspace))
    start = time.perf_counter()
    git.begin("000001", "")
    yield _row("  first snapshot of shadow git", time.perf_counter() - start, 0, "9–24 s")

    def by_git():
        git.begin("000002", "")
        free(THREE)
        git.end()

    yield _row("  the same by shadow git", seconds(by_git, times=3), measured, "≈ 300 ms")


class Kernel:
    """Our Python kernel; bare, or with variables that are kept."""

    def __init__(self, base, variables=None):
        self._cell = OpenCell(base)
        options = PythonOptions(env=ENVIRONMENT, companion=variables)
        self._runtime = python_kernel(self._cell.launch, self._cell.exchange, options)
        self.run("pass")

    def run(self, source):
        return "".join(e.text for e in self._runtime.run(source) if isinstance(e, OutputDelta))

    def close(self):
        self._runtime.close()
        self._cell.close()


def _variables(base):
    bare_kernel = Kernel(base)
    bare = _rested(lambda: bare_kernel.run("pass"))
    bare_kernel.close()
    variables = PythonVariables(base)
    kernel = Kernel(base, variables)
    yield from _round_trip(base, kernel, variables, bare)
    for megabytes, goal in ((100, "≤ 3 ms"), (1000, "≤ 10 ms")):
        kernel.run(f"import numpy; array = numpy.ones({megabytes} << 17)")
        yield _row(f"copy with {megabytes} MB", _copy(kernel, variables), 0, goal)
        kernel.run(f"array = None; data = bytearray(b'x') * ({megabytes} << 20)")
        yield _row(f"copy with {megabytes} MB of bytes", _copy(kernel, variables), 0, goal)
        kernel.run("data = None")
    kernel.run("array = numpy.ones(1000 << 17)")
    undone = sorted(_undo(kernel, variables, number) for number in range(15))
    yield _row("undo of a block beside 1 GB, median", undone[7], 0, "≤ 50 ms")
    yield _row("  the least", undone[0], 0, "")
    variables.before("crash")
    start = time.perf_counter()
    kernel.run("array[0] = 2; import os; os._exit(1)")
    assert kernel.run("print(array[0])") == "1.0\n"
    yield _row("1 GB back after a crash", time.perf_counter() - start, 0, "≤ 0.1 s")
    kernel.close()
    variables.close()


def _copy(kernel, variables):
    """The least time until a copy has said that it is there; a request and its reply included."""
    found = []
    for number in range(5):
        variables.touched()
        start = time.perf_counter()
        variables.keep_now(f"copy-{time.monotonic_ns()}-{number}")
        found.append(time.perf_counter() - start)
    return min(found)


def _undo(kernel, variables, number):
    variables.before(f"undo-{number}")
    kernel.run(f"x = 1; array[{number}] = 2")
    while not variables.state:  # the copy for redo is made when nobody waits
        time.sleep(0.01)
    start = time.perf_counter()
    variables.keep_now(f"redo-{number}")
    variables.restore(f"undo-{number}")
    return time.perf_counter() - start


def _round_trip(base, kernel, variables, bare):
    workspace = base / "workspace"
    workspace.mkdir()
    journal = FileJournal(JournalOptions(base / "store", (workspace,), base))
    checkpoints = Transaction(journal, workspace)
    checkpoints.attach("python", variables)

    def block():
        checkpoints.begin(Code("python", "pass"))
        kernel.run("pass")
        checkpoints.end()

    measured = _rested(block)
    journal.close()
    yield _row("block, everything on", measured, bare, "≤ 2 ×")


def _rested(action):
    """The median time of something that is done after a pause, as long as a model thinks."""
    found = []
    for _ in range(40):
        time.sleep(0.1)
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return sorted(found)[len(found) // 2]


if __name__ == "__main__":
    main()
