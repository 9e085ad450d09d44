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


DEEP = """
import os
for number in range(60):  # with names of 100 characters: longer than a path may be
    os.mkdir(f'{number:02}'.ljust(100, 'd'))
    os.chdir(f'{number:02}'.ljust(100, 'd'))
open('new', 'w').write('new')
os.symlink('new', 'link')
os.rename('new', 'renamed')
"""


def test_what_lies_deeper_than_a_path_can_say_is_undone_and_redone(bench):
    name, _ = bench.block("python3", "-c", DEEP)
    assert len(walked(bench.workspace)) == 62
    assert bench.journal.undo(name) == ()
    assert walked(bench.workspace) == []
    assert bench.journal.redo(name) == ()
    assert walked(bench.workspace)[-2:] == ["link", "renamed"]
    change = (
        "import os\nfor number in range(60): os.chdir(f'{number:02}'.ljust(100, 'd'))\n"
        "open('renamed', 'a').write('more'); os.unlink('link'); os.chdir('..')\n"
        "os.rename('59'.ljust(100, 'd'), 'short')"
    )
    name, _ = bench.block("python3", "-c", change)
    assert walked(bench.workspace)[-2:] == ["short", "renamed"]
    assert bench.journal.undo(name) == ()
    assert walked(bench.workspace)[-3:] == ["59".ljust(100, "d"), "link", "renamed"]
    removal, _ = bench.shell("rm -r *")
    assert walked(bench.workspace) == []
    assert bench.journal.undo(removal) == ()
    assert walked(bench.workspace)[-2:] == ["link", "renamed"]
    bench.shell("rm -r *")  # what tidies up after the tests cannot


def walked(root):
    """All names below a directory, however deep."""
    flags = os.O_RDONLY | os.O_DIRECTORY
    names, waiting = [], [os.open(root, flags)]
    while waiting:
        here = waiting.pop()
        with os.scandir(here) as entries:
            found = sorted(entries, key=lambda one: one.name)
        names += [entry.name for entry in found]
        inner = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
        waiting += [os.open(name, flags, dir_fd=here) for name in inner]
        os.close(here)
    return names
