"""Each request begins with the bytes of the one before, so that the caches of providers hit."""

import base64

import pytest

from interpreter.protocol.interrupt import Interrupt
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
from interpreter.protocol.ports import Capabilities
from interpreter.session.request.context import Context
from support.claude_stream import stream, text
from support.model_server import said
from support.talking import EXECUTE, READ_FILE

TURNS = 50
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = Display((Face("text/plain", "<Figure>"), Face("image/png", PIXEL)))
MODELS = {
    "native": ("openai/x", {"dialect": "native"}),
    "mixed": ("openai/x", {"dialect": "mixed"}),
    "fenced": ("openai/x", {"dialect": "fenced"}),
    "blind": ("openai/x", {"supports_vision": False}),
    "renumbered": ("mistral/x", {}),
    "thinking": ("deepseek/x", {}),
    "sealed": ("gemini/x", {}),
    "llama.cpp": ("llamacpp/x", {}),
    "claude": ("anthropic/claude-x", {"reasoning_effort": "low"}),
}


def step(turn):
    """Every kind of thing that can happen, one after the other."""
    one, two, three = (f"{letter}{turn}" for letter in "abc")
    if turn % 10 == 9:
        yield user_says(f"Also é{turn}.")
    yield Message(
        "assistant",
        (
            Reasoning("Hm.", "seal"),
            Text("Next."),
            Code("python", f"x = {turn}", one),
            ActionCall("read_file", '{"path": "ü"}', two),
            MalformedCall("{", "broken", three),
        ),
    )
    yield Message("computer", (Output(f"line {turn}\n" * 20), PICTURE, ActionResult(one, "ok")))
    yield Message("computer", (Output("no\n", "stderr"), ActionResult(two, "failed", "Error: no")))
    yield Message("computer", (ActionResult(three, "invalid", "broken"),))


@pytest.fixture
def bodies(server, open_model):
    """What is sent in a session, and how often it was compacted before each request."""

    def bodies(kind, window):
        name, options = MODELS[kind]
        server.replies = [stream(text("ok")) if kind == "claude" else said("ok")]
        model = open_model(name, **{"supports_vision": True, **options})
        context = Context(Capabilities(images=True, context_window=window))
        history, changes = [Message("user", (Text("Look."), PICTURE))], []
        before = ()
        for turn in range(TURNS):
            asked = context.prepare("Be brief.", (EXECUTE, READ_FILE), history)
            changes.append(any(a is not b for a, b in zip(before, asked.messages, strict=False)))
            before = asked.messages
            list(model.stream(asked, Interrupt()))
            history += step(turn)
        return [seen.body.removesuffix(b"]}") for seen in server.requests], changes

    return bodies


@pytest.mark.parametrize("kind", MODELS)
def test_a_session_of_fifty_turns_only_grows(bodies, kind):
    sent, changes = bodies(kind, 1_000_000)
    assert len(sent) == TURNS
    assert not any(changes)
    assert all(b.startswith(a) for a, b in zip(sent, sent[1:], strict=False))


@pytest.mark.parametrize("kind", ["native", "fenced", "claude"])
def test_it_grows_between_compactions_too(bodies, kind):
    sent, changes = bodies(kind, 30_000)
    kept = [b.startswith(a) for a, b in zip(sent, sent[1:], strict=False)]
    assert kept == [not changed for changed in changes[1:]]
    assert 0 < kept.count(False) <= TURNS // 4
