"""Whatever a block does to files, undo gives back the same tree, and redo the one after.

A run undoes and redoes more than 250 random blocks; RANDOM_PROGRAMS=2000 is for a night.
"""

import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.timeout(600)  # many programs, and machines that have other work

PATHS = st.sampled_from([
    "a",
    "b",
    "c",
    "d",
    "d/a",
    "d/b",
    "d/d",
    "d/d/a",
    "e",
    "e/a",
    "e/d",
    "link",
    "link/a",
])
TEXTS = st.text(alphabet="xyz\n", max_size=12)
OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(["write", "append", "edit"]), PATHS, TEXTS),
    st.tuples(st.sampled_from(["unlink", "mkdir", "rmdir", "touch", "age"]), PATHS),
    st.tuples(st.sampled_from(["rename", "rename", "link", "exchange"]), PATHS, PATHS),
    st.tuples(st.just("symlink"), PATHS, st.sampled_from(["a", "d", "../a", "nowhere"])),
    st.tuples(st.just("chmod"), PATHS, st.sampled_from([0o600, 0o644, 0o755, 0o700])),
    st.tuples(st.just("truncate"), PATHS, st.integers(0, 20)),
    st.tuples(st.just("fifo"), st.sampled_from(["p", "d/p"])),
)
PROGRAMS = st.lists(OPERATIONS, min_size=1, max_size=14)
RANDOM = settings(
    max_examples=int(os.environ.get("RANDOM_PROGRAMS", "25")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def empty(bench):
    for entry in bench.workspace.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


@pytest.mark.parametrize("part", range(6))
@RANDOM
@given(start=PROGRAMS, blocks=st.lists(PROGRAMS, min_size=1, max_size=3))
def test_a_program_is_undone_and_redone_exactly(bench, part, start, blocks):
    empty(bench)
    bench.operations(("mkdir", "d"), ("write", "a", "aa"), ("write", "d/a", "da"), *start)
    trees, names = [bench.tree()], []
    for program in blocks:
        names.append(bench.operations(*program)[0])
        trees.append(bench.tree())
    for _ in range(2):
        for index in reversed(range(len(names))):
            assert bench.journal.conflicts(1) == ()
            assert bench.journal.undo(names[index]) == ()
            assert bench.tree() == trees[index]
        for index, name in enumerate(names):
            assert bench.journal.redo(name) == ()
            assert bench.tree() == trees[index + 1]


EDITS = st.lists(
    st.tuples(st.sampled_from(["write", "append", "unlink", "replace"]), PATHS),
    min_size=1,
    max_size=4,
)


def edit_as_somebody_else(bench, edits):
    """Change files behind the journal's back; the marks that were left in them."""
    marks = {}
    for number, (kind, name) in enumerate(edits):
        path = bench.workspace / name
        mark = f"<mine {number}>"
        if path.is_symlink() or path.is_fifo() or path.is_dir() or not path.parent.is_dir():
            continue
        if kind == "unlink":
            path.unlink(missing_ok=True)
            marks.pop(path.resolve(), None)
        elif kind == "replace":
            (bench.workspace / "mine.new").write_text(mark)
            (bench.workspace / "mine.new").rename(path)
            marks[path.resolve()] = mark
        else:
            with path.open("w" if kind == "write" else "a") as file:
                file.write(mark)
            marks[path.resolve()] = mark
    return set(marks.values())


@RANDOM
@given(start=PROGRAMS, block=PROGRAMS, edits=EDITS)
def test_what_somebody_else_wrote_survives_every_undo(bench, start, block, edits):
    empty(bench)
    bench.operations(("mkdir", "d"), ("write", "a", "aa"), ("write", "d/a", "da"), *start)
    name, _ = bench.operations(*block)
    marks = edit_as_somebody_else(bench, edits)
    conflicts = bench.journal.conflicts(1)
    bench.journal.undo(name, conflicts)
    contents = b"".join(
        content for _, content, *_ in bench.tree().values() if isinstance(content, bytes)
    )
    assert [mark for mark in marks if mark.encode() not in contents] == []
