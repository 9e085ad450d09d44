"""Hooks of the user's and of a project's files in whole sessions, in the cell with all its walls."""

import json
from dataclasses import replace

import pytest

from interpreter.assembly import SessionFactory
from interpreter.assembly.hooks import user_file
from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested, ExecutionFinished, TurnFinished
from interpreter.protocol.hooks import Hook, HookAnswer
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import nobody_answers
from interpreter.settings import trust
from interpreter.settings.settings import Settings


@pytest.fixture
def work(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def start(work):
    """Opens a session with a script of shell lines and words; what was asked and told is kept."""
    opened = []

    def start(*replies, hooks=(), auto_run=True, answer="yes", **settings):
        chosen = Settings(model="scripted/demo", auto_run=auto_run, **settings)
        asked, told = [], []

        def approve(request):
            asked.append(request)
            return Decision(answer)

        face = replace(FaceCallbacks(), notice=told.append)
        factory = SessionFactory(chosen, approve, nobody_answers, face)
        opened.append(factory)
        factory.hooks.add(*hooks)
        script = [
            {"language": "shell", "code": line[1:]} if line.startswith("!") else line
            for line in replies
        ]
        session = factory.open_session(chosen, model=ScriptedModel(script))
        return factory, session, asked, told

    yield start
    for factory in opened:
        factory.close()


def write(file, **events):
    """Commands by event; `Event_Matcher` names both."""
    table = {}
    for name, command in events.items():
        event, _, matcher = name.partition("_")
        entry = command if isinstance(command, dict) else {"command": command}
        group = {"matcher": matcher, "hooks": [{"type": "command", **entry}]}
        table.setdefault(event, []).append(group)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"hooks": table}))


def texts(session):
    parts = (part for message in session.transcript for part in message.parts)
    return "\n".join(str(part) for part in parts)


def end(events):
    return next(event for event in events if isinstance(event, TurnFinished))


def test_the_events_of_a_session_reach_the_hooks_of_a_trusted_project(work, start):
    keep = "cat >> events.jsonl"
    write(
        work / ".claude" / "settings.json",
        SessionStart=f"{keep}; echo We use tabs.",
        UserPromptSubmit=f"{keep}; echo It is Monday.",
        PreToolUse=keep,
        PostToolUse_Bash=f'{keep}; echo \'{{"decision": "block", "reason": "Format it."}}\'',
        PostToolUseFailure=keep,
        Stop=keep,
        SessionEnd=keep,
    )
    trust.trust(work)
    factory, session, _, _ = start("!echo hello", "!false", "Done.")
    events = list(session.send("go"))
    assert end(events) == TurnFinished("answered")
    factory.close()
    seen = [json.loads(line) for line in (work / "events.jsonl").read_text().splitlines()]
    assert [one["hook_event_name"] for one in seen] == [
        *("UserPromptSubmit", "SessionStart", "PreToolUse", "PostToolUse"),
        *("PreToolUse", "PostToolUseFailure", "Stop", "SessionEnd"),
    ]
    assert {(one["cwd"], one["session_id"], one["permission_mode"]) for one in seen} == {
        (str(work), session.id, "bypassPermissions")
    }
    assert seen[0]["prompt"] == "go"
    used = seen[3]
    assert (used["tool_name"], used["tool_input"]) == ("Bash", {"command": "echo hello"})
    assert "hello" in used["tool_response"]["output"]
    assert seen[6]["last_assistant_message"] == "Done."
    said = texts(session)
    for words in ("We use tabs.", "It is Monday.", "Format it."):
        assert words in said


def test_without_trust_a_projects_hooks_are_left_out(work, start):
    write(work / ".claude" / "settings.json", PreToolUse="touch ran; exit 2")
    _, session, _, _ = start("!echo hello", "Done.")
    assert end(list(session.send("go"))) == TurnFinished("answered")
    assert not (work / "ran").exists()


def test_a_refusal_holds_with_y_and_a_changed_input_is_what_is_asked_about_and_runs(work, start):
    change = {"hookSpecificOutput": {"updatedInput": {"command": "echo changed > made"}}}
    write(
        user_file(),
        PreToolUse_Bash=f"grep -q wrong && {{ echo never >&2; exit 2; }}; echo '{json.dumps(change)}'",
    )
    _, session, asked, _ = start("!echo wrong > made", "!echo right > made", "Done.")
    list(session.send("go"))
    assert "never" in texts(session)
    assert (work / "made").read_text() == "changed\n"
    assert asked == []
    _, session, asked, _ = start("!echo right > made", "Done.", auto_run=False)
    list(session.send("go"))
    assert asked[0].action == Code("shell", "echo changed > made", asked[0].action.call_id)


def test_commands_run_in_the_cell_unless_the_users_own_file_says_otherwise(work, start, own_home):
    (own_home / "mine").write_text("mine")
    look = f"cat {own_home}/mine >&2 || echo hidden >&2; exit 2"
    write(user_file(), PreToolUse_Bash=look)
    _, session, _, _ = start("!echo hello", "Done.")
    list(session.send("go"))
    assert "hidden" in texts(session)
    write(user_file(), PreToolUse_Bash={"command": look, "outside": True})
    _, session, _, _ = start("!echo hello", "Done.")
    list(session.send("go"))
    assert "summary='mine'" in texts(session)


def test_a_hook_that_hangs_asks_even_with_y_and_nothing_runs_unanswered(work, start):
    write(user_file(), PreToolUse={"command": "sleep 60", "timeout": 0.3})
    _, session, asked, told = start("!touch made", "Done.", answer="no")
    list(session.send("go"))
    assert "it took longer than 0.3 seconds" in asked[0].reason
    assert "it took longer than 0.3 seconds" in told[0]
    assert not (work / "made").exists()


def test_functions_are_hooks_too(start, work):
    seen = []

    def permit(call):
        seen.append((call.event, call.payload["tool_name"]))
        return HookAnswer("allow" if "good" in str(call.payload) else "deny", "not so")

    mine = Hook("PermissionRequest", permit, "Bash", may_allow=True)
    _, session, asked, _ = start(
        "!touch good", "!touch bad", "Done.", hooks=[mine], auto_run=False, answer="no"
    )
    events = list(session.send("go"))
    assert seen == [("PermissionRequest", "Bash")] * 2
    assert asked == []
    assert sum(isinstance(event, ApprovalRequested) for event in events) == 2
    assert [event.outcome for event in events if isinstance(event, ExecutionFinished)] == ["ok"]
    assert ((work / "good").exists(), (work / "bad").exists()) == (True, False)


def test_a_hooks_yes_does_not_answer_a_question_that_has_a_reason(start, work):
    (work / ".env").write_text("PASSWORD=x")
    yes = [
        Hook(event, lambda call: HookAnswer("allow"), may_allow=True)
        for event in ("PreToolUse", "PermissionRequest")
    ]
    _, session, asked, _ = start("!cat ./.env", "Done.", hooks=yes, answer="no")
    list(session.send("go"))
    assert len(asked) == 1


def test_a_message_can_be_refused_and_the_model_be_sent_on(start):
    def refuse(call):
        bad = "secret" in call.payload["prompt"]
        return HookAnswer("deny", "no secrets, please") if bad else HookAnswer()

    active = []

    def go_on(call):
        active.append(call.payload["stop_hook_active"])
        return HookAnswer("deny", "Run the tests.")

    hooks = [Hook("UserPromptSubmit", refuse), Hook("Stop", go_on)]
    _, session, _, _ = start(*["Done."] * 10, hooks=hooks)
    assert list(session.send("a secret")) == [TurnFinished("declined", "no secrets, please")]
    assert len(session.transcript) == 0
    assert end(list(session.send("go"))) == TurnFinished("answered")
    assert active == [False, *[True] * 5]
    assert texts(session).count("Run the tests.") == 5


def test_a_hook_ends_the_turn(start):
    stop = Hook("PreToolUse", lambda call: HookAnswer(stop="enough"))
    _, session, _, _ = start("!echo 1", "!echo 2", "Done.", hooks=[stop])
    assert end(list(session.send("go"))) == TurnFinished("declined", "enough")


def test_the_command_lists_what_counts_here_and_what_is_left_out(work, capsys):
    from interpreter.terminal.subcommands.trust import hooks_command

    hooks_command([])
    assert "There are no hooks." in capsys.readouterr().out
    write(user_file(), Stop={"command": "notify-send done", "outside": True})
    write(work / ".agents" / "hooks.json", PreToolUse_Bash="check.sh")
    hooks_command([])
    out = capsys.readouterr().out
    assert "Stop: notify-send done\n  outside of the sandbox, 60 s; from" in out
    assert f"Not used, because this directory is not trusted: {work}/.agents/hooks.json" in out
    trust.trust(work)
    hooks_command([])
    out = capsys.readouterr().out
    assert "PreToolUse Bash: check.sh\n  in the sandbox, 60 s; from" in out
    assert "Not used" not in out
