"""Vendors' own computer tools: what is declared, what is called, and what goes back."""

import json

import pytest

from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions
from interpreter.protocol.events import ReasoningDelta
from interpreter.protocol.messages import (
    ActionCall,
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Reasoning,
    user_says,
)
from interpreter.protocol.ports import ToolSpec
from support.claude_stream import stream, text
from support.model_server import Raw, Refusal, event
from support.talking import EXECUTE, actions_of, ask, end_of, request, text_of

SCREEN = ToolSpec("computer", "Use the screen.", '{"type":"object"}', display=(1429, 804))
TOOLS = (EXECUTE, SCREEN)
PICTURE = Display((Face("text/plain", "[a picture of the screen]"), Face("image/png", b"png")))


@pytest.fixture
def model(server):
    opened = []

    def open_one(name):
        opened.append(resolve(name, ModelOptions(api_base=server.url, api_key="k")))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def sent(server, number=-1):
    return server.requests[number].json


def beta(server, number=-1):
    headers = {name.lower(): value for name, value in server.requests[number].headers.items()}
    return headers.get("anthropic-beta")


SIZED = {"name": "computer", "display_width_px": 1429, "display_height_px": 804}
DECLARED = {
    "claude-3-5-sonnet-20241022": ({"type": "computer_20241022", **SIZED}, "computer-use-2024-10-22"),
    "claude-3-7-sonnet-latest": ({"type": "computer_20250124", **SIZED}, "computer-use-2025-01-24"),
    "claude-sonnet-4-20250514": ({"type": "computer_20250124", **SIZED}, "computer-use-2025-01-24"),
    "claude-haiku-4-5": ({"type": "computer_20250124", **SIZED}, "computer-use-2025-01-24"),
    "claude-opus-4-5": (
        {"type": "computer_20251124", **SIZED, "enable_zoom": True}, "computer-use-2025-11-24",
    ),
    "claude-opus-5": ({"type": "computer_toolset_20260801"}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLARED)
def test_claude_is_told_of_the_screen_in_the_words_that_it_knows(server, model, name):
    from anthropic.types.beta.beta_tool_union_param import BetaToolUnionParam
    from pydantic import TypeAdapter

    server.replies = [stream(text("ok"))]
    ask(model(f"anthropic/{name}"), request(tools=TOOLS))
    declared, header = DECLARED[name]
    assert sent(server)["tools"][1] == declared
    assert sent(server)["tools"][0]["name"] == "execute"
    assert beta(server) == header
    TypeAdapter(BetaToolUnionParam).validate_python(declared)  # the vendor's schema takes it


def test_without_a_screen_nothing_is_asked_of_the_beta(server, model):
    server.replies = [stream(text("ok"))]
    ask(model("anthropic/claude-opus-4-5"))
    assert beta(server) is None


def test_a_refused_version_gives_way_to_an_older_one_and_at_last_to_our_schema(server, model):
    refusals = [Refusal(400, f"tools.1: 'claude' does not support tool types: {kind}")
                for kind in ("computer_toolset_20260801", "computer_20251124", "computer_20250124",
                             "computer_20241022")]  # fmt: skip
    server.replies = [*refusals, stream(text("ok")), stream(text("ok"))]
    claude = model("anthropic/claude-opus-9")
    ask(claude, request(tools=TOOLS))
    kinds = [one.json["tools"][1].get("type", "plain") for one in server.requests]
    assert kinds == ["computer_toolset_20260801", "computer_20251124", "computer_20250124",
                     "computer_20241022", "plain"]  # fmt: skip
    ask(claude, request(tools=TOOLS))
    assert (sent(server)["tools"][1]["input_schema"], beta(server)) == ({"type": "object"}, None)


def used(call_id, name, given, **more):
    start = {"type": "tool_use", "id": call_id, "name": name, "input": {}, **more}
    return (start, {"type": "input_json_delta", "partial_json": json.dumps(given)})


def test_calls_of_the_toolset_are_actions_and_go_back_as_they_came(server, model):
    member = {"toolset_name": "computer"}
    server.replies = [
        stream(
            used("a", "left_click", {"coordinate": [3, 4]}, **member),
            used("b", "screenshot", {}, **member),
            stop="tool_use",
        ),
        stream(text("ok")),
    ]
    claude = model("anthropic/claude-opus-5")
    events = ask(claude, request(tools=TOOLS))
    click = ActionCall("computer", '{"action": "left_click", "coordinate": [3, 4]}', "a")
    look = ActionCall("computer", '{"action": "screenshot"}', "b")
    assert actions_of(events) == [click, look]
    assert end_of(events) == "actions"
    reply = Message("assistant", (click, look))
    done = [Message("computer", (PICTURE, ActionResult(one, "ok", "Done."))) for one in "ab"]
    ask(claude, request(user_says("go"), reply, *done, tools=TOOLS))
    said, results = sent(server)["messages"][1:]
    assert said["content"] == [
        {"type": "tool_use", "id": "a", "name": "left_click", "input": {"coordinate": [3, 4]}, **member},
        {"type": "tool_use", "id": "b", "name": "screenshot", "input": {}, **member},
    ]  # fmt: skip
    assert results["content"][0] == {
        "type": "tool_result", "tool_use_id": "a", **member,
        "content": [
            {"type": "text", "text": "[a picture of the screen]\n[ok: Done.]"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}},
        ],
    }  # fmt: skip


def test_calls_of_the_dated_tools_carry_their_action(server, model):
    server.replies = [stream(used("a", "computer", {"action": "key", "text": "ctrl+s"}))]
    events = ask(model("anthropic/claude-opus-4-5"), request(tools=TOOLS))
    assert actions_of(events) == [
        ActionCall("computer", '{"action": "key", "text": "ctrl+s"}', "a")
    ]


# OpenAI.


def told(*events):
    """A reply as the responses API streams it."""
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 3}
    last = {"type": "response.completed", "response": {"usage": usage}}
    return Raw([event(one) for one in (*events, last)])


def item(**given):
    return {"type": "response.output_item.done", "output_index": 0, "item": given}


CLICK = {"type": "click", "x": 3, "y": 4, "button": "left"}
CALL = {"type": "computer_call", "id": "cu_1", "call_id": "a", "status": "completed",
        "actions": [CLICK], "pending_safety_checks": []}  # fmt: skip
SEALED = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}


@pytest.mark.parametrize(
    ("name", "declared", "truncation"),
    [
        ("gpt-5.4", {"type": "computer"}, None),
        ("computer-use-preview",
         {"type": "computer_use_preview", "environment": "linux", "display_width": 1429,
          "display_height": 804}, "auto"),
    ],
)  # fmt: skip
def test_openais_models_are_told_of_the_screen_in_their_own_words(
    server, model, name, declared, truncation
):
    from openai.types.responses.tool_param import ToolParam
    from pydantic import TypeAdapter

    server.replies = [told({"type": "response.output_text.delta", "delta": "Hi."})]
    events = ask(model(f"openai/{name}"), request(tools=TOOLS))
    assert text_of(events) == "Hi."
    assert (events[-1].usage.input, events[-1].usage.cached) == (10, 4)
    assert server.requests[0].path.endswith("/responses")
    assert sent(server)["tools"][1] == declared
    assert sent(server)["tools"][0]["name"] == "execute"
    assert sent(server)["instructions"] == "Be brief."
    assert sent(server)["input"] == [{"role": "user", "content": "hello"}]
    assert (sent(server)["store"], sent(server).get("truncation")) == (False, truncation)
    for tool in sent(server)["tools"]:
        TypeAdapter(ToolParam).validate_python(tool)


def test_openais_calls_are_actions_and_go_back_with_a_picture(server, model):
    check = {"id": "sc_1", "code": "malicious_instructions", "message": "Careful."}
    pending = {**CALL, "pending_safety_checks": [check]}
    server.replies = [told(item(**SEALED), item(**pending)), told()]
    gpt = model("openai/gpt-5.4")
    events = ask(gpt, request(tools=TOOLS))
    (click,) = actions_of(events)
    assert json.loads(click.arguments) == {
        "actions": [CLICK], "id": "cu_1", "pending_safety_checks": [check],
    }  # fmt: skip
    assert end_of(events) == "actions"
    thought = next(one for one in events if isinstance(one, ReasoningDelta))
    reply = Message("assistant", (Reasoning("", thought.signature), click))
    done = Message("computer", (PICTURE, ActionResult("a", "ok", "Done.")))
    ask(gpt, request(user_says("go"), reply, done, tools=TOOLS))
    assert sent(server)["input"][1:] == [
        SEALED,
        pending,
        {
            "type": "computer_call_output", "call_id": "a", "acknowledged_safety_checks": [check],
            "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,cG5n"},
        },
    ]  # fmt: skip
    _check_items(sent(server)["input"])


def _check_items(items):
    from openai.types.responses.response_input_item_param import ResponseInputItemParam
    from pydantic import TypeAdapter

    for one in items:
        TypeAdapter(ResponseInputItemParam).validate_python(one)


def test_a_call_that_was_declined_is_told_in_words(server, model):
    call = ActionCall("computer", json.dumps({"actions": [CLICK], "id": "cu_1"}), "a")
    reply = Message("assistant", (Reasoning("", "openai:" + json.dumps(SEALED)), call))
    no = Message("computer", (ActionResult("a", "declined", "not now"),))
    server.replies = [told()]
    ask(model("openai/gpt-5.4"), request(user_says("go"), reply, no, tools=TOOLS))
    wanted, answer = sent(server)["input"][1:]
    assert wanted["content"].startswith("I wanted to use the computer:")
    assert answer == {"role": "user", "content": "[declined: not now]"}
    _check_items([wanted, answer])


def test_openais_functions_work_beside_the_screen(server, model):
    begun = {"type": "function_call", "call_id": "f", "name": "execute", "arguments": ""}
    code = json.dumps({"language": "python", "code": "1"})
    server.replies = [
        told(
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": code},
            item(**begun),
        ),
        told(),
    ]
    gpt = model("openai/gpt-5.4")
    (run,) = actions_of(ask(gpt, request(tools=TOOLS)))
    assert run == Code("python", "1", "f")
    done = Message("computer", (ActionResult("f", "ok", "1"),))
    ask(gpt, request(user_says("go"), Message("assistant", (run,)), done, tools=TOOLS))
    assert [one["type"] for one in sent(server)["input"][1:]] == [
        "function_call", "function_call_output",
    ]  # fmt: skip
    _check_items(sent(server)["input"])


def test_a_server_without_that_api_is_asked_as_others_are(server, model):
    chunk = {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}
    server.replies = [Refusal(404, "not found"), Raw([event(chunk), b"data: [DONE]\n\n"])]
    assert text_of(ask(model("openai/gpt-5.4"), request(tools=TOOLS))) == "Hi."
    assert server.requests[1].path.endswith("/chat/completions")
    assert sent(server)["tools"][1]["function"]["name"] == "computer"


def test_without_a_screen_openai_is_asked_by_chat_completions(server, model):
    chunk = {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}
    server.replies = [Raw([event(chunk), b"data: [DONE]\n\n"])]
    ask(model("openai/gpt-5.4"))
    assert server.requests[0].path.endswith("/chat/completions")
