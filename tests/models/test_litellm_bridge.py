"""LiteLLM's routes, against a loopback server that speaks each provider's own wire format."""

import importlib.util
import json
import struct
import subprocess
import sys
import threading
import zlib

import pytest

from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions, Patience
from interpreter.protocol.errors import AuthenticationFailed, RateLimited
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, user_says
from support.model_server import Hang, ModelServer, Raw, Refusal
from support.talking import actions_of, ask, end_of, request, text_of

# Not imported here: imported without our settings, it would fetch a price map at once.
INSTALLED = importlib.util.find_spec("litellm") is not None
WHY = "LiteLLM is not installed; `make test-litellm` does that"
pytestmark = [
    pytest.mark.skipif(not INSTALLED, reason=WHY),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(180),
]

CALL = {"language": "python", "code": "print(1)"}


def gemini():
    def part(part, **more):
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, **more}]}

    usage = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    call = part({"functionCall": {"name": "execute", "args": CALL}}, finishReason="STOP")
    values = [part({"text": "Hi."}), {**call, "usageMetadata": usage}]
    return Raw([b"data: " + json.dumps(value).encode() + b"\r\n\r\n" for value in values])


def bedrock():
    def frame(kind, payload):
        names = (
            (":event-type", kind),
            (":content-type", "application/json"),
            (":message-type", "event"),
        )
        headers = b"".join(
            bytes([len(n)]) + n.encode() + b"\x07" + struct.pack(">H", len(v)) + v.encode()
            for n, v in names
        )
        body = json.dumps(payload).encode()
        start = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
        message = start + struct.pack(">I", zlib.crc32(start)) + headers + body
        return message + struct.pack(">I", zlib.crc32(message))

    use = {"toolUse": {"toolUseId": "tu_1", "name": "execute"}}
    pieces = [
        frame("messageStart", {"role": "assistant"}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hi."}}),
        frame("contentBlockStop", {"contentBlockIndex": 0}),
        frame("contentBlockStart", {"contentBlockIndex": 1, "start": use}),
        frame(
            "contentBlockDelta",
            {"contentBlockIndex": 1, "delta": {"toolUse": {"input": json.dumps(CALL)}}},
        ),
        frame("contentBlockStop", {"contentBlockIndex": 1}),
        frame("messageStop", {"stopReason": "tool_use"}),
        frame("metadata", {"usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10}}),
    ]
    return Raw(pieces, headers={"content-type": "application/vnd.amazon.eventstream"})


def cohere():
    def content(text):
        return {
            "type": "content-delta",
            "index": 0,
            "delta": {"message": {"content": {"text": text}}},
        }

    values = [
        {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant"}}},
        content("Hi."),
        content("\n```python\nprint(1)\n```\n"),
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]
    lines = [json.dumps(value).encode() + b"\n" for value in values]
    return Raw(lines, headers={"content-type": "application/stream+json"})


@pytest.fixture
def open_model(server, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")

    def open_one(name, **options):
        options.setdefault("patience", Patience(attempts=2, first_pause=0.01))
        key = None if "bedrock" in name else "k"
        return resolve(f"litellm/{name}", ModelOptions(api_base=server.url, api_key=key, **options))

    return open_one


ROUTES = {
    "gemini/gemini-2.5-flash": (gemini, None, ":streamGenerateContent"),
    "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0": (bedrock, None, "/converse-stream"),
    "cohere_chat/command-r-plus": (cohere, None, "/"),
}


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_is_spoken_and_understood(server, open_model, name):
    reply, dialect, path = ROUTES[name]
    server.replies = [reply()]
    events = ask(open_model(name, dialect=dialect), request(user_says("hello")))
    assert text_of(events).strip() == "Hi."
    [action] = actions_of(events)
    assert (action.language, action.source) == ("python", "print(1)")
    assert isinstance(action, Code)
    assert end_of(events) == "actions"
    assert path in server.requests[0].path
    assert b"hello" in server.requests[0].body


def test_refusals_are_translated(server, open_model):
    server.replies = [Refusal(401, "API key not valid")]
    with pytest.raises(AuthenticationFailed):
        ask(open_model("gemini/gemini-2.5-flash"))
    server.replies = [Refusal(429, "You exceeded your current quota")]
    with pytest.raises(RateLimited):
        ask(open_model("gemini/gemini-2.5-flash"))


def test_an_interrupt_walks_away_from_a_silent_provider():
    server = ModelServer()
    server.replies = [Hang]
    options = ModelOptions(api_base=server.url, api_key="k")
    model, interrupt = resolve("litellm/gemini/gemini-2.5-flash", options), Interrupt()
    timer = threading.Timer(0.5, interrupt.request)
    timer.start()
    assert ask(model, interrupt=interrupt) == []
    timer.join()
    server.close()


def test_loading_it_connects_to_nobody():
    program = """if True:
        import socket, threading
        def refuse(*arguments): print("CONNECTS", arguments[1:], flush=True)
        socket.getaddrinfo = socket.socket.connect = refuse
        from interpreter.models.litellm_bridge import load
        assert load().telemetry is False
        for thread in threading.enumerate():
            if thread is not threading.current_thread(): thread.join(5)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
