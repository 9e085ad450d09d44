"""The parts of the headless face: flags, rules about tools, ids of messages, lines."""

import json
import os
import shlex
import threading
from pathlib import Path

import pytest

from interpreter.headless.control import ControlReply, ControlRequests
from interpreter.headless.flags import split, with_mode
from interpreter.headless.lines import LONGEST_SENT, BrokenLine, LineReader, LineWriter
from interpreter.headless.message_ids import new_id, next_checkpoint
from interpreter.headless.tool_rules import ToolRules
from interpreter.protocol.hooks import HookCall
from interpreter.settings.settings import Settings


def test_flags_of_a_program_become_settings_and_the_rest_is_left():
    options, others = split(
        shlex.split(
            "--output-format json --print --max-turns=3 --max-budget-usd 0.5 --effort xhigh "
            "--append-system-prompt more --allowedTools Bash(ls:*),execute --allowed_tools jobs "
            "--no-session-persistence --betas x --model m --resume=abc -y hello"
        )
    )
    assert others == ["--model", "m", "--resume=abc", "-y", "hello"]
    assert options.allowed == ("Bash(ls:*)", "execute", "jobs")
    settings = options.applied(Settings(custom_instructions="mine"))
    expected = (3, 0.5, "high", "mine\n\nmore", False)
    assert expected == (
        settings.max_steps,
        settings.max_budget,
        settings.reasoning_effort,
        settings.custom_instructions,
        settings.keep_history,
    )


def test_what_comes_after_two_dashes_is_a_message():
    options, others = split(["--print", "--", "--output-format", "json"])
    assert (options.output, others) == ("text", ["--", "--output-format", "json"])


def test_each_mode_says_who_decides():
    usual = Settings(auto_run=True)
    modes = ["", "default", "acceptEdits", "dontAsk", "plan", "auto", "bypassPermissions"]
    found = [(with_mode(usual, mode).approval, with_mode(usual, mode).safe_mode) for mode in modes]
    asks = [("ask", "off")] * 3
    assert found == [("", "off"), *asks, ("never", "off"), ("auto", "auto"), ("auto", "off")]


def ruling(rules, name, **given):
    call = HookCall("PreToolUse", {"tool_name": name, "tool_input": given})
    return rules.hook().run(call).ruling


@pytest.mark.parametrize(
    ("rule", "command", "allows", "denies"),
    [
        ("Bash", "rm x", "allow", "deny"),
        ("Bash(*)", "rm x", "allow", "deny"),
        ("*", "rm x", "allow", "deny"),
        ("Bash(git log:*)", "git log -3", "allow", "deny"),
        ("Bash(git log *)", "git log -3", "allow", "deny"),
        ("Bash(git log:*)", "git log; rm x", None, "deny"),
        ("Bash(git log:*)", "git logout", None, None),
        ("Bash(git log:*)", "echo $(git log)", None, "deny"),
        ("Bash(ls)", "ls", "allow", "deny"),
        ("Bash(ls)", "ls -l", None, "deny"),
        ("Bash(:*)", "ls", None, None),
        ("execute", "ls", None, None),
        ("Read", "ls", None, None),
    ],
)
def test_a_rule_allows_what_is_all_of_it_and_denies_what_has_some_of_it(
    rule, command, allows, denies
):
    assert ruling(ToolRules([rule]), "Bash", command=command) == allows
    assert ruling(ToolRules(["Bash"], [rule]), "Bash", command=command) == (denies or "allow")


def test_rules_know_languages_servers_and_tools_that_there_are_not():
    rules = ToolRules(["execute(python)", "mcp__calc"], only=["execute"])
    assert ruling(rules, "execute", language="Python", code="1") == "allow"
    assert ruling(rules, "execute", language="r", code="1") is None
    assert ruling(rules, "mcp__calc__add") == "allow"
    assert ruling(rules, "mcp__calculator__add") is None
    assert ruling(rules, "Bash", command="ls") == "deny"
    rules.mode = "plan"
    assert ruling(rules, "execute", language="python", code="1") == "deny"


def test_an_id_of_a_message_leads_to_the_block_after_it():
    blocks = ("000001", "000002")
    ids = [new_id("s", checkpoint) for checkpoint in ("", "", *blocks)]
    assert len(set(ids)) == 4
    found = [next_checkpoint(one, "s", blocks) for one in ids]
    assert found == ["000001", "000001", "000002", ""]
    assert next_checkpoint(ids[0], "another", blocks) is None
    assert next_checkpoint(ids[3], "s", blocks[:1]) is None
    assert next_checkpoint("nonsense", "s", blocks) is None


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def test_lines_are_read_whole_and_the_last_needs_no_end(pipe):
    reading, writing = pipe
    os.write(writing, b'{"a": 1}\n\n  \n{"b"')
    os.write(writing, b': "\xc3\xa4"}')
    os.close(writing)
    assert list(LineReader(reading)) == [{"a": 1}, {"b": "ä"}]


def test_a_line_of_too_many_values_is_refused(pipe):
    reading, writing = pipe
    line = b"[" + b"[]," * 300_000 + b"[]]\n"
    thread = threading.Thread(target=lambda: (os.write(writing, line), os.close(writing)))
    thread.start()
    with pytest.raises(BrokenLine, match="more than"):
        list(LineReader(reading))
    os.read(reading, 1 << 24)
    thread.join()


def test_a_long_line_is_shortened_and_stays_json(tmp_path):
    with (tmp_path / "out").open("wb") as file:
        writer = LineWriter(file.fileno())
        writer.send({"type": "x", "texts": ["ä" * 400_000, "short"], "deep": [{"a": "b" * 10**6}]})
        writer.send({"odd": "\ud800"})
    first, second = (tmp_path / "out").read_bytes().splitlines()
    assert len(first) < LONGEST_SENT
    told = json.loads(first)
    assert told["texts"][1] == "short"
    assert "characters left out" in told["texts"][0]
    assert json.loads(second) == {"odd": "\ud800"}


def test_whatever_ends_the_waiting_there_is_an_answer():
    sent, got = [], []
    control = ControlRequests(sent.append)
    one, two, three = (control.ask({"n": n}, got.append) for n in range(3))
    control.answered({"subtype": "success", "request_id": one, "response": {"x": 1}})
    control.answered({"subtype": "success", "request_id": one, "response": {"x": 2}})
    control.answered({"subtype": "error", "request_id": two, "error": "no"})
    control.answered("nonsense")
    assert got == [ControlReply("success", {"x": 1}), ControlReply("error", {}, "no")]
    assert control.call({"n": 4}, 0.01).kind == "nobody"
    assert sent[-1]["type"] == "control_cancel_request"
    control.close("it is over")
    assert got[-1] == ControlReply("nobody", {}, "it is over")
    count = len(sent)
    assert control.call({"n": 5}, 60) == ControlReply("nobody", {}, "it is over")
    big = ControlRequests(sent.append)
    assert big.call({"code": "x" * 2_000_000}, 60).kind == "nobody"
    assert len(sent) == count
    assert three


def test_the_page_names_every_flag_that_is_refused():
    page = (Path(__file__).parents[2] / "docs" / "headless.md").read_text(encoding="utf-8")
    assert all(word in page for word in ("`agents`", "`plugins`", "`session_store`"))
