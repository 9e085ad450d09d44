"""Whoever wants to lose data by an undo finds no way: odd files, full disks, failing restorations."""

import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from interpreter.checkpoints.journal.client import FileJournal
from tests.checkpoints.conftest import Bench

ANCIENT = 1_000_000_000_000_000_000


def undo(bench, name):
    assert bench.journal.conflicts(1) == ()
    return bench.journal.undo(name)


def python(bench, source):
    return bench.block(sys.executable, "-I", "-c", source)


@pytest.fixture
def file(bench):
    path = bench.workspace / "f"
    path.write_text("before")
    os.utime(path, ns=(ANCIENT, ANCIENT))
    return path


@pytest.mark.parametrize(
    "change",
    [
        "os.utime('f')",
        "os.utime(os.open('f', os.O_RDONLY))",
        "open('f', 'a').write('more')",
        "open('f', 'w').write('other')",
        "os.unlink('f')",
        "os.replace('f', 'g'); open('f', 'w').write('other')",
        "os.chmod('f', 0o600); os.utime('f')",
        "open('f', 'r+').write('BEFORE'); os.utime('f', ns=(10**18, 10**18))",
    ],
)
def test_content_and_time_of_a_file_come_back(bench, file, change):
    name, report = python(bench, f"import os; {change}")
    assert report.changes
    assert undo(bench, name) == ()
    assert (file.read_text(), file.stat().st_mtime_ns) == ("before", ANCIENT)
    bench.journal.redo(name)
    bench.journal.undo(name)
    assert (file.read_text(), file.stat().st_mtime_ns) == ("before", ANCIENT)


def test_the_time_of_a_symlink_itself_comes_back(bench, file):
    (bench.workspace / "link").symlink_to("f")
    os.utime(bench.workspace / "link", ns=(ANCIENT, ANCIENT), follow_symlinks=False)
    name, _ = python(bench, "import os; os.utime('link', (5, 5), follow_symlinks=False)")
    assert undo(bench, name) == ()
    assert (bench.workspace / "link").lstat().st_mtime_ns == ANCIENT


@pytest.mark.parametrize(
    "change",
    [
        "open('f', 'a').write('more')",
        "os.setxattr('f', 'user.note', b'other')",
        "os.removexattr('f', 'user.note')",
        "os.setxattr(os.open('f', os.O_RDWR), 'user.more', b'1')",
        "os.link('f', 'g'); open('f', 'w').write('x'); os.setxattr('f', 'user.more', b'1')",
    ],
)
def test_extended_attributes_come_back(bench, file, change):
    try:
        os.setxattr(file, "user.note", b"mine")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    name, _ = python(bench, f"import os; {change}")
    assert undo(bench, name) == ()
    assert file.read_text() == "before"
    assert {a: os.getxattr(file, a) for a in os.listxattr(file)} == {"user.note": b"mine"}


def test_a_file_with_holes_is_kept_whole_and_as_small_as_it_was(bench):
    path = bench.workspace / "sparse"
    with path.open("wb") as file:
        file.seek(200 << 20)
        file.write(b"middle")
        file.truncate(400 << 20)
    name, report = bench.shell("echo start | dd of=sparse conv=notrunc status=none")
    assert report.notes == ()
    used = sum(image.stat().st_blocks * 512 for image in (bench.store / "done" / name).iterdir())
    assert used < 1 << 20
    assert undo(bench, name) == ()
    assert path.stat().st_size == 400 << 20
    assert path.stat().st_blocks * 512 < 1 << 20
    with path.open("rb") as file:
        assert file.read(5) == bytes(5)
        file.seek(200 << 20)
        assert file.read(7) == b"middle\0"


def test_names_that_are_no_text_or_very_long_come_back(bench):
    names = [b"\xff\xfe", b"a\nb", b"x" * 255, b"'\"\\", "ü".encode(), b" ", b"-rf"]
    for name in names:
        (bench.workspace / os.fsdecode(name)).write_bytes(name)
    before = bench.tree()
    name, report = bench.shell("rm -- *")
    assert len(report.changes) == len(names)
    assert undo(bench, name) == ()
    assert bench.tree() == before


def test_a_way_by_the_number_of_a_process_is_seen(bench, file):
    name, _ = bench.shell("echo one > /proc/$$/cwd/f; exec 5>>f; echo two > /proc/$$/fd/5")
    assert undo(bench, name) == ()
    assert file.read_text() == "before"


def test_pipes_and_sockets_come_back_or_go(bench):
    os.mkfifo(bench.workspace / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(bench.workspace / "s"))
        before = bench.tree()
        name, _ = bench.shell("rm pipe s; mkdir pipe; mkfifo s")
        assert undo(bench, name) == ()
        assert bench.tree() == before


def test_many_files_deleted_at_once_come_back_and_can_be_compared(bench):
    for number in range(5000):
        (bench.workspace / f"{number:05}").write_text(str(number))
    before = bench.tree()
    name, report = bench.shell("ls | head -4000 | xargs rm")
    assert len(report.changes) == 4000
    bench.shell("ls | xargs touch; for i in 00001 00002; do echo new > $i; done; ls | xargs rm")
    assert len(bench.journal.differences(name)) == 4000
    assert bench.journal.conflicts(2) == ()
    bench.journal.undo("000002")
    bench.journal.undo("000001")
    assert bench.tree() == before


def test_a_directory_in_the_place_of_a_file_loses_neither(bench, file):
    name, _ = bench.shell("rm f")
    file.mkdir()
    (file / "mine").write_text("somebody else's")
    (problem,) = bench.journal.undo(name)
    rescued = problem.partition("it is kept as ")[2]
    assert (file / "mine").read_text() == "somebody else's"
    with Path(rescued).open() as kept:
        assert kept.read() == "before"


def test_a_file_that_cannot_be_put_back_is_kept_elsewhere(bench):
    directory = bench.workspace / "d"
    directory.mkdir()
    (directory / "f").write_text("before")
    name, _ = bench.shell("rm d/f")
    directory.rmdir()
    (problem,) = bench.journal.undo(name)
    with Path(problem.partition("it is kept as ")[2]).open() as kept:
        assert kept.read() == "before"


def limit_files_of(bench, size):
    """No file that the journal writes may grow beyond this; what lies beyond is cut short."""
    hard = resource.prlimit(bench.journal.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(bench.journal.pid, resource.RLIMIT_FSIZE, (size, hard))


@pytest.mark.parametrize("answer", [True, False])
def test_what_cannot_be_kept_is_asked_about_and_the_rest_stays_undoable(tmp_path, answer):
    bench = Bench(tmp_path)
    bench.stop()
    asked = []
    bench.journal = FileJournal(bench.options, lambda *what: asked.append(what) or answer)
    for name in ("first", "second", "third"):
        (bench.workspace / name).write_text(name)
    block = bench.next_name()
    bench.journal.begin(block, "")
    bench.run("rm", "first")
    log = (bench.store / "done" / block / "log").stat().st_size
    limit_files_of(bench, log + 10)  # the next line of the log is cut short
    done = bench.run("rm", "-f", "second")
    limit_files_of(bench, resource.RLIM_INFINITY)
    bench.run("rm", "third")
    report = bench.journal.end()
    assert [path for path, _, _ in asked] == [str(bench.workspace / "second")]
    assert (done.returncode == 0) == answer
    assert bool(report.notes) == answer
    assert undo(bench, block) == ()
    assert sorted(bench.tree()) == (["first", "third"] if answer else ["first", "second", "third"])
    bench.stop()


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "store"
    place.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=400", "none", str(place)]
    mounted = subprocess.run(made, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no disk of a size of our own: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk):
    """Leave room for what is written down, and for no file."""
    filler = disk / "filler"
    with pytest.raises(OSError, match="No space"):
        filler.write_bytes(bytes(8 << 20))
    os.truncate(filler, filler.stat().st_size - (32 << 10))
    return filler


def test_an_undo_that_finds_no_room_goes_on_when_there_is_some(small_disk, tmp_path):
    bench = Bench(tmp_path)
    for number in range(20):
        (bench.workspace / f"f{number:02}").write_bytes(bytes([number]) * 100_000)
    before = bench.tree()
    name, _ = bench.shell("for f in f*; do echo other > $f; done; head -c 2000000 /dev/zero > new")
    filler = fill(small_disk)
    with pytest.raises(Exception, match="No space"):
        bench.journal.undo(name)
    filler.unlink()
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
    bench.stop()


def test_an_undo_that_found_no_room_is_finished_before_another_block(small_disk, tmp_path):
    bench = Bench(tmp_path)
    (bench.workspace / "f").write_bytes(b"f" * 100_000)
    before = bench.tree()
    name, _ = bench.shell("rm f; head -c 1000000 /dev/zero > new")
    filler = fill(small_disk)
    for attempt in (lambda: bench.journal.undo(name), lambda: bench.journal.begin("000009", "")):
        with pytest.raises(Exception, match="No space"):
            attempt()
    filler.unlink()
    bench.journal.begin("000009", "")
    bench.journal.end()
    assert bench.tree() == before
    assert [entry.name for entry in bench.journal.blocks()] == ["000009"]
    bench.stop()


def test_what_lay_in_a_renamed_directory_is_no_conflict(bench):
    (bench.workspace / "d").mkdir()
    (bench.workspace / "d" / "a").write_text("before")
    before = bench.tree()
    names = [bench.shell(line)[0] for line in ("echo 1 >> d/a", "mv d e", "echo 2 > e/a")]
    for _ in range(2):
        for name in reversed(names):
            assert undo(bench, name) == ()
        assert bench.tree() == before
        for name in names:
            assert bench.journal.conflicts_of_redo() == ()
            assert bench.journal.redo(name) == ()
    bench.shell("mkdir d; echo new > d/a")
    assert bench.journal.conflicts(4) == ()
