"""The undo engine has more rights than the cell: nothing inside may borrow them."""

import os
import socket
import stat
import sys

import pytest


@pytest.fixture
def outside(tmp_path):
    directory = tmp_path / "outside"
    directory.mkdir()
    (directory / "treasure").write_text("gold")
    (directory / "sub").mkdir()
    (directory / "sub" / "victim").write_text("alive")
    return directory


def secrets(outside):
    return {p.name: (p.read_text(), p.stat().st_mode) for p in outside.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "trick",
    [
        "rm d/victim; rmdir d; ln -s {outside}/sub d",
        "rm d/victim; rm -r d; ln -s {outside} d; mkdir e; mv d e/d; ln -s e/d d",
        "mv d kept; ln -s {outside}/sub d",
        "echo x > d/victim; mv d gone; ln -s {outside}/sub d",
        "chmod 600 d/victim; mv d gone; ln -s {outside}/sub d",
        "ln -s {outside}/treasure t; echo hacked > t",
    ],
)
def test_an_undo_follows_no_symlink_out_of_the_workspace(bench, outside, trick):
    directory = bench.workspace / "d"
    directory.mkdir()
    (directory / "victim").write_text("inside")
    bench.shell("echo harmless > d/new; echo more >> d/victim")
    name, _ = bench.shell(trick.format(outside=outside))
    expected = secrets(outside)
    bench.journal.undo(name)
    assert secrets(outside) == expected


def test_a_symlink_put_in_the_way_later_is_not_followed(bench, outside):
    name, _ = bench.shell("mkdir d; echo made > d/victim")
    (bench.workspace / "d" / "victim").unlink()
    (bench.workspace / "d").rmdir()
    (bench.workspace / "d").symlink_to(outside / "sub")
    expected = secrets(outside)
    bench.journal.undo(name)
    assert secrets(outside) == expected
    assert (bench.workspace / "d").is_symlink()


def test_the_log_and_the_images_are_for_us_alone(bench):
    (bench.workspace / "a").write_text("private")
    bench.shell("echo x > a")
    for path in (bench.store, bench.store / "done", *bench.store.glob("done/*")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_strangers_at_the_door_do_no_harm(bench):
    address = str(bench.exchange / "journal.sock")
    for word in (b"", b"L\0\0\0\0", b"E", b"nonsense" * 100):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(address)
            stranger.sendall(word)
    with open("/dev/null") as other, socket.socket(socket.AF_UNIX) as stranger:  # noqa: PTH123
        stranger.connect(address)
        socket.send_fds(stranger, [b"L\0\0\0\0"], [other.fileno()])
    name, report = bench.shell("echo 1 > a")
    assert [change.kind for change in report.changes] == ["added"]
    assert bench.journal.undo(name) == ()


def test_paths_without_an_end_and_rubbish_are_survived(bench):
    source = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.open(None, os.O_WRONLY)
libc.open(ctypes.c_char_p(b"/" + b"x" * 100000), os.O_WRONLY | os.O_CREAT)
libc.rename(ctypes.c_char_p(b"a/../../../../../../etc/passwd"), ctypes.c_char_p(b"stolen"))
libc.open(ctypes.c_char_p(b"\\xff\\xfe name \\n new line"), os.O_WRONLY | os.O_CREAT, 0o644)
libc.openat(12345, ctypes.c_char_p(b"x"), os.O_WRONLY | os.O_CREAT)
os.symlink("loop", "loop")
libc.open(ctypes.c_char_p(b"loop"), os.O_WRONLY | os.O_CREAT)
"""
    before = bench.tree()
    name, report = bench.block("python3", "-c", source)
    assert bench.tree() != before
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before


def test_detours_into_the_workspace_are_seen(bench, tmp_path):
    (bench.workspace / "a").write_text("1")
    (tmp_path / "detour").symlink_to(bench.workspace)
    before = bench.tree()
    name, _ = bench.shell(
        f"echo 2 > {tmp_path}/detour/a; cd /; echo 3 > {bench.workspace}/../workspace/./b; "
        f"cd {bench.workspace}; exec 3> c; echo 4 > /proc/self/fd/3; echo 5 > /dev/fd/3; "
        f"echo 6 > /proc/self/cwd/d; mv {tmp_path}/detour/a {tmp_path}/elsewhere"
    )
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
    os.unlink(tmp_path / "elsewhere")  # noqa: PTH108


def test_a_directory_that_leaves_the_workspace_comes_back(bench, tmp_path):
    (bench.workspace / "d" / "e").mkdir(parents=True)
    (bench.workspace / "d" / "e" / "f").write_text("content")
    before = bench.tree()
    name, report = bench.shell(f"mv d {tmp_path}/away")
    assert bench.tree() == {}
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
    assert [change.kind for change in report.changes] == ["deleted"]


def test_a_directory_that_comes_in_goes_out_of_sight(bench, tmp_path):
    (tmp_path / "incoming" / "deep").mkdir(parents=True)
    (tmp_path / "incoming" / "deep" / "f").write_text("content")
    name, _ = bench.shell(f"mv {tmp_path}/incoming in")
    after = bench.tree()
    assert bench.journal.undo(name) == ()
    assert bench.tree() == {}
    assert bench.journal.redo(name) == ()
    assert bench.tree() == after


NEW_CALLS = """
import ctypes, os
call = ctypes.CDLL(None, use_errno=True).syscall
class Value(ctypes.Structure):
    _fields_ = [("value", ctypes.c_uint64), ("size", ctypes.c_uint32), ("flags", ctypes.c_uint32)]
text = ctypes.create_string_buffer(b"new")
value = Value(ctypes.addressof(text), 3, 0)
call(463, -100, b"a", 0, b"user.mark", ctypes.byref(value), 16)  # setxattrat
call(466, -100, b"a", 0, b"user.mark")  # removexattrat
"""
WHITEOUT = """
import ctypes
call = ctypes.CDLL(None, use_errno=True).renameat2
if call(-100, b"a", -100, b"b", 4):
    raise OSError(ctypes.get_errno(), "no whiteout")
"""


def test_calls_newer_than_we_are_change_nothing_unseen(bench):
    file = bench.workspace / "a"
    file.write_text("a")
    try:
        os.setxattr(file, "user.mark", b"old")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    bench.block(sys.executable, "-I", "-c", NEW_CALLS)
    assert os.getxattr(file, "user.mark") == b"old"


def test_what_a_rename_leaves_behind_goes_with_an_undo(bench):
    (bench.workspace / "a").write_text("a")
    before = bench.tree()
    name, _ = bench.block(sys.executable, "-I", "-c", WHITEOUT)
    assert (bench.workspace / "b").read_text() == "a"
    bench.journal.undo(name)
    assert bench.tree() == before
