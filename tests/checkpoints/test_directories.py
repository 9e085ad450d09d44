"""Directories come back as they were: their times, their extended attributes, however deep."""

import os

import pytest

DATE = 1_000_000_000 * 10**9


def age(*paths):
    for path in paths:
        os.utime(path, ns=(DATE, DATE))


def test_the_time_of_a_directory_comes_back_with_its_names_and_goes_forward_again(bench):
    inner = bench.workspace / "d" / "e"
    inner.mkdir(parents=True)
    (inner / "a").write_text("a")
    age(inner, inner.parent, bench.workspace)
    before = bench.tree()
    name, _ = bench.shell(
        "mv d moved; echo b > moved/e/b; rm moved/e/a; mkdir moved/new; touch -d 2001-01-01 moved"
    )
    after = bench.tree()
    for _ in range(2):
        assert bench.journal.undo(name) == ()
        assert bench.tree() == before
        assert bench.workspace.stat().st_mtime_ns == DATE
        assert bench.journal.redo(name) == ()
        assert bench.tree() == after


def test_a_removed_tree_comes_back_with_the_times_of_its_directories(bench):
    (bench.workspace / "d" / "empty").mkdir(parents=True)
    (bench.workspace / "d" / "a").write_text("a")
    age(bench.workspace / "d" / "empty", bench.workspace / "d", bench.workspace)
    before = bench.tree()
    name, _ = bench.shell("rm -r d")
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before


def test_a_directory_in_which_somebody_else_made_a_file_since_keeps_its_time(bench):
    place = bench.workspace / "d"
    place.mkdir()
    age(place)
    name, _ = bench.shell("echo a > d/a")
    (place / "mine").write_text("mine")
    assert bench.journal.undo(name) == ()
    assert [path.name for path in place.iterdir()] == ["mine"]
    assert place.stat().st_mtime_ns > DATE


def test_extended_attributes_of_a_directory_come_back_and_go_forward_again(bench):
    place, gone = bench.workspace / "d", bench.workspace / "gone"
    place.mkdir()
    gone.mkdir()
    try:
        os.setxattr(place, "user.mark", b"old")
        os.setxattr(gone, "user.mark", b"gone")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    change = (
        "import os; os.setxattr('d', 'user.mark', b'new'); os.setxattr('d', 'user.more', b'1')\n"
        "os.rmdir('gone'); os.mkdir('made'); os.setxattr('made', 'user.mark', b'made')"
    )
    name, _ = bench.block("python3", "-c", change)
    for _ in range(2):
        assert bench.journal.undo(name) == ()
        assert attributes(place) == {"user.mark": b"old"}
        assert attributes(gone) == {"user.mark": b"gone"}
        assert bench.journal.redo(name) == ()
        assert attributes(place) == {"user.mark": b"new", "user.more": b"1"}
        assert attributes(bench.workspace / "made") == {"user.mark": b"made"}


def attributes(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def test_what_a_rename_could_not_replace_is_kept_when_it_is_changed_after_all(bench):
    (bench.workspace / "d").mkdir(mode=0o755)
    before = bench.tree()
    change = (
        "import os; open('new', 'w').close()\n"
        "try: os.rename('new', 'd')\n"
        "except IsADirectoryError: os.chmod('d', 0o700)"
    )
    name, _ = bench.block("python3", "-c", change)
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
