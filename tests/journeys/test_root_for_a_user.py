"""Root works in the directory of a user: code runs as that user, and all else goes on as usual."""

import os
from dataclasses import replace

import pytest

from interpreter.assembly import FaceCallbacks, SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.messages import Output
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings

SOMEBODY = 20_000 + os.getpid() % 40_000  # limits of the machine count by number

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    place = tmp_path / "work"
    place.mkdir()
    (place / "old.txt").write_text("before")
    for path in (place, place / "old.txt"):
        os.chown(path, SOMEBODY, SOMEBODY)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def open_session(workspace):
    opened = []

    def make(*script):
        settings = Settings(model="scripted/demo", auto_run=True)
        notices = []
        factory = SessionFactory(
            settings, lambda request: Decision("yes"), nobody_answers, FaceCallbacks(notices.append)
        )
        opened.append(factory)
        session = factory.open_session(settings)
        session.engine = replace(session.engine, model=ScriptedModel(script, repeat=True))
        session.notices = notices
        return session

    yield make
    for factory in opened:
        factory.close()


def run(session):
    """Send a message; what the block printed that it led to."""
    for _ in session.send("go"):
        pass
    last = [message for message in session.transcript if message.role == "computer"][-1]
    return "".join(part.text for part in last.parts if isinstance(part, Output))


def replies(*blocks):
    return [reply for block in blocks for reply in (block, "Done.")]


def test_code_is_the_user_in_every_language_and_its_files_are_theirs(open_session, workspace):
    python = {"code": "import os; open('a', 'w').write('1'); x = 1; print(os.getuid())"}
    shell = {"code": "echo 2 > b; id -u", "language": "shell"}
    script = {
        "code": "require('fs').writeFileSync('c', '3'); console.log(process.getuid())",
        "language": "javascript",
    }
    session = open_session(*replies(python, shell, script))
    for _ in range(3):
        assert str(SOMEBODY) in run(session)
    assert {path.stat().st_uid for path in workspace.iterdir()} == {SOMEBODY}
    assert session.notices == []


def test_files_and_variables_come_back_to_the_user(open_session, workspace):
    first = {"code": "x = 1; print(x)"}
    change = {"code": "x = 2; open('old.txt', 'w').write('after'); import os; os.mkdir('new')"}
    look = {"code": "print(x, open('old.txt').read())"}
    again = {"code": "open('old.txt', 'a').write('!'); print(x, open('old.txt').read())"}
    session = open_session(*replies(first, change, look, again))
    run(session)
    run(session)
    session.undo()
    assert (workspace / "old.txt").read_text() == "before"
    assert not (workspace / "new").exists()
    assert "1 before" in run(session)
    assert "1 before!" in run(session)
    assert (workspace / "old.txt").stat().st_uid == SOMEBODY
