"""The unmodified Claude Agent SDK drives our program through its `cli_path`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
import yaml

PEER = Path(__file__).parents[2] / ".peers" / "agentsdk" / "bin" / "python"
CLIENT = Path(__file__).parent / "agent_sdk_client.py"


@pytest.fixture(scope="module")
def client():
    """The SDK in a process of its own, which is started once: its import is slow."""
    if not PEER.exists():
        pytest.skip("the Claude Agent SDK is not installed here; scripts/peers installs it")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([PEER, CLIENT], **pipes) as process:
        yield process
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.fixture
def sdk(client, tmp_path, monkeypatch, own_home):
    """Run a scenario against a script; what the SDK saw."""
    program = tmp_path / "interpreter"
    values = "\n".join(
        f"export {name}={own_home / name.lower()}"
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    )
    program.write_text(f'#!/bin/sh\n{values}\nexec {sys.executable} -m interpreter "$@"\n')
    program.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    (own_home / "home").mkdir()

    def run(scenario, *replies, session="", more=None, **scripts):
        for name, script in {"script": replies, **scripts}.items():
            (work / f"{name}.yaml").write_text(yaml.safe_dump(list(script)))
        wish = {"scenario": scenario, "cli": str(program), "work": str(work)}
        wish |= {"script": str(work / "script.yaml"), "session": session, **(more or {})}
        client.stdin.write(json.dumps(wish) + "\n")
        client.stdin.flush()
        answer = json.loads(client.stdout.readline())
        assert "failed" not in answer, answer
        return answer["value"]

    run.work = work
    return run


def kinds(messages):
    return [message["is"] for message in messages]


def only(messages, kind):
    return [message for message in messages if message["is"] == kind]


def result(messages):
    (found,) = only(messages, "ResultMessage")
    return found


def tool_results(messages):
    return [
        block["content"]
        for message in only(messages, "UserMessage")
        for block in message["content"]
        if isinstance(block, dict)
    ]


CODE = {"text": "Let me see.", "code": "print(6 * 7)"}


def test_a_question_is_answered(sdk):
    messages = sdk("one_shot", CODE, "It is 42.")
    told = ["SystemMessage", "AssistantMessage", "UserMessage", "AssistantMessage", "ResultMessage"]
    assert kinds(messages) == told
    init, proposal, output, answer, end = messages
    assert init["subtype"] == "init"
    assert init["data"]["tools"][:2] == ["Bash", "execute"]
    assert init["data"]["permissionMode"] == "bypassPermissions"
    assert proposal["content"][1]["name"] == "execute"
    assert proposal["content"][1]["input"] == {"language": "python", "code": "print(6 * 7)"}
    assert output["content"][0]["tool_use_id"] == proposal["content"][1]["id"]
    assert output["content"][0]["content"] == "42"
    assert answer["content"] == [{"is": "TextBlock", "text": "It is 42."}]
    assert (end["subtype"], end["is_error"], end["result"]) == ("success", False, "It is 42.")
    assert end["num_turns"] == 2
    assert end["session_id"] == init["data"]["session_id"]


def test_variables_stay_between_the_turns_of_a_client(sdk):
    first = {"code": "x = 20"}
    turns = sdk("several_turns", first, "Done.", {"code": "print(x + 1)"}, "21 it is.")
    assert [result(turn)["result"] for turn in turns] == ["Done.", "21 it is."]
    assert tool_results(turns[1]) == ["21"]
    assert result(turns[0])["session_id"] == result(turns[1])["session_id"]


def test_the_callback_allows_denies_and_changes(sdk):
    replies = [{"code": f"print({word!r})"} for word in ("one", "two", "three")]
    found = sdk("permission", *replies, "Done.")
    assert [entry[1]["code"] for entry in found["asked"]] == [
        "print('one')", "print('two')", "print('three')",
    ]  # fmt: skip
    assert all(entry[0] == "execute" and entry[2] for entry in found["asked"])
    assert tool_results(found["messages"]) == ["one", "not today", "changed"]
    end = result(found["messages"])
    assert end["subtype"] == "success"
    assert [one["tool_input"]["code"] for one in end["permission_denials"]] == ["print('two')"]


def test_a_denial_can_end_the_turn(sdk):
    found = sdk("denied_for_good", CODE, "Never said.")
    end = result(found["messages"])
    assert (end["subtype"], end["is_error"]) == ("error_during_execution", True)
    assert end["errors"] == ["Stop it."]


def test_tools_are_allowed_and_disallowed_by_rules(sdk):
    shell = [{"code": f"echo {word}", "language": "shell"} for word in ("yes", "no")]
    messages = sdk("allowed_tools", CODE, *shell, "Done.")
    first, second, third = tool_results(messages)
    assert (first, second) == ("42", "yes")
    assert "may not be used" in third
    assert only(messages, "AssistantMessage")[1]["content"][0]["name"] == "Bash"


def test_hooks_judge_change_and_hear(sdk):
    found = sdk(
        "hooks",
        {"code": "print('as proposed')"},
        {"code": "print('forbidden')"},
        "I stop here.",
        "One more thing is done.",
    )
    assert tool_results(found["messages"]) == [
        "from the hook\n[remember the milk]",
        "not that",
    ]
    assert result(found["messages"])["result"] == "One more thing is done."
    blocked = result(found["blocked"])
    assert blocked["is_error"]
    assert "say nothing of that" in blocked["errors"][0].lower()
    names = [entry[0] for entry in found["seen"]]
    assert names == [
        "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreToolUse", "Stop", "Stop",
        "UserPromptSubmit",
    ]  # fmt: skip
    assert found["seen"][0][1:] == ["go", result(found["messages"])["session_id"]]


def test_a_block_is_interrupted_and_the_conversation_goes_on(sdk):
    loop = "open('running', 'w').close()\nx = 7\nwhile True: pass"
    found = sdk("interrupted", {"code": loop}, {"code": "print(x)"}, "Seven.")
    end = result(found["first"])
    assert (end["subtype"], end["is_error"]) == ("error_during_execution", True)
    assert tool_results(found["after"]) == ["7"]
    assert result(found["after"])["result"] == "Seven."
    deltas = [event["event"] for event in only(found["first"], "StreamEvent")]
    assert deltas[0]["type"] == "message_start"
    assert deltas[-1]["type"] == "message_stop"
    pieces = [
        event["delta"]["partial_json"]
        for event in deltas
        if event.get("delta", {}).get("type") == "input_json_delta"
    ]
    assert json.loads("".join(pieces)) == {"language": "python", "code": loop}


def test_the_model_and_the_mode_are_changed(sdk):
    found = sdk("other_model", "I am one.", other=["I am another.", CODE, "I only plan."])
    first, second, planned = found["messages"]
    assert result(first)["result"] == "I am one."
    assert result(second)["result"] == "I am another."
    assert "only plans" in tool_results(planned)[0]
    servers, usage = found["status"]
    assert servers == {"mcpServers": []}
    assert usage["maxTokens"] > usage["totalTokens"] > 0


def test_an_answer_fits_the_schema_or_is_asked_for_again(sdk):
    messages = sdk("structured", '{"sum": "five"}', '```json\n{"sum": 5}\n```')
    assert result(messages)["structured_output"] == {"sum": 5}


def test_a_limit_of_turns_is_an_error_of_its_own(sdk):
    found = sdk("limited", CODE, "Too late.")
    end = result(found["messages"])
    assert (end["subtype"], end["is_error"], end["num_turns"]) == ("error_max_turns", True, 1)
    assert found["error"].startswith("ResultError")


def test_a_session_goes_on_and_is_copied(sdk):
    session = str(uuid4())
    turns = sdk(
        "resumed",
        {"code": "x = 5"}, "Set.",
        session=session,
        other=[{"code": "print(x)"}, "Five."],
        copy=["I am a copy."],
    )  # fmt: skip
    first, second, copy = map(result, turns)
    assert first["session_id"] == second["session_id"] == session
    assert tool_results(turns[1]) == ["5"]
    assert copy["session_id"] != session
    assert copy["result"] == "I am a copy."


def test_files_go_back_to_a_message(sdk):
    write = [{"code": f"open('a.txt', 'w').write({word!r})"} for word in ("one", "two")]
    found = sdk("rewound", write[0], "Written.", write[1], "Again.")
    assert found["texts"] == ["one", None]
    assert "There is no message" in found["error"]
    assert kinds(found["opened"]) == ["SystemMessage", "ResultMessage"]  # nobody was asked


def test_tools_of_the_program_are_functions_for_code(sdk):
    code = "print(tools.search('add')); print(tools.calc.add(a=2, b=3))"
    call = {"tool": "calc__add", "arguments": '{"a": 20, "b": 22}'}
    found = sdk("own_tools", {"code": code}, call, "Five.")
    messages = found["messages"]
    assert "mcp__calc__add" in messages[0]["data"]["tools"]
    by_code, by_call = tool_results(messages)
    assert by_code.splitlines()[-1].startswith("5")
    assert by_call == "42"
    assert only(messages, "AssistantMessage")[1]["content"][0]["name"] == "mcp__calc__add"
    end = result(messages)
    assert (end["subtype"], end["permission_denials"]) == ("success", [])
    assert found["seen"] == ["mcp__calc__add"] * 2  # each call once


def test_where_no_callback_is_given_the_model_answers_without(sdk):
    messages = sdk("structured", CODE, '{"sum": 5}')
    assert "nobody is there to ask" in tool_results(messages)[0]
    end = result(messages)
    assert (end["subtype"], end["structured_output"]) == ("success", {"sum": 5})
    assert len(end["permission_denials"]) == 1


def test_programs_and_directories_of_the_command_line_are_used_without_a_question(sdk, tmp_path):
    beside = tmp_path / "beside"
    beside.mkdir()
    code = f"open({str(beside / 'made')!r}, 'w').close()\nprint(tools.small.add(a=2, b=3))"
    server = shutil.copy(Path(__file__).parents[1] / "mcp" / "small_server.py", sdk.work)
    more = {"python": sys.executable, "server": str(server), "beside": str(beside)}
    messages = sdk("beside", {"code": code}, "Five.", more=more)
    assert tool_results(messages)[0].endswith("{'sum': 5}")
    assert (beside / "made").exists()


def test_several_messages_of_an_iterator_each_have_a_result(sdk):
    found = sdk("streamed_prompts", CODE, "First.", {"code": "print(1)"}, "Second.")
    assert [one["result"] for one in only(found["messages"], "ResultMessage")] == [
        "First.",
        "Second.",
    ]
    assert len(found["asked"]) == 2
