"""Another model in the middle of a conversation: it gets all of it, in its own dialect."""

import pytest
from tests.journeys.conftest import COMMAND

from support.claude_stream import stream, text
from support.model_server import ModelServer, Refusal, called, said


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def terminal(start, server):
    where = ("--model", "openai/large", "--api_base", server.url, "--api_key", "k")
    terminal = start(argv=[COMMAND, "-y", *where])
    terminal.wait_for_prompt()
    return terminal


def say(terminal, line, expected):
    terminal.type(line)
    terminal.press("Enter")
    terminal.wait_for(expected)


def test_the_conversation_goes_on_from_tools_to_fences_to_claude(terminal, server):
    server.replies = [
        called(("execute", '{"language": "python", "code": "x = 41"}'), text="Setting x."),
        said("x is set."),
        Refusal(400, "small does not support tools"),
        said("```python\nprint('it is', x + 1)\n```\nit is 1000"),
        said("That makes 42."),
        stream(text("You asked for x first.")),
    ]
    say(terminal, "set x", "x is set.")
    say(terminal, "%model openai/small", "The model is openai/small.")
    say(terminal, "one more", "That makes 42.")
    say(terminal, "%model anthropic/claude-x", "The model is anthropic/claude-x.")
    say(terminal, "what was first?", "You asked for x first.")

    assert "it is 1000" not in terminal.everything()  # what a model imagines after its block
    assert [seen.json["model"] for seen in server.requests] == [
        *("large", "large", "small", "small", "small", "claude-x"),
    ]
    fenced, claude = server.requests[4].json, server.requests[5].json
    assert "tools" not in fenced
    assert [message["role"] for message in fenced["messages"]] == [
        *("system", "user", "assistant", "user", "assistant", "user", "assistant", "user"),
    ]
    assert "Setting x.\n```python\nx = 41\n```" in fenced["messages"][2]["content"]
    assert "it is 42" in fenced["messages"][-1]["content"]
    blocks = [block for message in claude["messages"] for block in message["content"]]
    calls = [block["input"]["code"] for block in blocks if block["type"] == "tool_use"]
    assert calls == ["x = 41", "print('it is', x + 1)"]
    results = [block for block in blocks if block["type"] == "tool_result"]
    assert [result["tool_use_id"] for result in results] == [
        block["id"] for block in blocks if block["type"] == "tool_use"
    ]
