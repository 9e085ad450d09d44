"""Whole turns in which code writes what would run later: who is asked, and what is left."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.live import wait_until

from interpreter import Interpreter
from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.messages import ActionCall
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings

HANG = 60


@pytest.fixture
def work(tmp_path):
    place = tmp_path / "work"
    place.mkdir()
    for words in (["init", "-q", "."], ["commit", "-q", "--allow-empty", "-m", "first"]):
        identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        subprocess.run(["git", *identity, *words], cwd=place, check=True)
    (place / ".envrc").write_text("mine\n")
    return place


def write_script(tmp_path, *steps):
    file = tmp_path / "script.json"
    file.write_text(json.dumps([*steps]))
    return f"scripted/{file}"


def shell(source):
    return {"code": source, "language": "shell"}


@pytest.mark.parametrize(("answer", "value"), [("yes", "less\n"), ("no", "")])
def test_a_setting_of_git_is_asked_about_even_where_code_runs_unasked(
    work, tmp_path, answer, value
):
    asked = []

    def approve(request):
        asked.append(request)
        return Decision(answer)

    model = write_script(tmp_path, shell("git config core.pager less; git log --oneline"), "Done.")
    with Interpreter(model=model, auto_run=True, workspace=str(work), approve=approve) as it:
        it.ask("go")
    (request,) = asked
    config = str(work / ".git/config")
    lines = ["core.pager = less"]
    assert request.action == ActionCall("git", json.dumps({"path": config, "lines": lines}))
    assert request.reason == f"This block writes into {config}:\ncore.pager = less"
    command = ["git", "-C", str(work), "config", "core.pager"]
    assert subprocess.run(command, capture_output=True, text=True).stdout == value


def test_one_question_lists_all_files_and_no_puts_them_back(work, tmp_path):
    asked = []

    def approve(request):
        asked.append(request.reason)
        return Decision("no")

    source = "echo evil > .en''vrc; mkdir .vs''code; echo {} > .vs''code/tasks.json; echo a > a"
    model = write_script(tmp_path, shell(source), "Done.")
    with Interpreter(model=model, auto_run=True, workspace=str(work), approve=approve) as it:
        it.ask("go")
        assert asked == [
            "The block changed files that run by themselves: .envrc, .vscode/tasks.json. Keep them?"
        ]
        assert (work / ".envrc").read_text() == "mine\n"
        assert not (work / ".vscode/tasks.json").exists()
        assert (work / "a").read_text() == "a\n"
        it.undo()
        assert sorted(path.name for path in work.iterdir()) == [".envrc", ".git"]


def test_a_question_that_is_left_open_is_a_no(work, tmp_path):
    model = write_script(tmp_path, shell("echo evil > .en''vrc"), "Done.")
    with Interpreter(model=model, auto_run=True, workspace=str(work)) as it:
        events = it.stream("go")
        for event in events:
            if isinstance(event, ApprovalRequested):
                assert (work / ".envrc").read_text() == "evil\n"
                events.close()
        assert (work / ".envrc").read_text() == "mine\n"


HOST = """
import sys
from interpreter import Interpreter
from interpreter.protocol.events import ApprovalRequested
it = Interpreter(model=sys.argv[1], auto_run=True, workspace=sys.argv[2])
for event in it.stream("go"):
    if isinstance(event, ApprovalRequested):
        print("asked", flush=True)
        sys.stdin.read()
"""


def test_the_host_may_be_killed_while_it_asks(work, tmp_path):
    model = write_script(tmp_path, shell("echo evil > .en''vrc"), "Done.")
    command = [sys.executable, "-c", HOST, model, str(work)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdout.readline() == b"asked\n"
        (journal,) = children(host.pid, "interpreter.checkpoints.journal.supervisor")
        watched = os.pidfd_open(journal)
        host.kill()
    # It ends when the cell is empty, and has put things back by then.
    waiting = select.poll()
    waiting.register(watched, 1)
    assert waiting.poll(HANG * 1000)
    os.close(watched)
    assert (work / ".envrc").read_text() == "mine\n"
    assert host.returncode == -signal.SIGKILL


def children(pid, word):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    for child in {one for task in tasks for one in (task / "children").read_text().split()}:
        if word in Path(f"/proc/{child}/cmdline").read_text():
            yield int(child)


def test_what_the_user_writes_between_two_blocks_is_the_users_own(work):
    """A copy of the kernel is made between them, which must not look like something of the code's:
    what changes while programs go on counts as theirs."""
    asked = []

    def approve(request):
        asked.append(request)
        return Decision("no")

    settings = Settings(model="scripted/demo", auto_run=True, workspace=str(work))
    factory = SessionFactory(settings, approve, nobody_answers)
    script = [step for number in range(6) for step in ({"code": f"x = {number}"}, "Done.")]
    session = factory.open_session(settings, model=ScriptedModel(script))
    try:
        list(session.send("go"))
        variables = factory.environment.session_cell.opened.variables
        for number in range(5):
            wait_until(lambda: variables.state)  # the copy is there
            (work / ".envrc").write_text(f"the user's, {number}\n")
            list(session.send("go on"))
    finally:
        factory.close()
    assert (asked, (work / ".envrc").read_text()) == ([], "the user's, 4\n")
