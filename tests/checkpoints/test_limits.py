"""What is kept is bounded, and what cannot be kept is said."""

import pytest

from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.checkpoints.journal.kept.history import Retention
from interpreter.checkpoints.journal.recorder import JournalLimits
from interpreter.checkpoints.transaction import Transaction
from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.messages import Code
from interpreter.sandboxes.backends.none import NoSandbox
from tests.checkpoints.conftest import Bench


def test_a_journal_can_be_closed_twice(tmp_path):
    bench = Bench(tmp_path)
    bench.stop()
    bench.journal.close()


def test_only_so_many_blocks_are_kept(tmp_path):
    bench = Bench(tmp_path, retention=Retention(blocks=3))
    for number in range(6):
        bench.operations(("write", "a", str(number)))
    bench.operations(("write", "a", "end"))
    assert [entry.name for entry in bench.journal.blocks()] == [
        "000004", "000005", "000006", "000007",
    ]  # fmt: skip
    assert len(list((bench.store / "done").iterdir())) == 4
    bench.stop()


def test_space_is_returned_when_too_much_is_kept(tmp_path):
    bench = Bench(tmp_path, retention=Retention(size=3 << 20))
    big = "x" * (1 << 20)
    for _ in range(8):
        bench.operations(("write", "a", big), ("append", "a", "more"))
    bench.operations(("touch", "b"))
    used = sum(p.stat().st_size for p in bench.store.rglob("*") if p.is_file())
    assert used < 5 << 20
    assert len(bench.journal.blocks()) < 8
    bench.stop()


def test_the_newest_block_can_be_undone_however_much_it_keeps(tmp_path):
    bench = Bench(tmp_path, retention=Retention(size=1000))
    (bench.workspace / "large").write_bytes(b"x" * 100_000)
    before = bench.tree()
    name, _ = bench.shell("rm large; mkdir d")
    assert bench.journal.conflicts(1) == ()
    assert bench.journal.undo(name) == ()
    assert bench.tree() == before
    bench.stop()


@pytest.mark.parametrize("answer", [True, False])
def test_a_file_too_large_to_keep_is_asked_about_before_it_is_changed(tmp_path, answer):
    bench = Bench(tmp_path, limits=JournalLimits(largest_copy=1000))
    bench.stop()
    asked = []

    def ask(path, size, why):
        asked.append((path, size, why))
        return answer

    bench.journal = FileJournal(bench.options, ask)
    large = bench.workspace / "large"
    large.write_text("x" * 5000)
    name, report = bench.shell("echo more >> large || true")
    assert asked == [(str(large), 5000, "too large")]
    assert large.stat().st_size == (5005 if answer else 5000)
    notes = (f"{large} is too large to keep and cannot be undone",) if answer else ()
    assert report.notes == notes
    bench.stop()


def test_a_large_file_that_a_block_names_is_announced_before_it_runs(tmp_path):
    bench = Bench(tmp_path, limits=JournalLimits(largest_copy=1000))
    (bench.workspace / "data.bin").write_text("x" * 5000)
    (bench.workspace / "small.bin").write_text("x")
    checkpoints = Transaction(bench.journal, bench.workspace)
    code = Code("python", "open('data.bin', 'r+').write('x'); open('small.bin'); open('/none')")
    assert checkpoints.warnings(code) == (
        "data.bin, 5 KB, cannot be undone if it is changed in place.",
    )
    bench.stop()


def test_a_file_moved_away_for_a_call_that_then_failed_is_put_back(tmp_path):
    bench = Bench(tmp_path)
    large = bench.workspace / "large"
    large.write_bytes(b"x" * (8 << 20))
    source = (
        "import os, resource\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))\n"
        "try: os.open('large', os.O_WRONLY | os.O_TRUNC)\n"
        "except OSError: pass\n"
    )
    name, report = bench.block("python3", "-c", source)
    assert large.stat().st_size == 8 << 20
    assert report.changes == ()
    assert bench.journal.undo(name) == ()
    assert large.stat().st_size == 8 << 20
    bench.stop()


def test_deleting_a_large_file_needs_no_copy(tmp_path):
    bench = Bench(tmp_path, limits=JournalLimits(largest_copy=1000))
    (bench.workspace / "large").write_text("x" * 5000)
    name, report = bench.shell("rm large")
    assert report.notes == ()
    bench.journal.undo(name)
    assert (bench.workspace / "large").stat().st_size == 5000
    bench.stop()


def test_the_journal_finds_out_whether_it_works_in_a_cell(tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    cell = NoSandbox().open(workspace)
    journal = FileJournal(JournalOptions(tmp_path / "store", (workspace,), cell.exchange))
    journal.check(cell.launch)

    def launch_elsewhere(argv, **options):
        return cell.launch(argv[5:], **options)

    other = JournalOptions(tmp_path / "other", (workspace,), tmp_path)
    deaf = FileJournal(other)
    with pytest.raises(CheckpointError, match="does not work here"):
        deaf.check(launch_elsewhere)
    deaf.close()
    journal.close()
    cell.close()


def test_a_store_on_another_filesystem_is_filled_by_copies(tmp_path):
    import shutil
    import tempfile
    from pathlib import Path

    if Path("/dev/shm").stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is only one filesystem here")
    store = Path(tempfile.mkdtemp(dir="/dev/shm"))
    bench = Bench(tmp_path)
    bench.stop()
    bench.options = JournalOptions(store, (bench.workspace,), bench.exchange)
    bench.journal = FileJournal(bench.options)
    (bench.workspace / "a").write_text("1")
    (bench.workspace / "b").write_text("2")
    (bench.workspace / "l").symlink_to("a")
    before = bench.tree()
    name, _ = bench.shell("echo 2 >> a; rm b l; mkdir d; echo 3 > d/c; mkfifo p; mv a d/a")
    after = bench.tree()
    for _ in range(2):
        assert bench.journal.undo(name) == ()
        assert bench.tree() == before
        assert bench.journal.redo(name) == ()
        assert bench.tree() == after
    bench.stop()
    shutil.rmtree(store)
