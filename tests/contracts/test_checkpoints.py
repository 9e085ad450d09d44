"""What every way of keeping files promises, behind the port that a session sees."""

import os
import subprocess
import sys

import pytest

from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.checkpoints.shadow_git import ShadowGit, ShadowOptions
from interpreter.checkpoints.transaction import Transaction
from interpreter.protocol.errors import CheckpointConflict, CheckpointError
from interpreter.protocol.events import FileChange, FilesChanged
from interpreter.protocol.messages import Code


class Place:
    """A workspace whose blocks are shell commands."""

    def __init__(self, base, kind):
        self.workspace = base / "workspace"
        self.store = base / "store"
        (base / "exchange").mkdir()
        self.workspace.mkdir()
        self._wrap = list
        if kind == "journal":
            options = JournalOptions(self.store, (self.workspace,), base / "exchange")
            files = FileJournal(options)
            self._wrap = files.wrap
        else:
            files = ShadowGit(ShadowOptions(self.store, self.workspace))
        self.traffic = {}
        self.checkpoints = Transaction(files, self.workspace, traffic=lambda: self.traffic)

    def block(self, source):
        name = self.checkpoints.begin(Code("shell", source))
        done = subprocess.run(
            self._wrap(["bash", "-c", source]), cwd=self.workspace, timeout=60, check=False
        )
        assert done.returncode == 0
        return name, self.checkpoints.end()

    def content(self):
        return {
            str(path.relative_to(self.workspace)): path.read_text()
            for path in sorted(self.workspace.rglob("*"))
            if path.is_file()
        }

    def write(self, name, text):
        (self.workspace / name).write_text(text)


@pytest.fixture(params=["journal", "shadow git"])
def place(request, tmp_path):
    place = Place(tmp_path, request.param)
    yield place
    place.checkpoints.close()


def test_a_block_says_what_it_changed(place):
    place.write("a", "1\n")
    place.write("b", "2\n")
    place.write("c", "3\n3\n3\n")
    _, changed = place.block("echo more >> a; rm b; echo new > n; mv c d")
    at = place.workspace
    assert changed == FilesChanged((
        FileChange(f"{at}/a", "modified", 7),
        FileChange(f"{at}/b", "deleted"),
        FileChange(f"{at}/d", "renamed", 6, f"{at}/c"),
        FileChange(f"{at}/n", "added", 4),
    ))
    assert place.checkpoints.effects() == (
        "files: added n, modified a, deleted b, renamed c → d (17 bytes)"
    )


COMMIT = (
    "git add -A && git -c user.name=a -c user.email=a@b commit -qm one && "
    "echo new > kept && git add kept"
)


def test_looking_at_a_repository_is_no_conflict(tmp_path):
    place = Place(tmp_path, "journal")  # which keeps what is in .git, too
    git = ["git", "-C", str(place.workspace)]

    def look(seconds):
        os.utime(place.workspace / "still", (seconds, seconds))
        subprocess.run([*git, "status"], check=True, stdout=subprocess.DEVNULL)

    place.write("still", "1\n")
    subprocess.run([*git, "init", "-q"], check=True)
    place.block(COMMIT)
    place.block("echo two > a && git add a")
    look(1)
    place.checkpoints.undo(2)
    look(2)
    place.checkpoints.redo()
    log = subprocess.run([*git, "log", "--format=%s"], capture_output=True, text=True, check=True)
    assert log.stdout == "one\n"
    place.write("other", "mine\n")
    subprocess.run([*git, "add", "other"], check=True)
    with pytest.raises(CheckpointConflict, match="index"):
        place.checkpoints.redo()
    place.checkpoints.close()


def test_what_tools_keep_is_one_line(place):
    fill = "mkdir -p node_modules/x && touch node_modules/x/{1..9} && mkdir a && touch a/b"
    name, _ = place.block(fill)
    assert place.checkpoints.effects() == "files: added a/b, node_modules (9 files) (0 bytes)"
    assert place.checkpoints.diff(name) == "added a/b\nadded node_modules (9 files)\n"


def test_a_table_that_loses_values_is_said_to(place):
    rows = [f"{number},2024-01-{number:02},{number * 2}\n" for number in range(1, 11)]
    place.write("sales.csv", "id,date,units\n" + "".join(rows))
    place.write("same.csv", "id\n1\n")
    blank = "sed -i -E '3,8s/,2024[^,]*,/,,/' sales.csv; echo 2 > x.txt; sed -i s/1/2/ same.csv"
    _, changed = place.block(blank)
    assert changed.notes == (
        "sales.csv: 10 rows × 3 columns → 10 rows × 3 columns, gaps 0 → 6; "
        "CHECK: 'date' lost 6 of its 10 values",
    )
    _, changed = place.block("cut -d, -f1,3 sales.csv | head -5 > t && mv t sales.csv")
    assert changed.notes == (
        "sales.csv: 10 rows × 3 columns → 4 rows × 2 columns, gaps 6 → 0; "
        "CHECK: the column 'date' is gone",
    )
    place.write("log.jsonl", '{"a": 1, "b": null}\n{"a": 2, "b": 3}\n')
    _, changed = place.block("""echo '{"a": null, "b": 3}' > log.jsonl""")
    assert changed.notes == (
        "log.jsonl: 2 rows × 2 columns → 1 rows × 2 columns, gaps 1 → 1; "
        "CHECK: 'a' lost 1 of its 2 values",
    )


def test_a_block_that_touches_most_files_says_so(place):
    for number in range(8):
        place.write(f"f{number}", "x")
    _, changed = place.block("for f in f?; do mv $f $f.bak; done; touch more")
    assert changed.notes == ("this block changed 8 of the 8 files of the workspace",)
    assert "this block" not in place.checkpoints.effects()  # a dry run has said it by then
    _, changed = place.block("touch {1..40}")
    assert changed.notes == ()
    _, changed = place.block("rm f?.bak")
    assert changed.notes == ()


def test_the_effects_of_a_block_are_files_bytes_and_hosts(place):
    place.traffic = {"example.org:443": 3000}
    place.block("echo new > n")
    assert place.checkpoints.effects() == "files: added n (4 bytes); hosts: example.org:443 (3 KB)"


def test_a_block_that_changes_nothing_says_nothing(place):
    place.write("a", "1\n")
    assert place.block("cat a > /dev/null")[1] is None
    assert place.checkpoints.effects() == ""


def test_undo_and_redo_go_back_and_forth(place):
    place.write("a", "1\n")
    states = [place.content()]
    for source in ("echo 2 >> a", "mkdir d && mv a d/a", "rm -r d; echo x > y"):
        place.block(source)
        states.append(place.content())
    assert place.checkpoints.undo(2).startswith("Undone: 2 blocks")
    assert place.content() == states[1]
    place.checkpoints.undo()
    assert place.content() == states[0]
    for state in states[1:]:
        place.checkpoints.redo()
        assert place.content() == state
    with pytest.raises(CheckpointError, match="nothing to redo"):
        place.checkpoints.redo()
    with pytest.raises(CheckpointError, match="3 blocks"):
        place.checkpoints.undo(4)


def test_a_new_block_ends_what_could_be_redone(place):
    place.block("echo 1 > a")
    place.checkpoints.undo()
    place.block("echo 2 > b")
    with pytest.raises(CheckpointError, match="nothing to redo"):
        place.checkpoints.redo()
    assert [c.undone for c in place.checkpoints.list()] == [False]


def test_what_somebody_else_changed_is_never_overwritten_unasked(place):
    place.write("a", "1\n")
    place.write("b", "1\n")
    place.block("echo block >> a; echo block >> b")
    place.write("a", "mine now\n")
    with pytest.raises(CheckpointConflict) as caught:
        place.checkpoints.undo()
    assert caught.value.paths == (f"{place.workspace}/a",)
    assert place.content() == {"a": "mine now\n", "b": "1\nblock\n"}
    assert "left as somebody else changed" in place.checkpoints.undo(conflicts="keep")
    assert place.content() == {"a": "mine now\n", "b": "1\n"}


def test_an_overwritten_file_comes_back_with_redo(place):
    place.write("a", "1\n")
    place.block("echo block >> a")
    place.write("a", "1\nblock\nand mine\n")
    place.checkpoints.undo(conflicts="overwrite")
    assert place.content() == {"a": "1\n"}


def test_an_edit_between_two_blocks_is_a_conflict_for_the_first(place):
    place.write("a", "1\n")
    place.block("echo first >> a")
    place.write("a", "between\n")
    place.block("echo second >> a")
    place.checkpoints.undo()
    assert place.content() == {"a": "between\n"}
    with pytest.raises(CheckpointConflict):
        place.checkpoints.undo()
    assert place.content() == {"a": "between\n"}


def test_what_others_add_is_left_alone(place):
    place.block("mkdir d; echo 1 > d/a")
    place.write("d/mine", "mine\n")
    place.checkpoints.undo(conflicts="keep")
    assert place.content() == {"d/mine": "mine\n"}


def test_a_dry_run_leaves_no_trace(place):
    place.write("a", "1\n")
    _, changed = place.block("echo 2 > a; echo 3 > b")
    assert [change.kind for change in changed.changes] == ["modified", "added"]
    place.checkpoints.discard()
    assert place.content() == {"a": "1\n"}
    assert place.checkpoints.list() == ()


def test_a_difference_is_shown_as_text(place):
    place.write("a", "one\ntwo\n")
    name, _ = place.block("sed -i s/two/three/ a")
    place.block("echo later >> a")
    assert place.checkpoints.diff(name) == (
        "modified a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    )
    with pytest.raises(CheckpointError, match="no block"):
        place.checkpoints.diff("nonsense")


def test_symlinks_and_executables_come_back(place):
    place.write("a", "1\n")
    (place.workspace / "l").symlink_to("a")
    (place.workspace / "x").write_text("#!/bin/sh\n")
    (place.workspace / "x").chmod(0o755)
    place.block("rm l; ln -s /etc/passwd l; chmod -x x; rm a; ln -s l a")
    place.checkpoints.undo()
    assert (place.workspace / "l").readlink().name == "a"
    assert os.access(place.workspace / "x", os.X_OK)
    assert not (place.workspace / "a").is_symlink()


def test_nothing_is_left_in_the_workspace(place):
    place.block("true")
    place.checkpoints.undo()
    assert list(place.workspace.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the journal needs Linux")
def test_the_journal_also_restores_modes_empty_directories_and_repositories(tmp_path):
    place = Place(tmp_path, "journal")
    (place.workspace / "empty").mkdir(mode=0o700)
    place.write("secret", "s")
    (place.workspace / "secret").chmod(0o640)
    place.block("git init -q . && rmdir empty && chmod 644 secret && mkdir -p other/deep")
    place.checkpoints.undo()
    assert sorted(p.name for p in place.workspace.iterdir()) == ["empty", "secret"]
    assert (place.workspace / "secret").stat().st_mode & 0o777 == 0o640
    assert (place.workspace / "empty").stat().st_mode & 0o777 == 0o700
    place.checkpoints.close()
