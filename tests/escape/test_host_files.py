"""The host reads and writes where code in a cell can put links, pipes and endless files."""

import contextlib
import os
import subprocess
import threading

import pytest
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)

from interpreter.checkpoints.effects.differences import Difference, describe
from interpreter.checkpoints.journal.system_calls import EXCHANGE, rename
from interpreter.checkpoints.workspace_copy import WorkspaceCopy
from interpreter.facade.compatible.computer_parts import Files
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.events import ExecutionFinished, FileChange
from interpreter.protocol.messages import Message, Text
from interpreter.runtimes.process.shell import bash
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.session.export.formats import export_session
from interpreter.terminal.chat import compose
from interpreter.terminal.input.piped import attached

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 64


@pytest.fixture
def treasure(tmp_path):
    """A file of the user's, outside of the workspace."""
    file = tmp_path / "treasure"
    file.mkdir()
    (file / "gold").write_text("gold")
    return file / "gold"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    place = tmp_path / "work"
    place.mkdir(exist_ok=True)
    monkeypatch.chdir(place)
    return place


MAKE_LINKS = """
import json, os, sys
facts = json.loads(sys.argv[1])
os.symlink(facts["outside"] + "/file", "messages.json")
os.symlink(facts["outside"], "out")
os.mkfifo("pipe.json")
"""
EXPORT = """
import os
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Message, Text
from interpreter.session.export.formats import export_session
os.chdir(facts["workspace"])
said = [Message("user", (Text("hello"),))]
export_session(said, Path("messages.json"))
try:
    export_session(said, Path("out/deep/notes.md"))
except ConfigurationError as error:
    answer = str(error)
"""


def test_an_export_follows_no_link_that_a_cell_has_made(world):
    assert world.attempt(MAKE_LINKS)["status"] == 0
    said = world.attempt(EXPORT, "host")["answer"]
    look = """answer = [
        Path(facts["outside"], "file").read_text(), sorted(os.listdir(facts["outside"])),
        Path(facts["workspace"], "messages.json").is_symlink()]"""
    found = world.attempt(f"import os\n{look}", "host")["answer"]
    assert found == ["CANARY", ["docker.sock", "file"], False]
    assert "no link is followed" in said


def test_saving_messages_does_not_write_through_a_link(workspace, treasure):
    (workspace / "messages.json").symlink_to(treasure)
    export_session([Message("user", (Text("hello"),))], workspace / "messages.json")
    assert treasure.read_text() == "gold"
    assert "hello" in (workspace / "messages.json").read_text()


def test_an_export_to_a_link_of_the_users_own_goes_where_it_leads(workspace, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "mine").symlink_to(tmp_path / "notes")
    export_session([], tmp_path / "mine" / "a.md")
    assert (tmp_path / "notes" / "a.md").exists()


def test_piped_input_is_not_kept_through_a_link(workspace, treasure):
    (workspace / ".interpreter").symlink_to(treasure.parent)
    assert "too long to be shown whole" in attached("look", "data", workspace)
    assert sorted(treasure.parent.iterdir()) == [treasure]


def test_marks_beside_piped_input_are_not_written_through_a_link(workspace, treasure):
    (workspace / ".interpreter").mkdir()
    (workspace / ".interpreter" / ".gitignore").symlink_to(treasure)
    assert "in the file" in attached("look", "data", workspace)
    assert treasure.read_text() == "gold"


def test_a_picture_behind_a_link_in_the_workspace_is_not_sent(workspace, treasure):
    treasure.write_bytes(PNG)
    (workspace / "plot.png").symlink_to(treasure)
    (workspace / "real.png").write_bytes(PNG)
    assert len(compose("see plot.png").parts) == 1
    assert len(compose("see real.png").parts) == 2


def test_a_pipe_called_like_a_picture_keeps_nobody_waiting(workspace):
    os.mkfifo(workspace / "plot.png")
    assert len(in_time(lambda: compose("see plot.png")).parts) == 1


def test_reading_messages_from_a_pipe_keeps_nobody_waiting(interpreter_command, script, tmp_path):  # noqa: F811
    os.mkfifo(tmp_path / "work" / "pipe.json")
    done = interpreter_command("sessions", "import", "pipe.json")
    assert "no ordinary file" in done.stderr


def test_a_difference_is_not_read_through_a_directory_that_became_a_link(workspace, treasure):
    (workspace / "sub").symlink_to(treasure.parent)
    change = FileChange(str(workspace / "sub" / "gold"), "added", 4)
    seen = describe([Difference(change, None, workspace / "sub" / "gold")], workspace)
    assert "+gold" not in seen


def test_an_edit_by_the_library_replaces_no_file_behind_a_link(workspace, treasure):
    (workspace / "note.txt").symlink_to(treasure)
    with pytest.raises(OSError, match="no link is followed"):
        Files().edit("note.txt", "gold", "lead")
    assert treasure.read_text() == "gold"


def in_time(work):
    done = []
    thread = threading.Thread(target=lambda: done.append(work()), daemon=True)
    thread.start()
    thread.join(60)
    assert done, "the host waits for ever"
    return done[0]


def test_a_shell_that_leaves_a_pipe_as_its_state_keeps_nobody_waiting(workspace):
    cell = NoSandbox().open(workspace)
    runtime = bash(cell.launch, cell.exchange)
    block = 'rm -f "$REPLOOP_DIRECTORY/state"; mkfifo "$REPLOOP_DIRECTORY/state"; kill -9 $$'
    end = in_time(lambda: list(runtime.run(block))[-1])
    assert isinstance(end, ExecutionFinished)
    assert [e.text for e in in_time(lambda: list(runtime.run("echo on"))) if hasattr(e, "text")]
    runtime.close()
    cell.close()


def test_a_copy_of_the_workspace_holds_nothing_from_behind_a_link(workspace, treasure, tmp_path):
    """A program swaps a directory for a link while it is copied."""
    (workspace / "a").mkdir()
    (workspace / "a" / "gold").write_text("mine")
    (workspace / "b").symlink_to(treasure.parent)
    done = threading.Event()

    def swap():
        here = os.open(workspace, os.O_RDONLY)
        while not done.is_set():
            rename(here, "a", here, "b", EXCHANGE)
        os.close(here)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for number in range(200):
            copied = copy_of(workspace, tmp_path / f"copy{number}" / "work")
            found = [path for path in copied.rglob("gold") if path.resolve().is_relative_to(copied)]
            assert all(path.read_text() == "mine" for path in found)
    finally:
        done.set()
        swapping.join()


def copy_of(workspace, place):
    with contextlib.suppress(CheckpointError):  # it says that the workspace changes
        WorkspaceCopy(workspace, place)
    return place


# The helper itself.


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda p: p.symlink_to("/etc/hostname")])
def test_only_real_files_are_read(workspace, make):
    make(workspace / "thing")
    with pytest.raises(OSError, match=r"no ordinary file|no link is followed"):
        safe_files.read_bytes(workspace / "thing", 100)
    assert not safe_files.is_file(workspace / "thing")


def test_no_more_is_read_than_was_asked_for(workspace):
    with (workspace / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="longer than 100 bytes"):
        safe_files.read_bytes(workspace / "huge", 100)
    assert safe_files.read_start(workspace / "huge", 10) == bytes(10)


def test_a_link_on_the_way_is_refused_at_every_depth(workspace, treasure):
    (workspace / "one" / "two").mkdir(parents=True)
    (workspace / "one" / "two" / "out").symlink_to(treasure.parent)
    for act in (lambda p: safe_files.write(p, "lead"), safe_files.create, safe_files.opened):
        with pytest.raises(OSError, match="no link is followed"):
            act(workspace / "one" / "two" / "out" / "gold")
    safe_files.remove(workspace / "one" / "two" / "out" / "gold")
    assert treasure.read_text() == "gold"


def test_what_is_written_keeps_no_draft_beside_it(workspace):
    (workspace / "full").mkdir()
    with pytest.raises(IsADirectoryError):
        safe_files.write(workspace / "full", "x")
    safe_files.write(workspace / "a", "x")
    assert sorted(path.name for path in workspace.iterdir()) == ["a", "full"]


def test_plain_tools_would_follow_the_link(workspace, treasure):
    """The control."""
    (workspace / "messages.json").symlink_to(treasure)
    subprocess.run(["sh", "-c", "echo lead > messages.json"], cwd=workspace, check=True)
    assert treasure.read_text() == "lead\n"
