"""Every block is a transaction: files, variables and the conversation go back together."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.live import wait_until

from interpreter.assembly import FaceCallbacks, SessionFactory
from interpreter.assembly.cell.kept_files import forget_session
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import CheckpointConflict, CheckpointError
from interpreter.protocol.events import ApprovalRequested, FilesChanged, Notice
from interpreter.protocol.messages import Code, Output
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def open_session(work):
    """A session in a workspace of its own, with a script."""
    opened = []

    def make(*script, approve=None, resume="", **settings):
        settings = Settings(model="scripted/demo", auto_run=approve is None, **settings)
        answer = approve or (lambda request: Decision("no", "nobody is there"))
        notices = []
        factory = SessionFactory(settings, answer, nobody_answers, FaceCallbacks(notices.append))
        opened.append(factory)
        session = factory.open_session(settings, resume=resume)
        session.engine = replace(session.engine, model=ScriptedModel(script, repeat=True))
        session.close_factory = factory.close
        session.run, session.factory = factory.run, factory
        session.notices, session.exchange = notices, factory.exchange
        return session

    yield make
    for factory in opened:
        factory.close()


def say(session, text="go"):
    return list(session.send(text))


def printed(session):
    last = [message for message in session.transcript if message.role == "computer"][-1]
    return "".join(part.text for part in last.parts if isinstance(part, Output))


CHANGE = {
    "code": "from pathlib import Path\nx = 2\ny = 3\nPath('kept.txt').write_text('changed')\n"
    "Path('new.txt').write_text('new')\nPath('gone.txt').unlink()"
}
LOOK = {"code": "print(x, 'y' in globals())"}


@pytest.fixture
def changed(open_session, work):
    (work / "kept.txt").write_text("original")
    (work / "gone.txt").write_text("here")
    session = open_session({"code": "x = 1"}, "Set.", CHANGE, "Changed.", LOOK, "Looked.")
    say(session, "set")
    say(session, "change")
    return session


def test_a_block_says_what_it_did_to_files(open_session, work):
    session = open_session(CHANGE, "Changed.")
    (work / "gone.txt").write_text("here")
    [files] = [event for event in say(session) if isinstance(event, FilesChanged)]
    assert {(Path(change.path).name, change.kind) for change in files.changes} == {
        ("kept.txt", "added"),
        ("new.txt", "added"),
        ("gone.txt", "deleted"),
    }


def test_an_undo_restores_files_variables_and_the_conversation(changed, work):
    before = list(changed.transcript)
    told = changed.undo()
    assert (work / "kept.txt").read_text() == "original"
    assert (work / "gone.txt").read_text() == "here"
    assert not (work / "new.txt").exists()
    assert list(changed.transcript) == before[:5]
    assert "x restored" in told
    assert "4 messages" in told or "3 messages" in told
    say(changed, "look")
    assert printed(changed) == "1 False\n"


def test_a_redo_brings_everything_back(changed, work):
    before = list(changed.transcript)
    changed.undo()
    changed.redo()
    assert (work / "kept.txt").read_text() == "changed"
    assert not (work / "gone.txt").exists()
    assert list(changed.transcript) == before
    say(changed, "look")
    assert printed(changed) == "2 True\n"


def test_a_message_is_undone_with_all_that_came_of_it(changed, work):
    changed.undo_message()
    assert [message.text for message in changed.transcript if message.role == "user"] == ["set"]
    assert (work / "kept.txt").read_text() == "original"


def test_what_somebody_else_changed_is_not_overwritten_silently(changed, work):
    (work / "kept.txt").write_text("mine, later")
    with pytest.raises(CheckpointConflict, match=r"kept\.txt"):
        changed.undo()
    assert (work / "kept.txt").read_text() == "mine, later"
    assert len(changed.transcript) == 8
    changed.undo(conflicts="keep")
    assert (work / "kept.txt").read_text() == "mine, later"
    assert (work / "gone.txt").read_text() == "here"


@pytest.mark.parametrize(
    ("language", "set_up", "change", "look", "expected"),
    [
        ("shell", "X=1; f() { echo one; }", "X=2; f() { echo two; }; cd /", 'f; echo "$X"', "one\n1\n"),
        ("bash", "export X=1", "unset X; Y=3", 'echo "$X$Y"', "1\n"),
        ("javascript", "var a = {n: 1}", "a.n = 5; var b = 2", "console.log(a.n, typeof b)", "1 undefined\n"),
        ("py", "x = [1]", "x.append(2); y = 1", "print(x, 'y' in globals())", "[1] False\n"),
    ],
)  # fmt: skip
def test_every_stateful_language_goes_back(open_session, language, set_up, change, look, expected):
    blocks = [{"code": code, "language": language} for code in (set_up, change, look)]
    session = open_session(blocks[0], "Set.", blocks[1], "Changed.", blocks[2], "Looked.")
    say(session, "set")
    say(session, "change")
    session.undo()
    say(session, "look")
    assert printed(session) == expected


def test_there_is_an_end_to_undoing(changed):
    with pytest.raises(CheckpointError, match="There are 2 blocks"):
        changed.undo(3)


def test_an_undone_conversation_stays_undone_when_it_is_resumed(changed, work):
    from interpreter.session.store.database import Store

    changed.undo()
    store = Store(data_directory())
    assert list(store.messages(changed.id)) == list(changed.transcript)
    store.close()


def test_a_dry_run_is_shown_and_taken_back(open_session, work):
    asked = []

    def approve(request):
        asked.append(request)
        return Decision("dry_run") if len(asked) == 1 else Decision("no")

    session = open_session({"code": "open('made.txt', 'w').write('x')"}, "Ok.", approve=approve)
    events = say(session)
    assert any(isinstance(event, FilesChanged) for event in events)
    questions = [event for event in events if isinstance(event, ApprovalRequested)]
    effects = "files: added made.txt (1 bytes)"
    assert not questions[-1].proposed
    assert questions[-1].reason.startswith(f"It ran as a trial: {effects}. ")
    assert not (work / "made.txt").exists()
    assert "taken back" in printed(session)


def test_a_crash_loses_nothing_but_the_block_that_crashed(open_session):
    session = open_session(
        {"code": "import math\nnumbers = [1, 2, 3]"},
        {"code": "import os; os._exit(7)"},
        {"code": "print(sum(numbers), math.floor(2.5))"},
        "Done.",
    )
    say(session)
    outcomes = [result.outcome for message in session.transcript for result in message.results]
    assert outcomes == ["ok", "died", "ok"], list(session.transcript)
    assert printed(session) == "6 2\n"
    died = [r for m in session.transcript for r in m.results if r.outcome == "died"]
    assert "Everything in memory is as it was before this block" in died[0].summary


def test_a_session_is_resumed_with_its_variables(open_session):
    first = open_session(
        {"code": "import math\nnumbers = [1, 2, 3]\ndef total(): return sum(numbers)"},
        {"code": "opened = open('/dev/null')"},
        "Set.",
    )
    say(first)
    first.close_factory()
    again = open_session({"code": "print(total(), math.pi > 3)"}, "Looked.", resume=first.id)
    say(again)
    assert printed(again) == "6 True\n"
    [news] = [m.text for m in again.transcript if m.audience == "assistant"]
    assert "math, numbers, total restored; not restored: opened (TextIOWrapper:" in news
    assert again.notices == [news]


POISON = """
class Odd:
    def __reduce__(self): return (eval, ("__import__('pathlib').Path('RAN').touch() or 7",))
odd = Odd()"""


def test_variables_of_one_workspace_do_not_come_back_in_another(open_session, work, tmp_path):
    first = open_session({"code": POISON}, "Set.")
    say(first)
    first.close_factory()
    (work / "RAN").unlink(missing_ok=True)  # saving tries whether it can be loaded
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    look = {"code": "print('odd' in globals())"}
    other = open_session(look, "Looked.", resume=first.id, workspace=str(elsewhere))
    say(other)
    assert printed(other) == "False\n"
    assert not (elsewhere / "RAN").exists()
    other.close_factory()
    [told] = other.notices
    assert told.endswith("none were saved here, only in the directory where it was before.")
    at_home = open_session(look, "Looked.", resume=first.id)
    say(at_home)
    assert printed(at_home) == "True\n"
    assert (work / "RAN").exists()  # in the cell of its own workspace


def test_without_walls_variables_wait_for_the_first_block(open_session, work):
    first = open_session({"code": POISON}, "Set.", sandbox="off")
    say(first)
    first.close_factory()
    (work / "RAN").unlink(missing_ok=True)  # saving tries whether it can be loaded
    again = open_session(
        "Hello again.", {"code": "print(odd)"}, "Ok.", resume=first.id, sandbox="off"
    )
    say(again)
    assert not (work / "RAN").exists()
    assert again.notices == []
    say(again)
    assert printed(again) == "7\n"
    assert again.notices[0].startswith("The variables of this session are back")


def test_a_session_whose_variables_are_gone_says_so(open_session):
    first = open_session({"code": "x = 1", "language": "shell"}, "Hello.")
    say(first)
    first.close_factory()
    shutil.rmtree(data_directory() / "variables", ignore_errors=True)
    again = open_session("Hello again.", resume=first.id)
    say(again)
    [news] = [m.text for m in again.transcript if m.audience == "assistant"]
    assert news == "The variables of this session are not back: none were saved."


def test_a_session_that_goes_on_undoes_and_redoes_what_was_done_before(changed, open_session, work):
    before = list(changed.transcript)
    changed.close_factory()
    again = open_session("Ok.", resume=changed.id)
    told = again.undo()
    assert told.startswith("Undone: 1 block of before the restart, and files put back; variables")
    assert (work / "kept.txt").read_text() == "original"
    assert list(again.transcript) == before[:5]
    again.close_factory()
    third = open_session("Ok.", resume=changed.id)
    third.redo()
    assert (work / "kept.txt").read_text() == "changed"
    assert not (work / "gone.txt").exists()
    assert list(third.transcript) == before
    third.undo_to("000001")
    assert (work / "kept.txt").read_text() == "original"
    assert [message.role for message in third.transcript] == ["user"]


def test_what_the_user_runs_by_hand_is_a_block_of_its_own(open_session, work):
    session = open_session({"code": "open('a', 'w').write('model')"}, "Done.")
    say(session)
    code = Code("shell", "echo mine > b")
    list(session.by_hand(code, session.run(code)))
    assert (work / "b").exists()
    session.undo()
    assert (work / "a").exists()
    assert not (work / "b").exists()
    assert len(session.transcript) == 4
    session.undo()
    assert not (work / "a").exists()


def test_values_put_by_hand_belong_to_no_block(open_session):
    session = open_session({"code": "x = 1"}, "Set.", {"code": "y = 2"}, "Set.", LOOK, "Looked.")
    say(session)
    wait_until(lambda: list(session.exchange.glob("after-*.frozen")))
    list(session.run(Code("python", "x = 7")))
    say(session)
    session.undo()
    say(session, "look")
    assert printed(session) == "7 False\n"


def test_even_the_first_block_is_undone(open_session):
    session = open_session(
        {"code": "x = 1"}, "Set.", {"code": "print('x' in globals())"}, "Looked."
    )
    say(session)
    assert "x removed" in session.undo()
    say(session, "look")
    assert printed(session) == "False\n"


LARGE = 3 << 30  # bytes, of a file with nothing in it


@pytest.fixture
def large(work):
    path = work / "data.bin"
    with path.open("wb") as file:
        file.truncate(LARGE)
    return path


CHANGE_IN_PLACE = {"code": "with open('data.bin', 'r+b') as file: file.write(b'x')"}


def test_a_file_too_large_to_keep_is_announced_before_the_block_runs(open_session, large):
    asked = []

    def approve(request):
        asked.append(request.reason)
        return Decision("no")

    say(open_session(CHANGE_IN_PLACE, "Ok.", approve=approve))
    assert "data.bin, 3 GB, cannot be undone if it is changed in place." in asked[0]
    with large.open("rb") as file:
        assert file.read(1) == b"\0"


def test_without_questions_it_is_said_and_the_block_runs(open_session, large):
    session = open_session(CHANGE_IN_PLACE, "Ok.")
    events = say(session)
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == [
        "data.bin, 3 GB, cannot be undone if it is changed in place.",
        f"{large} is too large to keep and cannot be undone",
    ]
    assert "too large to keep" in printed(session)


@pytest.mark.parametrize(("answer", "first"), [("yes", b"x"), ("no", b"\0")])
def test_a_large_file_that_was_not_named_is_asked_about_when_it_is_opened(
    open_session, large, answer, first
):
    asked = []

    def approve(request):
        asked.append(request)
        return Decision("yes" if isinstance(request.action, Code) else answer)

    code = {"code": "import glob\nfor name in glob.glob('*.b*'): open(name, 'r+b').write(b'x')"}
    say(open_session(code, "Ok.", approve=approve))
    assert [request.action.tool for request in asked[1:]] == ["write"]
    assert "this cannot be undone" in asked[1].reason
    with large.open("rb") as file:
        assert file.read(1) == first


def test_programs_that_code_starts_see_nothing_of_how_its_kernel_is_set_up(open_session):
    session = open_session({"code": "import os; print('GLIBC_TUNABLES' in os.environ)"}, "Ok.")
    say(session)
    assert printed(session) == "False\n"


def test_blocks_are_redone_all_or_none(open_session, work):
    session = open_session(
        {"code": "open('a', 'w').write('1')"}, {"code": "open('b', 'w').write('2')"}, "Done."
    )
    say(session)
    session.undo_message()
    (work / "b").write_text("mine")
    with pytest.raises(CheckpointConflict, match="b"):
        session.redo()
    assert [path.name for path in work.iterdir()] == ["b"]
    assert list(session.transcript) == []
    session.redo(conflicts="keep")
    assert {path.name: path.read_text() for path in work.iterdir()} == {"a": "1", "b": "mine"}
    assert len(session.transcript) == 6


def test_the_space_of_sessions_long_past_is_returned(open_session, work):
    undo = data_directory() / "undo"
    undo.mkdir(parents=True)
    for number in range(60):
        (undo / f"2020-{number:02}").mkdir()
        os.utime(undo / f"2020-{number:02}", (number, number))
    (undo / "unkept-999999999-x").mkdir()
    session = open_session({"code": "open('a', 'w').write('1'); x = 1"}, "Done.")
    say(session)
    session.close_factory()
    left = sorted(path.name for path in undo.iterdir())
    assert left[:2] == ["2020-11", "2020-12"]
    assert [name for name in left if name.startswith("unkept")] == []
    assert list((data_directory() / "variables").glob("*.variables"))
    forget_session(session.id)
    assert [path for path in undo.iterdir() if path.name.startswith(session.id)] == []
    assert list((data_directory() / "variables").glob("*.variables")) == []


def test_a_session_that_is_not_kept_leaves_nothing(open_session, work):
    session = open_session({"code": "open('a', 'w').write('1')"}, "Done.", keep_history=False)
    say(session)
    session.undo()
    session.close_factory()
    assert list(work.iterdir()) == []
    assert list((data_directory() / "undo").iterdir()) == []


def test_a_copy_of_a_session_goes_on_with_what_was_spent(open_session):
    session = open_session("A long answer, so that something was spent.")
    say(session)
    factory = session.factory
    before = factory.budget.session
    settings = Settings(model="scripted/demo", auto_run=True)
    factory.open_session(settings, resume=factory.store.fork(session.id), in_this_environment=True)
    assert (factory.budget.session, before.output > 0) == (before, True)
