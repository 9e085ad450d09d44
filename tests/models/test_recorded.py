"""Streams that a real llama.cpp server sent, read by us and by OpenAI's own SDK alike."""

import json
from pathlib import Path

import pytest

from interpreter.protocol.messages import Code
from support.model_server import Raw
from support.talking import actions_of, ask, code_of, end_of, text_of

RECORDED = Path(__file__).parent / "recorded"
STREAMS = sorted((Path(__file__).parent / "streams").glob("*.sse"))
ENDS = {"text": "stop", "cut": "length", "tool": "actions"}


def replay(server, name, size):
    whole = (RECORDED / f"llamacpp-{name}.sse").read_bytes()
    server.replies = [Raw([whole[at : at + size] for at in range(0, len(whole), size)])]


def by_the_sdk(server):
    """The text, the arguments of the call, and the tokens, as the SDK reads them."""
    import openai  # a second and a half that not every run of the tests needs

    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="k")
    chunks = list(client.chat.completions.create(model="x", messages=[], stream=True))
    client.close()
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    calls = [call for delta in deltas for call in delta.tool_calls or ()]
    usages = [chunk.usage for chunk in chunks if chunk.usage]
    return (
        "".join(delta.content or "" for delta in deltas),
        "".join(call.function.arguments or "" for call in calls),
        (usages[-1].prompt_tokens, usages[-1].completion_tokens) if usages else None,
    )


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize("name", ENDS)
def test_we_read_what_the_sdk_reads(server, open_model, name, size):
    replay(server, name, size)
    text, arguments, tokens = by_the_sdk(server)
    events = ask(open_model("llamacpp/tiny"))
    assert text_of(events) == text
    assert end_of(events) == ENDS[name]
    assert (events[-1].usage.input, events[-1].usage.output) == tokens
    if name != "tool":
        assert actions_of(events) == []
        return
    [action] = actions_of(events)
    assert action == Code("python", json.loads(arguments)["code"], action.call_id)
    assert code_of(events) == action.source == "print(4)"


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_the_sdk_accepts_the_streams_that_are_written_by_hand(server, path):
    server.replies = [Raw([path.read_bytes()])]
    text, arguments, tokens = by_the_sdk(server)
    assert text == "Let me."
    assert json.loads(arguments) == {"language": "python", "code": "print('hi')"}
    assert tokens in ((120, 20), None)
