"""Random programs made of real tools, block after block, with somebody else's edits in between."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.timeout(600)  # many programs, and machines that have other work

FILES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/c", "new", "d/new", "e/x"])
GIT = "git -c user.name=a -c user.email=a@b -c gc.auto=0"
SQL = "import sqlite3 as s; c = s.connect({!r}); {}; c.commit(); c.close()"
PIECES = (
    "echo {0} >> {0}",
    "sed -i s/a/b/ {0}",
    "mv {0} {1}",
    "cp -r d {1}.copy",
    "rm -rf {0}",
    "rm -rf d",
    "mkdir -p d/e e",
    "ln -sf {0} link",
    "ln -f {0} {1}",
    "chmod 640 {0}",
    "truncate -s 3 {0}",
    "install -m 600 {0} {1}",
    "tar cf all.tar d; rm -rf d; tar xf all.tar",
    "tar czf {1} --exclude={1} .; tar xzf {1} -C e",
    "find . -name '*.copy' -prune -exec rm -r {{}} +",
    "git init -q . && git add -A && {git} commit -qm x",
    "{git} stash -qu",
    "git checkout -q -- .; git clean -fdq",
    "{git} gc -q",
    "{python} -c {insert}",
    "{python} -c {update}",
    "{python} -m zipfile -c d/z.zip {0} && {python} -m zipfile -e d/z.zip e",
    "{python} -m compileall -q . ; {python} -m pip --version > {0}",
    "{node}",
)
WORDS = {
    "git": GIT,
    "python": shlex.quote(sys.executable),
    "insert": shlex.quote(
        SQL.format("s.db", "c.execute('create table if not exists t (x)'), "
                   "c.executemany('insert into t values (?)', [(i,) for i in range(99)])")
    ),
    "update": shlex.quote(SQL.format("s.db", "c.execute('pragma journal_mode=wal'), "
                                     "c.execute('create table if not exists t (x)'), "
                                     "c.execute('update t set x = x + 1')")),
    "node": "node -e " + shlex.quote(
        "const f = require('fs'); f.writeFileSync('n.txt', 'x'); f.appendFileSync('a', 'n');"
        "f.mkdirSync('n/m', {recursive: true}); f.rmSync('e', {recursive: true, force: true})"
    ) if shutil.which("node") else "true",
}  # fmt: skip
PIECE = st.builds(
    lambda text, one, other: text.format(one, other, **WORDS), st.sampled_from(PIECES), FILES, FILES
)
PROGRAM = st.lists(PIECE, min_size=1, max_size=4).map("; ".join)
SCALE = int(os.environ.get("RANDOM_PROGRAMS", "25"))


class Shell:
    """A bash under the journal that stays, so that only what it starts takes time."""

    def __init__(self, bench):
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        argv = bench.journal.wrap(["bash"])
        self._process = subprocess.Popen(
            argv, cwd=bench.workspace, stdin=pipe, stdout=pipe, stderr=nowhere, text=True
        )

    def run(self, source):
        self._process.stdin.write(f"( {source} ) > /dev/null < /dev/null; echo done\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


@pytest.fixture
def shell(bench):
    shell = Shell(bench)
    yield shell
    shell.close()


def start_afresh(bench, shell):
    bench.journal.begin(bench.next_name(), "start")
    shell.run(
        "find . -mindepth 1 -delete; mkdir -p d/e e; echo aa > a; echo da > d/a; echo c > d/e/c"
    )
    bench.journal.end()


@settings(
    max_examples=max(10, SCALE // 2),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(blocks=st.lists(PROGRAM, min_size=1, max_size=4), edited=st.sets(st.integers(0, 3)))
def test_programs_of_real_tools_are_undone_around_the_edits_of_somebody_else(
    bench, shell, blocks, edited
):
    start_afresh(bench, shell)
    trees, names, mine = [bench.tree()], [], {}
    for number, program in enumerate(blocks):
        names.append(bench.next_name())
        bench.journal.begin(names[-1], program)
        shell.run(program)
        bench.journal.end()
        trees.append(bench.tree())
        if number in edited:  # later blocks may take it away, and an undo brings it back
            (bench.workspace / f"mine-{number}").write_text(f"mine {number}")
            mine[number] = bench.tree()[f"mine-{number}"]

    def expected(index):
        """The tree before a block, with what somebody wrote after it was looked at."""
        later = {f"mine-{number}": entry for number, entry in mine.items() if number + 1 >= index}
        return {**trees[index], **later}

    for index in reversed(range(len(names))):
        assert bench.journal.conflicts(1) == ()
        assert bench.journal.undo(names[index]) == ()
        assert bench.tree() == expected(index)
    for index, name in enumerate(names):
        assert bench.journal.redo(name) == ()
        assert bench.tree() == expected(index + 1)
