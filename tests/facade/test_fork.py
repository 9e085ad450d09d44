"""Trying several ways: a fork has a copy of everything, and one of them is kept."""

import pytest

from interpreter import Interpreter
from interpreter.protocol.errors import CheckpointConflict, CheckpointError, ConfigurationError
from interpreter.session.store.database import Store
from interpreter.settings.paths import data_directory

SET = {"code": "import os\nn = [1]\ngone = 1\nopen('a.txt', 'w').write('one\\n')"}
CHANGE = {
    "code": "n.append(2)\nnew = os.getcwd()\ndel gone\nos.makedirs('d/e')\n"
    "open('a.txt', 'a').write('two\\n')\nopen('d/e/b.txt', 'w').write('b')\n"
    "os.symlink('a.txt', 'link')\nos.remove('c.txt')"
}


@pytest.fixture
def work(tmp_path):
    place = tmp_path / "workspace"
    place.mkdir()
    (place / "c.txt").write_text("c")
    return place


@pytest.fixture
def base(script, work):
    model = script(SET, "Set.", CHANGE, "Changed.", repeat=True)
    with Interpreter(model, workspace=str(work), auto_run=True) as it:
        it.ask("set")
        yield it


def change(other):
    """What the script says second; a fork's model begins anew with the first."""
    other.run("python", CHANGE["code"])


def names(work):
    return sorted(str(path.relative_to(work)) for path in work.rglob("*"))


def test_what_a_fork_does_is_not_done_here(base, work):
    with base.fork() as other:
        assert [message.text for message in other.messages] == [m.text for m in base.messages]
        change(other)
        assert other.value("n") == [1, 2]
        assert base.value("n") == [1]
        assert names(work) == ["a.txt", "c.txt"]
        told = base.compare(other)
        assert "variables: n, new (new), gone (gone)" in told
        assert "+two" in told
        assert "deleted c.txt" in told
    assert list((data_directory() / "attempts").iterdir()) == []
    assert (base.value("n"), names(work)) == ([1], ["a.txt", "c.txt"])


def test_a_try_is_a_session_within_its_session(base):
    store = Store(data_directory())
    with base.fork():
        (listed,) = store.list()
        assert len(store.children(listed.id)) == 1
    assert store.children(listed.id) == ()
    store.close()


def test_the_fork_that_is_kept_is_what_happened_and_can_be_undone(base, work):
    with base.fork() as dull, base.fork() as other:
        dull.run("python", "n = 'dull'")
        other.ask("go on")
        change(other)
        told = base.keep(other)
    assert told == "Kept: 4 messages, 4 files and the variables"
    assert names(work) == ["a.txt", "d", "d/e", "d/e/b.txt", "link"]
    assert (work / "a.txt").read_text() == "one\ntwo\n"
    assert (work / "link").readlink().name == "a.txt"
    assert base.value("n") == [1, 2]
    assert base.value("os.getcwd()") == str(work)
    assert base.value("'gone' in globals()") is False
    assert [m.text for m in base.messages if m.role == "user"] == ["set", "go on"]
    base.undo()
    assert names(work) == ["a.txt", "c.txt"]
    assert (work / "a.txt").read_text() == "one\n"
    assert (base.value("n"), base.value("gone")) == ([1], 1)
    assert [m.text for m in base.messages if m.role == "user"] == ["set"]
    base.redo()
    assert base.value("n") == [1, 2]
    assert (work / "a.txt").read_text() == "one\ntwo\n"


def test_what_somebody_else_changed_meanwhile_is_not_overwritten_silently(base, work):
    with base.fork() as other:
        change(other)
        (work / "a.txt").write_text("mine")
        with pytest.raises(CheckpointConflict, match=r"a\.txt"):
            base.keep(other)
        assert "left as they are" in base.keep(other, conflicts="keep")
    assert (work / "a.txt").read_text() == "mine"
    assert (work / "d/e/b.txt").read_text() == "b"


def test_a_session_that_has_gone_on_keeps_no_fork(base):
    with base.fork() as other:
        base.ask("go on")
        with pytest.raises(CheckpointError, match="gone on"):
            base.keep(other)
    with pytest.raises(ConfigurationError, match="no fork"):
        base.keep(other)
