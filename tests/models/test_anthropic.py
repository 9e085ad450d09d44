"""Claude by Anthropic's own API."""

from contextlib import closing

import pytest

from interpreter.models.anthropic.messages_api import AnthropicMessages, MessagesSettings
from interpreter.models.http.connection import ServerLine
from interpreter.models.http.provider_errors import Address
from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions, Patience
from interpreter.models.prices import facts_about
from interpreter.protocol.errors import AuthenticationFailed, ModelError
from interpreter.protocol.events import ModelRetrying, ReasoningDelta
from interpreter.protocol.messages import (
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
from support.claude_stream import RUN, stream, text, use
from support.model_server import Raw, Refusal, event
from support.talking import EXECUTE, actions_of, ask, code_of, end_of, request, text_of

QUICK = Patience(first_pause=0.01, longest_pause=0.02, attempts=3)


@pytest.fixture
def claude(server):
    opened = []

    def open_one(**options):
        options.setdefault("api_key", "a-key")
        options.setdefault("patience", QUICK)
        name = "anthropic/claude-opus-4-5"
        opened.append(resolve(name, ModelOptions(api_base=server.url, **options)))
        return opened[-1]

    yield open_one
    for model in opened:
        model.close()


def test_text_thoughts_and_calls_arrive(server, claude):
    thought = (
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": "seal"},
    )
    hidden = ({"type": "redacted_thinking", "data": "xyz"},)
    reply = stream(
        thought, hidden, text("Let ", "me."), use("a", RUN), use("b", RUN), stop="tool_use"
    )
    server.replies = [reply]
    events = ask(claude())
    assert [e for e in events if isinstance(e, ReasoningDelta)] == [
        ReasoningDelta("Hm."),
        ReasoningDelta("", "seal"),
        ReasoningDelta("", "redacted:xyz"),
    ]
    assert text_of(events) == "Let me."
    assert code_of(events) == "print('hi')" * 2
    assert actions_of(events) == [
        Code("python", "print('hi')", "a"),
        Code("python", "print('hi')", "b"),
    ]
    assert end_of(events) == "actions"
    usage = events[-1].usage
    assert (usage.input, usage.cached, usage.output) == (120, 90, 30)


def test_a_reply_costs_what_the_table_says_but_on_this_machine_nothing(server, claude):
    server.replies = [stream(text("Hi."))]
    assert ask(claude())[-1].usage.dollars == 0.0
    address = Address("Anthropic", server.url, "claude", "ANTHROPIC_API_KEY")
    settings = MessagesSettings("claude", f"{server.url}/v1/messages")
    price = facts_about("claude-opus-4-5").price
    line = ServerLine(address, {}, QUICK)
    hosted = AnthropicMessages("claude", line, settings, Capabilities(), price)
    with closing(hosted):
        usage = ask(hosted)[-1].usage
    assert usage.dollars == pytest.approx((10 * 5 + 90 * 0.5 + 20 * 6.25 + 30 * 25) / 1e6)


def test_what_was_said_and_done_is_sent_in_their_form(server, claude):
    picture = Display((Face("text/plain", "<Figure>"), Face("image/png", b"png")))
    reply = Message(
        "assistant",
        (Reasoning("Hm.", "seal"), Reasoning("", "redacted:xyz"), Reasoning("not theirs"),
         Text("Look: "), Code("python", "plot()", "a.1"), Code("shell", "ls")),
    )  # fmt: skip
    done = Message("computer", (Output("ok\n"), picture, ActionResult("a.1", "ok")))
    server.replies = [stream(text("ok"))]
    ask(claude(), request(user_says("go"), reply, done, user_says("and?")))
    sent = server.requests[0].json
    assert sent["system"] == [
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    ]
    assert sent["cache_control"] == {"type": "ephemeral"}
    assert sent["tools"][0]["input_schema"]["required"] == ["language", "code"]
    roles = [message["role"] for message in sent["messages"]]
    assert roles == ["user", "assistant", "user", "user"]
    said = sent["messages"][1]["content"]
    assert said[:3] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "seal"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": "Look:"},
    ]
    assert said[3] == {
        "type": "tool_use",
        "id": "a_1",
        "name": "execute",
        "input": {"language": "python", "code": "plot()"},
    }
    first, second = sent["messages"][2]["content"]
    assert first["tool_use_id"] == "a_1"
    assert first["content"][1]["source"]["media_type"] == "image/png"
    assert second["tool_use_id"] == said[4]["id"]
    assert "not run" in second["content"][0]["text"]


def test_thinking_is_asked_for_by_effort_and_in_the_old_way_where_needed(server, claude):
    server.replies = [Refusal(400, "thinking.type: adaptive is not supported"), stream(text("ok"))]
    ask(claude(reasoning_effort="high", max_tokens=8000))
    first, second = (seen.json for seen in server.requests)
    assert first["thinking"] == {"type": "adaptive"}
    assert first["output_config"] == {"effort": "high"}
    assert second["thinking"] == {"type": "enabled", "budget_tokens": 4000}
    assert "output_config" not in second


def test_a_call_cut_off_by_the_token_limit_is_never_code(server, claude):
    server.replies = [stream(use("a", RUN[:20]), stop="max_tokens")]
    events = ask(claude())
    assert isinstance(actions_of(events)[0], MalformedCall)
    assert end_of(events) == "length"


def test_trouble_is_waited_out_and_lost_streams_go_on(server, claude):
    overloaded = Raw([
        event({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})
    ])
    server.replies = [
        Refusal(529, "overloaded"),
        overloaded,
        stream(text("One"), ending="reset"),
        stream(text(", two")),
    ]
    patience = Patience(first_pause=0.01, attempts=5)
    events = ask(claude(patience=patience))
    assert text_of(events) == "One, two"
    assert len([e for e in events if isinstance(e, ModelRetrying)]) == 3


def test_errors_are_one_sentence(server, claude):
    server.replies = [Refusal(401, "invalid x-api-key")]
    with pytest.raises(AuthenticationFailed, match="ANTHROPIC_API_KEY"):
        ask(claude())
    server.replies = [Raw([b"data: nonsense\n\n"])]
    with pytest.raises(ModelError, match="--api_base"):
        ask(claude())
    with pytest.raises(AuthenticationFailed, match="ANTHROPIC_API_KEY"):
        resolve("claude-opus-4-5", ModelOptions())


def test_the_key_and_the_version_go_along(server, claude):
    server.replies = [stream(text("ok"))]
    ask(claude(), request(tools=(EXECUTE,)))
    seen = server.requests[0]
    assert seen.path == "/v1/messages"
    assert {k.lower(): v for k, v in seen.headers.items()}["x-api-key"] == "a-key"
