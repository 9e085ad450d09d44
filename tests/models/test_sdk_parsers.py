"""The real SDKs of OpenAI and Anthropic accept what our requests and our fixtures look like.

Only types and stream parsers are used; every connection is to loopback.
"""

import json

import pytest
from pydantic import TypeAdapter

from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions
from interpreter.protocol.messages import (
    ActionCall,
    ActionResult,
    Code,
    Display,
    Face,
    MalformedCall,
    Message,
    Output,
    Reasoning,
    Text,
    user_says,
)
from support.claude_stream import RUN, stream, text, use
from support.model_server import called, said
from support.talking import EXECUTE, READ_FILE, ask, request

PICTURE = Display((Face("text/plain", "<Figure>"), Face("image/png", b"png")))
HISTORY = (
    Message("user", (Text("look"), PICTURE)),
    Message(
        "assistant",
        (Reasoning("hm", "seal"), Text("ok"), Code("python", "1", "a"), ActionCall("read_file", "{}", "b"),
         MalformedCall("{", "broken", "c")),
    ),
    Message("computer", (Output("1"), PICTURE, ActionResult("a", "ok"))),
    Message("computer", (Output("text"), ActionResult("b", "ok"))),
    Message("computer", (ActionResult("c", "invalid", "broken"),)),
    user_says("and now?"),
)  # fmt: skip
TOOLS = (EXECUTE, READ_FILE)


def sent_by(server, name, **options):
    model = resolve(
        name, ModelOptions(api_base=server.url, api_key="k", supports_vision=True, **options)
    )
    ask(model, request(*HISTORY, tools=TOOLS))
    model.close()
    return server.requests[-1].json


@pytest.mark.parametrize("dialect", ["native", "fenced"])
def test_openai_accepts_our_request(server, dialect):
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

    server.replies = [said("ok")]
    sent = sent_by(server, "openai/x", dialect=dialect, temperature=0.5, max_tokens=9)
    accepted = TypeAdapter(CompletionCreateParamsStreaming).validate_python(sent, strict=True)
    assert set(accepted) == set(sent)


def test_openai_reads_our_fixtures_as_we_do(server):
    import openai

    server.replies = [called(("execute", RUN), text="Hi")]
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="k")
    chunks = list(client.chat.completions.create(model="x", messages=[], stream=True))
    deltas = [chunk.choices[0].delta for chunk in chunks]
    arguments = "".join(
        call.function.arguments for delta in deltas for call in delta.tool_calls or ()
    )
    assert json.loads(arguments) == json.loads(RUN)
    assert deltas[0].content == "Hi"
    client.close()


def test_anthropic_accepts_our_request(server):
    from anthropic.types.message_create_params import MessageCreateParamsStreaming

    server.replies = [stream(text("ok"))]
    sent = sent_by(server, "anthropic/claude-opus-4-5", reasoning_effort="low")
    accepted = TypeAdapter(MessageCreateParamsStreaming).validate_python(sent)
    assert set(accepted) == set(sent)


def test_anthropic_reads_our_fixtures_as_we_do(server):
    import anthropic

    server.replies = [stream(text("Hi"), use("a", RUN), stop="tool_use")]
    client = anthropic.Anthropic(base_url=server.url, api_key="k")
    with client.messages.stream(model="x", max_tokens=9, messages=[]) as reply:
        message = reply.get_final_message()
    assert message.content[0].text == "Hi"
    assert message.content[1].input == json.loads(RUN)
    assert message.stop_reason == "tool_use"
    client.close()
