"""Grants that last, and the places a block seems to want."""

import json
from pathlib import Path

import pytest

from interpreter.protocol.errors import ConfigurationError, SandboxUnavailable
from interpreter.sandboxes.cell.held_place import HeldPlace
from interpreter.sandboxes.grants import GrantBook, Granted, Grants, Wish, wanted_paths


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config" / "grants.json"


def test_grants_are_kept_by_workspace(file, workspace, tmp_path):
    GrantBook(file, workspace).add("host", "example.org:443")
    GrantBook(file, workspace).add("read", "/data")
    GrantBook(file, workspace).add("read", "/data")
    assert GrantBook(file, workspace).all("host") == ("example.org:443",)
    assert GrantBook(file, workspace).all("read") == ("/data",)
    assert GrantBook(file, tmp_path / "other").all("read") == ()
    GrantBook(file, workspace).remove("read", "/data")
    assert GrantBook(file, workspace).all("read") == ()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "content", ["", "[]", '{"a": 1}', '{"a": {"x": []}}', '{"a": {"read": [1]}}']
)
def test_a_damaged_file_is_an_error_and_not_an_empty_one(file, workspace, content):
    file.parent.mkdir()
    file.write_text(content)
    with pytest.raises(ConfigurationError, match="mend or delete"):
        GrantBook(file, workspace).all("read")


def test_grants_are_never_read_from_the_workspace(workspace):
    inside = workspace / "grants.json"
    inside.write_text(json.dumps({str(workspace): {"read": ["/"]}}))
    with pytest.raises(ConfigurationError, match="in the workspace"):
        GrantBook(inside, workspace)
    link = workspace.parent / "link.json"
    link.symlink_to(inside)
    with pytest.raises(ConfigurationError, match="in the workspace"):
        GrantBook(link, workspace)


def test_in_a_home_grants_are_read_where_code_cannot_see_them(workspace):
    hidden = workspace / ".config"
    GrantBook(hidden / "grants.json", workspace, [hidden]).add("host", "example.org:443")
    assert GrantBook(hidden / "grants.json", workspace, [hidden]).all("host") == (
        "example.org:443",
    )


class Cell:
    """A cell that notes what it is told."""

    def __init__(self, live):
        self.live = live
        self.shown = []
        self.stuck = ()
        self.closed = False

    def close(self):
        self.closed = True

    def hold(self, path):
        return HeldPlace(path)

    def grant(self, held, access):
        if self.live:
            self.shown.append((held.path, access))
        return self.live

    def revoke(self, path):
        if path in self.stuck:
            raise SandboxUnavailable("it does not go")
        self.shown = [entry for entry in self.shown if entry[0] != path]


def test_what_is_granted_for_a_block_ends_with_it(tmp_path):
    cell = Cell(live=True)
    grants = Grants(cell)
    given = grants.give(grants.hold(tmp_path), "read", "block")
    assert given == Granted(tmp_path, needs_restart=False)
    grants.give(grants.hold(tmp_path.parent), "read", "session")
    grants.end_block()
    assert cell.shown == [(tmp_path.parent, "read")]


def test_one_that_cannot_be_taken_back_keeps_no_other_open_and_closes_the_cell(tmp_path):
    cell = Cell(live=True)
    grants = Grants(cell)
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        grants.give(grants.hold(tmp_path / name), "read", "block")
    cell.stuck = (tmp_path / "a",)
    assert "the sandbox was closed" in grants.end_block()
    assert cell.shown == [(tmp_path / "a", "read")]
    assert cell.closed


def test_what_is_granted_for_a_block_ends_with_it_though_it_is_broken_off(tmp_path):
    cell = Cell(live=True)
    grants = Grants(cell)
    grants.give(grants.hold(tmp_path), "read", "block")
    grants.begin_block()
    assert cell.shown == [(tmp_path, "read")]
    grants.begin_block()
    assert cell.shown == []


def test_a_grant_for_the_workspace_is_kept_and_may_need_a_new_cell(tmp_path, file, workspace):
    book = GrantBook(file, workspace)
    grants = Grants(Cell(live=False), book)
    granted = grants.give(grants.hold(tmp_path), "write", "workspace")
    assert granted == Granted(tmp_path, needs_restart=True)
    assert book.all("write") == (str(tmp_path),)


def test_paths_that_a_block_was_refused_are_found_in_what_it_printed(tmp_path, workspace):
    outside = tmp_path / "with space"
    outside.mkdir()
    (tmp_path / "data.csv").touch()
    (workspace / "inside").touch()
    text = f"""
Traceback (most recent call last):
FileNotFoundError: [Errno 2] No such file or directory: '{tmp_path}/data.csv'
ls: cannot access '{outside}': No such file or directory
cat: {workspace}/inside: Permission denied
cat: /no/such/file/anywhere: No such file or directory
just a mention of {tmp_path}/data.csv
"""
    found = (Wish(tmp_path / "data.csv", "read"), Wish(outside, "read"))
    assert wanted_paths(text, workspace) == found


@pytest.mark.parametrize(
    "text", ["", "\0", "Permission denied: '/" + "a" * 10_000 + "'", "ENOENT ~x/y"]
)
def test_what_comes_out_of_a_cell_may_be_anything(text, workspace):
    assert wanted_paths(text, workspace) == ()


def test_questions_are_few(workspace, tmp_path):
    for number in range(20):
        (tmp_path / str(number)).touch()
    text = "".join(f"EACCES: '{tmp_path}/{number}'\n" for number in range(20))
    assert len(wanted_paths(text, Path(workspace))) == 5


def test_a_place_that_could_not_be_written_is_wanted_for_writing(tmp_path, workspace):
    (tmp_path / "out").mkdir()
    text = f"OSError: [Errno 30] Read-only file system: '{tmp_path}/out/new.txt'"
    assert wanted_paths(text, workspace) == (Wish(tmp_path / "out", "write"),)
    text = f"FileNotFoundError: [Errno 2] No such file or directory: '{tmp_path}/out/new.txt'"
    assert wanted_paths(text, workspace) == (Wish(tmp_path / "out", "read"),)


def test_a_book_may_lie_in_a_hidden_part_of_the_workspace(workspace):
    ours = workspace / ".config/ours"
    with pytest.raises(ConfigurationError):
        GrantBook(ours / "grants.json", workspace)
    book = GrantBook(ours / "grants.json", workspace, hidden=(ours,))
    book.add("read", "/data")
    assert book.all("read") == ("/data",)
