"""A list of changes reads well: moves say from where, and caches are one line."""

from interpreter.protocol.changed_files import change_list, files_changed_in, in_one_line
from interpreter.protocol.events import FileChange, FilesChanged
from interpreter.protocol.messages import Message, Output

CHANGES = (
    FileChange("/w/.git/index", "modified", 9),
    FileChange("/w/.git/objects/ab", "added", 9),
    FileChange("/w/data.csv", "modified", 9),
    FileChange("/w/new name", "renamed", 9, "/w/old name"),
    FileChange("/w/sub/__pycache__/x.pyc", "added", 9),
)


def test_moves_say_from_where_and_tools_own_files_are_counted():
    listed = change_list(CHANGES, lambda path: path.removeprefix("/w/"))
    assert [(one.kind, one.text) for one in listed] == [
        ("modified", "data.csv"),
        ("renamed", "old name → new name"),
        ("modified", ".git (2 files)"),
        ("added", "sub/__pycache__ (1 file)"),
    ]


def test_the_line_for_the_model_can_be_read_back():
    line = in_one_line(FilesChanged(CHANGES))
    assert line.startswith("[files: modified /w/data.csv, renamed /w/old name → /w/new name, ")
    assert files_changed_in([Message("computer", (Output(line, "stderr"),))]) == {
        "/w/data.csv": "modified",
        "/w/new name": "renamed",
        "/w/.git (2 files)": "modified",
        "/w/sub/__pycache__ (1 file)": "added",
    }
