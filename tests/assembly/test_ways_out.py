"""What programs that run without a question could reach others by."""

import os
import socket

import pytest

from interpreter.assembly.cell import ways_out as module
from interpreter.assembly.cell.ways_out import ways_out
from interpreter.protocol.errors import SandboxUnavailable


def test_pipes_and_sockets_are_found_however_deep_and_no_file_directory_or_link(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (deep / "link").symlink_to("/dev/null")
    os.mkfifo(deep / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    assert sorted(ways_out([tmp_path])) == [deep / "pipe", tmp_path / "socket"]


def test_a_place_that_is_a_file_or_a_pipe_is_looked_at_itself(tmp_path):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    assert ways_out([tmp_path / "file", tmp_path / "pipe"]) == (tmp_path / "pipe",)


def test_where_there_is_too_much_to_look_at_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    for name in "abc":
        (tmp_path / name).write_text(name)
    with pytest.raises(SandboxUnavailable, match="too many files"):
        ways_out([tmp_path])
