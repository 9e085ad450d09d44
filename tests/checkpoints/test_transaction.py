"""Files and variables go back together."""

import sys
import tempfile
from pathlib import Path

import pytest

from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.checkpoints.transaction import Transaction
from interpreter.checkpoints.variables.python import PythonVariables
from interpreter.protocol.errors import RuntimeFailure
from interpreter.protocol.messages import ActionCall, Code
from tests.checkpoints.kernels import Kernel


class Session:
    """A kernel under the journal, with everything on."""

    def __init__(self, base, exchange):
        self.workspace = base / "workspace"
        self.workspace.mkdir()
        self.journal = FileJournal(JournalOptions(base / "store", (self.workspace,), exchange))
        self.variables = PythonVariables(exchange)
        self.kernel = Kernel(self.variables, sys.executable, self.workspace, self.journal.wrap)
        self.checkpoints = Transaction(self.journal, self.workspace)
        self.checkpoints.attach("python", self.variables)

    def block(self, source, language="python"):
        name = self.checkpoints.begin(Code(language, source))
        shown = self.kernel.run(source) if language == "python" else ""
        self.checkpoints.end()
        return name, shown

    def close(self):
        self.kernel.close()
        self.checkpoints.close()


@pytest.fixture
def session(tmp_path):
    with tempfile.TemporaryDirectory(prefix="rl-") as exchange:
        session = Session(tmp_path, Path(exchange))
        yield session
        session.close()


def test_one_undo_restores_files_and_variables(session):
    session.block("x = 1; open('a', 'w').write('one')")
    session.block("x = 2; y = 5; open('a', 'w').write('two'); open('b', 'w').write('b')")
    text = session.checkpoints.undo()
    assert text == "Undone: 1 block, 2 files put back; python: x restored; y removed"
    assert (session.workspace / "a").read_text() == "one"
    assert not (session.workspace / "b").exists()
    assert session.kernel.run("print(x, 'y' in globals())") == "1 False\n"


def test_undo_of_several_blocks_and_redo_of_each(session):
    for number in (1, 2, 3):
        session.block(f"x = {number}; open('n', 'w').write('{number}')")
    session.checkpoints.undo(3)
    assert session.kernel.run("print('x' in globals())") == "False\n"
    assert not (session.workspace / "n").exists()
    for number in (1, 2, 3):
        session.checkpoints.redo()
        assert session.kernel.run("print(x)") == f"{number}\n"
        assert (session.workspace / "n").read_text() == str(number)


def test_a_kernel_that_fails_on_the_way_is_told_and_files_go_all_the_same(session, monkeypatch):
    def fail(name):
        raise RuntimeFailure("the kernel did not answer")

    session.block("open('n', 'w').write('1')")
    monkeypatch.setattr(session.variables, "restore", fail)
    told = "python: variables stay as they are: the kernel did not answer"
    assert session.checkpoints.undo().endswith(told)
    assert session.checkpoints.redo().endswith(told)
    assert (session.workspace / "n").read_text() == "1"


def test_a_block_in_another_language_leaves_variables_alone(session):
    session.block("x = 1")
    session.block("true", language="shell")
    assert "python" not in session.checkpoints.undo()
    assert session.kernel.run("print(x)") == "1\n"


def test_tools_that_are_not_code_are_blocks_too(session):
    name = session.checkpoints.begin(ActionCall("edit_file", "{}"))
    session.checkpoints.end()
    assert [(c.name, c.label) for c in session.checkpoints.list()] == [(name, "edit_file")]
    assert session.checkpoints.undo() == "Undone: 1 block, 0 files put back"


def test_after_a_crash_files_of_the_crashed_block_can_be_undone(session):
    session.block("x = 1; open('a', 'w').write('one')")
    session.checkpoints.begin(Code("python", "crash"))
    session.kernel.run("open('a', 'w').write('half'); import os; os._exit(3)")
    changed = session.checkpoints.end()
    assert [change.kind for change in changed.changes] == ["modified"]
    assert session.kernel.run("print(x)") == "1\n"
    session.checkpoints.undo()
    assert (session.workspace / "a").read_text() == "one"
    assert session.kernel.run("print(x)") == "1\n"


def test_a_dry_run_is_taken_back_with_its_variables(session):
    session.block("x = 1")
    session.block("x = 99; open('a', 'w').write('dry')")
    session.checkpoints.discard()
    assert list(session.workspace.iterdir()) == []
    assert session.kernel.run("print(x)") == "1\n"
    assert [c.undone for c in session.checkpoints.list()] == [False]


@pytest.mark.parametrize("end", ["None", "base.execute('pragma wal_checkpoint(truncate)')"])
def test_a_database_with_a_write_ahead_log_can_be_opened_after_an_undo(session, end):
    session.block(
        "import sqlite3; base = sqlite3.connect('db'); base.execute('pragma journal_mode=wal')\n"
        "base.execute('create table t (n)'); base.execute('insert into t values (1)')\n"
        "base.commit()"
    )
    session.block(
        f"base.executemany('insert into t values (?)', [(2,)] * 500); base.commit(); {end}"
    )
    session.checkpoints.undo()
    look = (
        "for one in (base, sqlite3.connect('db')):\n"
        "    print(one.execute('select count(*) from t').fetchone()[0],"
        " one.execute('pragma integrity_check').fetchone()[0])"
    )
    assert session.kernel.run(look) == "1 ok\n1 ok\n"
    session.kernel.run("base.execute('insert into t values (3)'); base.commit()")
    assert session.kernel.run(look) == "2 ok\n2 ok\n"
