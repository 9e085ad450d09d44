"""Commands as hooks: what each way of ending says, and that none that fails is a yes."""

import json
import subprocess

import pytest

from interpreter.hooks import command as commands
from interpreter.hooks.command import as_hook
from interpreter.hooks.configuration import CommandHook, read_files
from interpreter.hooks.dispatch import Hooks
from interpreter.protocol.hooks import Hook, HookAnswer, HookCall, HookFailed

USE = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_use_id": "1"}
BEFORE = HookCall("PreToolUse", USE)


class Program(subprocess.Popen):
    def signal_group(self, signal):
        self.send_signal(signal)


def start(hook):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return Program(["/bin/sh", "-c", hook.command], **pipes)


def answer(command, call=BEFORE, source="user", **options):
    told = []
    hook = CommandHook(call.event, options.pop("matcher", ""), command, "", source, **options)
    found = Hooks(told.append, [as_hook(hook, start)]).run(call)
    return found, told


def say(output):
    return f"echo '{json.dumps(output)}'"


def ruling(word, **more):
    special = {"hookEventName": "PreToolUse", "permissionDecision": word, **more}
    return say({"hookSpecificOutput": special})


def test_a_command_is_given_the_event_and_answers_by_its_status():
    assert answer("true") == (HookAnswer(), [])
    assert answer("grep -q 'git push' && echo 'not on Fridays' >&2 && exit 2") == (
        HookAnswer("deny", "not on Fridays"),
        [],
    )
    found, told = answer("echo a lint >&2; exit 1")
    assert found.ruling is None
    assert told == ["A hook for PreToolUse ended with status 1: a lint"]


def test_a_command_answers_in_json():
    found, _ = answer(ruling("ask", permissionDecisionReason="sure?", additionalContext="be kind"))
    assert found == HookAnswer("ask", "sure?", context="be kind")
    found, _ = answer(ruling("allow", updatedInput={"command": "git fetch"}))
    assert found == HookAnswer("allow", new_input={"command": "git fetch"})
    found, told = answer(say({"continue": False, "stopReason": "enough", "systemMessage": "hi"}))
    assert (found.stop, told) == ("enough", ["hi"])
    assert answer(say({"decision": "block", "reason": "old"}))[0] == HookAnswer("deny", "old")


def test_only_what_is_the_users_own_says_yes():
    assert answer(ruling("allow"))[0].ruling == "allow"
    assert answer(ruling("allow"), source="project")[0].ruling is None
    assert answer(ruling("deny"), source="project")[0].ruling == "deny"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("sleep 60", "it took longer than 0.2 seconds"),
        ("kill -9 $$", "it could not be run, or was killed"),
        ("/no/such/program", "it could not be run, or was killed"),
        ('echo \'{"hookSpecificOutput": {"permission\'', "what it printed is no JSON"),
        ("yes", "it printed more than"),
    ],
)
def test_one_that_hangs_floods_or_dies_asks_and_is_told(command, why, monkeypatch):
    monkeypatch.setattr(commands, "MOST_PRINTED", 10_000)
    found, (told,) = answer(command, seconds=0.2 if "sleep" in command else 20.0)
    assert found.ruling == "ask"
    assert why in found.reason
    assert why in told
    after = HookCall("PostToolUse", {**USE, "tool_response": {}})
    assert answer(command, after, seconds=0.2)[0] == HookAnswer()


def test_what_a_command_leaves_running_is_not_waited_for():
    found, _ = answer("sleep 60 & " + ruling("deny"), seconds=20)
    assert found.ruling == "deny"


def test_deny_beats_ask_and_ask_beats_allow():
    def hook(word):
        return Hook("PreToolUse", lambda call: HookAnswer(word, word), may_allow=True)

    def together(*words):
        return Hooks(print, map(hook, words)).run(BEFORE).ruling

    assert together("allow", "ask") == together("ask", "allow") == "ask"
    assert together("ask", "deny", "allow") == together("deny", "ask") == "deny"


def test_a_function_that_fails_asks():
    def broken(call):
        raise HookFailed("nobody listens.")

    told = []
    found = Hooks(told.append, [Hook("PreToolUse", broken, name="mine")]).run(BEFORE)
    assert found.ruling == "ask"
    assert told == ["The hook mine for PreToolUse gave no answer: nobody listens."]


def test_matchers_and_conditions_choose():
    no = "exit 2"
    assert answer(no, matcher="Bash|Edit")[0].ruling == "deny"
    assert answer(no, matcher="Bas")[0].ruling is None
    assert answer(no, matcher="*")[0].ruling == "deny"
    assert answer(no, matcher="(")[0].ruling is None
    assert answer(no, condition="Bash(git *)")[0].ruling == "deny"
    assert answer(no, condition="Bash(git commit *)")[0].ruling is None
    assert answer(no, condition="Edit")[0].ruling is None


def test_plain_text_is_context_where_a_session_or_a_message_begins():
    started = HookCall("SessionStart", {"source": "startup"})
    assert answer("echo use tabs", started)[0] == HookAnswer(context="use tabs")
    assert answer("echo use tabs")[0] == HookAnswer()


def test_files_are_read_and_what_other_agents_know_is_left_out_and_said(tmp_path):
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    commands = [
        {"type": "command", "command": "one", "timeout": 5, "if": "Bash(rm *)"},
        {"type": "http", "url": "https://example.org"},
    ]
    table = {"PreToolUse": [{"matcher": "Bash", "hooks": commands}], "Sometimes": []}
    file.write_text(json.dumps({"hooks": table, "model": "x"}))
    found = read_files([(file, "project"), (tmp_path / "none.json", "user")])
    one = CommandHook("PreToolUse", "Bash", "one", file, "project", 5.0, "Bash(rm *)")
    assert (found.hooks, found.mistakes) == ((one,), ())
    assert found.left_out == (
        f"{file}: only commands are run for PreToolUse, not 'http'.",
        f"{file}: these events do not exist here: Sometimes.",
    )


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("[]", "its `hooks` are no JSON object"),
        ("{", "cannot be read"),
        ('{"hooks": []}', "its `hooks` are no JSON object"),
        ('{"hoks": {}}', "its `hooks` are no JSON object"),
        ('{"hooks": {"PreTolUse": []}}', "these events do not exist here: PreTolUse"),
        ('{"hooks": {"Stop": {}}}', "what stands below Stop is no list of objects"),
        ('{"hooks": {"Stop": [{"hooks": ["x"]}]}}', "Stop is no list of objects"),
        ('{"hooks": {"Stop": [{"hooks": [{"command": 3}]}]}}', "its command is no text"),
        ('{"hooks": {"Stop": [{"hooks": [{"type": "http"}]}]}}', "only commands are run"),
        ('{"hooks": {"Stop": [{"matcher": "(", "hooks": [{"command": "x"}]}]}}', "its matcher"),
        ('{"hooks": {"Stop": [{"hooks": [{"command": "x", "timeout": "1"}]}]}}', "its timeout"),
    ],
)
def test_a_mistake_in_a_file_of_ours_is_one_and_not_a_hook_less(tmp_path, text, mistake):
    file = tmp_path / "hooks.json"
    file.write_text(text)
    found = read_files([(file, "user")])
    assert (found.hooks, found.left_out, len(found.mistakes)) == ((), (), 1)
    assert str(file) in found.mistakes[0]
    assert mistake in found.mistakes[0]


def test_only_the_users_own_file_has_hooks_outside_of_the_sandbox(tmp_path):
    file = tmp_path / "hooks.json"
    entry = {"type": "command", "command": "two", "outside": True}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    assert [hook.outside for hook in read_files([(file, "user")]).hooks] == [True]
    (mistake,) = read_files([(file, "project")]).mistakes
    assert "only your own file can have a hook outside" in mistake
