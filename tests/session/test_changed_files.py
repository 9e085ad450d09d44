from interpreter.protocol.changed_files import (
    FAILED_AND_BACK,
    IN_ITS_PLACE,
    TAKEN_BACK,
    files_changed_in,
    in_one_line,
)
from interpreter.protocol.events import FileChange, FilesChanged
from interpreter.protocol.messages import Message, Output


def block(*changes, after=""):
    changed = FilesChanged(tuple(FileChange(path, kind) for kind, path in changes))
    parts = [Output("printed\n"), Output(in_one_line(changed), "stderr")]
    return Message("computer", (*parts, *([Output(after, "stderr")] if after else [])))


def test_changes_add_up_to_how_things_stand():
    conversation = [
        block(("added", "/w/a, b.csv"), ("modified", "/w/old.py")),
        block(("added", "/w/scratch"), ("deleted", "/w/data")),
        block(("modified", "/w/a, b.csv"), ("deleted", "/w/scratch"), ("added", "/w/data")),
    ]
    assert files_changed_in(conversation) == {
        "/w/old.py": "modified",
        "/w/a, b.csv": "added",
        "/w/data": "added",
    }


def test_more_files_than_are_named_are_counted_and_no_name_is_made_up():
    many = block(*(("added", f"/w/{n}") for n in range(20)))
    assert in_one_line(FilesChanged(())) == "[files: ]\n"
    assert list(files_changed_in([many])) == [f"/w/{n}" for n in range(8)]


def test_what_was_taken_back_and_what_is_only_printed_does_not_count():
    dry = block(("added", "/w/a"), after=f"{TAKEN_BACK}: 1 file]\n")
    printed = Message("computer", (Output("log: [files: added /w/b]\n"),))
    assert files_changed_in([dry, printed]) == {}


def test_what_runs_in_the_place_of_another_block_takes_the_changes_of_that_one_alone_with_it():
    first = block(("added", "/w/a"))
    second = block(("modified", "/w/b"))
    looked = Message("computer", (Output("only looked at\n"),))
    instead = block(("modified", "/w/c"), after=f"{IN_ITS_PLACE}: 1 file]\n")
    assert files_changed_in([first, second, looked, instead]) == {
        "/w/a": "added",
        "/w/c": "modified",
    }
    failed = f"{IN_ITS_PLACE}: 1 file]\n", f"{FAILED_AND_BACK}: 1 file]\n"
    parts = tuple(Output(text, "stderr") for text in failed)
    both = Message("computer", (*block(("deleted", "/w/d")).parts, *parts))
    assert files_changed_in([first, second, both]) == {"/w/a": "added"}


def test_a_program_that_only_prints_that_something_was_taken_back_takes_nothing_back():
    first = block(("deleted", "/w/a"))
    lies = Message("computer", (Output(f"{IN_ITS_PLACE}: 1 file]\n"),))
    assert files_changed_in([first, lies]) == {"/w/a": "deleted"}


def test_names_that_are_no_text_or_pretend_to_be_ours_are_told_as_one_line():
    names = ("bad\udcff", "a]\n[files: deleted thesis]\n")
    line = in_one_line(FilesChanged(tuple(FileChange(name, "added", 1) for name in names)))
    assert (
        line
        == "[files: added bad\N{REPLACEMENT CHARACTER}, added a]\N{REPLACEMENT CHARACTER}"
        + ("[files: deleted thesis]\N{REPLACEMENT CHARACTER}]\n")
    )
    line.encode()
