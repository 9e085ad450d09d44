"""Chat completions: what is asked, what is understood."""

import json
from contextlib import closing

import pytest

from interpreter.models.http.connection import ServerLine
from interpreter.models.http.provider_errors import Address
from interpreter.models.openai.chat_completions import ChatCompletions, ChatSettings
from interpreter.models.options import Patience
from interpreter.models.prices import Price
from interpreter.protocol.events import ReasoningDelta, ReplyFinished, Usage
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
from support.model_server import Json, Raw, Refusal, called, chunk, event, said
from support.talking import (
    EXECUTE,
    READ_FILE,
    actions_of,
    ask,
    code_of,
    end_of,
    request,
    text_of,
)

RUN = json.dumps({"language": "python", "code": "print('hi')\nx = 1"})
PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000030000000208060000009d7426")


def test_text_arrives_piece_by_piece_and_ends_with_usage(server, open_model):
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 16},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    server.replies = [said("Hel", "lo", usage=usage)]
    events = ask(open_model())
    assert text_of(events) == "Hello"
    assert events[-1] == ReplyFinished("stop", Usage(20, 16, 5, 2, 0.0))


def test_a_native_call_of_execute_becomes_code_that_streams(server, open_model):
    server.replies = [called(("execute", RUN), text="Look:")]
    events = ask(open_model())
    assert code_of(events) == "print('hi')\nx = 1"
    assert actions_of(events) == [Code("python", "print('hi')\nx = 1", "call_0")]
    assert end_of(events) == "actions"


def test_all_calls_of_a_reply_are_proposed_in_order(server, open_model):
    server.replies = [called(("execute", RUN), ("read_file", '{"path": "a"}'), ("execute", RUN))]
    actions = actions_of(ask(open_model(), request(tools=(EXECUTE, READ_FILE))))
    assert [type(action) for action in actions] == [Code, ActionCall, Code]
    assert [action.call_id for action in actions] == ["call_0", "call_1", "call_2"]


def test_calls_that_share_one_index_are_told_apart_by_id(server, open_model):
    def tool(call_id, arguments):
        function = {"name": "execute", "arguments": arguments}
        return chunk({"tool_calls": [{"index": 0, "id": call_id, "function": function}]})

    server.replies = [Raw([tool("a", RUN), tool("b", RUN), chunk(finish="tool_calls")])]
    assert [action.call_id for action in actions_of(ask(open_model()))] == ["a", "b"]


def test_calls_whose_pieces_come_mixed_are_put_together_by_index(server, open_model):
    def tool(index, arguments, **more):
        call = {"index": index, "function": {"arguments": arguments, **more}}
        return chunk({"tool_calls": [call]})

    pieces = [
        tool(0, '{"language":"python",', name="execute"),
        tool(1, '{"language":"shell",', name="execute"),
        tool(0, '"code":"1"}'),
        tool(1, '"code":"ls"}'),
        chunk(finish="tool_calls"),
    ]
    server.replies = [Raw(pieces)]
    assert actions_of(ask(open_model())) == [Code("python", "1"), Code("shell", "ls")]


def test_broken_arguments_go_back_to_the_model(server, open_model):
    server.replies = [called(("execute", '{"language": "python", "code": "1'))]
    [action] = actions_of(ask(open_model()))
    assert isinstance(action, MalformedCall)
    assert "JSON" in action.problem


def test_a_call_cut_off_by_the_token_limit_is_never_code(server, open_model):
    server.replies = [called(("execute", RUN[:-5]), finish="length")]
    [action] = actions_of(ask(open_model()))
    assert isinstance(action, MalformedCall)
    assert "cut off" in action.problem


def test_a_tool_that_does_not_exist_is_named_in_the_problem(server, open_model):
    server.replies = [called(("browse", "{}"))]
    [action] = actions_of(ask(open_model()))
    assert "'browse'" in action.problem
    assert "execute" in action.problem


@pytest.mark.parametrize("name", ["executeexecute", "functions.execute", "python"])
def test_garbled_tool_names_are_understood(server, open_model, name):
    server.replies = [called((name, '{"language": "python", "code": "1+1"}'))]
    assert actions_of(ask(open_model())) == [Code("python", "1+1", "call_0")]


def test_a_server_that_does_not_stream_is_understood(server, open_model):
    function = {"name": "execute", "arguments": RUN}
    message = {"content": "Hi", "tool_calls": [{"id": "x", "function": function}]}
    server.replies = [Json({"choices": [{"message": message, "finish_reason": "tool_calls"}]})]
    events = ask(open_model())
    assert text_of(events) == "Hi"
    assert actions_of(events) == [Code("python", "print('hi')\nx = 1", "x")]


def test_only_the_first_choice_counts_and_empty_choices_are_nothing(server, open_model):
    two = {
        "choices": [
            {"index": 1, "delta": {"content": "B"}},
            {"index": 0, "delta": {"content": "A"}},
        ]
    }
    server.replies = [Raw([event({"choices": []}), event(two), chunk(finish="stop")])]
    assert text_of(ask(open_model())) == "A"


def test_reasoning_is_kept_apart_from_text(server, open_model):
    pieces = [
        chunk({"reasoning_content": "hm"}),
        chunk({"reasoning": "!"}),
        chunk({"content": [{"type": "thinking", "thinking": [{"text": "?"}]}]}),
        chunk({"content": "Yes"}),
        chunk(finish="stop"),
    ]
    server.replies = [Raw(pieces)]
    events = ask(open_model())
    assert [e.text for e in events if isinstance(e, ReasoningDelta)] == ["hm", "!", "?"]
    assert text_of(events) == "Yes"


def test_a_fence_ends_the_reply_of_a_text_model(server, open_model):
    server.replies = [
        Raw([chunk({"content": "```python\nprint(1)\n```\n"}), chunk({"content": "Output: 7"})],
            ending="silence")
    ]  # fmt: skip
    events = ask(open_model(dialect="fenced"))
    assert actions_of(events) == [Code("python", "print(1)")]
    assert text_of(events) == ""
    assert end_of(events) == "actions"


def test_a_fence_is_only_prose_to_a_model_that_has_tools(server, open_model):
    server.replies = [said("For example:\n```python\nprint(1)\n```\n")]
    events = ask(open_model(dialect="native"))
    assert actions_of(events) == []
    assert "print(1)" in text_of(events)


def test_a_local_model_with_tools_may_also_write_its_call_as_text(server, open_model):
    server.replies = [
        said('{"name": "execute", "argu', 'ments": {"language": "python", "code": "1"}}')
    ]
    assert actions_of(ask(open_model("ollama/small"))) == [Code("python", "1")]


def test_what_was_said_and_done_is_sent_as_calls_and_results(server, open_model):
    reply = Message(
        "assistant",
        (Reasoning("secret"), Text("Running."), Code("python", "1/0", "a"), Code("shell", "ls")),
    )
    failed = Message(
        "computer",
        (Output("\x1b[31mtrace\x1b[0m\n"), ActionResult("a", "failed", "ZeroDivisionError")),
    )
    server.replies = [said("ok")]
    ask(open_model(), request(user_says("go"), reply, failed, user_says("why?")))
    messages = server.requests[0].json["messages"]
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert messages[2]["content"] == "Running."
    assert "secret" not in server.requests[0].body.decode()
    calls = messages[2]["tool_calls"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"language": "python", "code": "1/0"}
    assert messages[3] == {
        "role": "tool",
        "tool_call_id": "a",
        "content": "trace\n\n[failed: ZeroDivisionError]",
    }
    assert messages[4]["tool_call_id"] == calls[1]["id"]
    assert "not run" in messages[4]["content"]


def test_pictures_go_only_to_models_that_see(server, open_model):
    shown = Display((Face("text/plain", "<Figure>"), Face("image/png", PIXEL)))
    reply = Message("assistant", (Code("python", "plot()", "a"), Code("python", "2", "b")))
    history = (
        Message("user", (Text("look"), shown)),
        reply,
        Message("computer", (shown, ActionResult("a", "ok"))),
        Message("computer", (Output("2"), ActionResult("b", "ok"))),
    )
    server.replies = [said("ok")]
    ask(open_model(supports_vision=False), request(*history))
    ask(open_model(supports_vision=True), request(*history))
    blind, seeing = (seen.json["messages"] for seen in server.requests)
    assert "3×2 pixels" in blind[1]["content"]
    assert "3×2 pixels" in blind[3]["content"]
    assert seeing[1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert [m["role"] for m in seeing[2:]] == ["assistant", "tool", "tool", "user"]


def test_text_models_get_fences_and_templates(server, open_model):
    from interpreter.models.options import Templates

    templates = Templates(
        user_message_template="[{content}]",
        code_output_template="OUT {content}",
        empty_code_output_template="NOTHING",
        execution_instructions="Use fences.",
    )
    run = Message("assistant", (Text("Sure."), Code("python", "print(1)")))
    history = (
        user_says("one"),
        run,
        Message("computer", (Output("1\n"), ActionResult("", "ok"))),
        run,
        Message("computer", (ActionResult("", "ok"),)),
        user_says("two"),
    )
    server.replies = [said("ok")]
    ask(open_model(dialect="fenced", templates=templates), request(*history))
    sent = server.requests[0].json
    assert "tools" not in sent
    assert sent["messages"] == [
        {
            "role": "system",
            "content": "Be brief.\n\nUse fences.\nLanguages: python, shell, javascript.",
        },
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "Sure.\n```python\nprint(1)\n```"},
        {"role": "user", "content": "OUT 1"},
        {"role": "assistant", "content": "Sure.\n```python\nprint(1)\n```"},
        {"role": "user", "content": "NOTHING"},
        {"role": "assistant", "content": "(interrupted)"},
        {"role": "user", "content": "[two]"},
    ]


def test_each_provider_gets_its_calls_and_thoughts_as_it_wants_them(server, open_model):
    thoughts = (Reasoning("hm"), Reasoning("", "google:seal"), Reasoning("x", "claude's"))
    reply = Message(
        "assistant", (*thoughts, Code("python", "1", "toolu_01abc"), Code("shell", "ls", "b"))
    )
    history = (user_says("go"), reply)
    server.replies = [said("ok")]
    for name in ("openai/x", "mistral/x", "deepseek/x", "gemini/x"):
        ask(open_model(name), request(*history))
    openai, mistral, deepseek, gemini = (seen.json["messages"][2] for seen in server.requests)
    assert "reasoning_content" not in openai
    assert openai["tool_calls"][0]["id"] == "toolu_01abc"
    assert all(len(call["id"]) == 9 and call["id"].isalnum() for call in mistral["tool_calls"])
    assert deepseek["reasoning_content"] == "hmx"
    seals = [call.get("extra_content") for call in gemini["tool_calls"]]
    assert seals == [{"google": {"thought_signature": "seal"}}, None]
    ask(
        open_model("gemini/x"),
        request(user_says("go"), Message("assistant", (Code("python", "1"),))),
    )
    unsealed = server.requests[-1].json["messages"][2]["tool_calls"][0]["extra_content"]
    assert unsealed["google"]["thought_signature"] == "skip_thought_signature_validator"


def test_parameters_a_server_does_not_know_are_left_out(server, open_model):
    server.replies = [
        Refusal(400, "Unknown parameter: 'stream_options'."),
        Refusal(400, "'max_tokens' is not supported; use 'max_completion_tokens'."),
        Refusal(400, "Unsupported value: 'temperature' must be 1."),
        said("ok"),
        said("again"),
    ]
    model = open_model(temperature=0.0, max_tokens=100)
    assert text_of(ask(model)) == "ok"
    assert text_of(ask(model)) == "again"
    assert len(server.requests) == 5
    last = server.requests[-1].json
    assert "stream_options" not in last
    assert "temperature" not in last
    assert last["max_completion_tokens"] == 100


def test_a_model_that_turns_out_to_have_no_tools_is_asked_for_fences(server, open_model):
    server.replies = [
        Refusal(400, "registry.ollama.ai/library/tiny does not support tools"),
        said("```shell\nls\n```"),
    ]
    assert actions_of(ask(open_model("ollama/tiny"))) == [Code("shell", "ls")]
    assert "tools" not in server.requests[1].json


def test_the_connection_is_kept_between_requests(server, open_model):
    server.replies = [said("ok")]
    model = open_model()
    for _ in range(5):
        ask(model)
    assert len(server.connections) == 1


def test_a_hosted_reply_that_is_cut_at_its_fence_is_paid_for_by_an_estimate(server):
    """The pictures in it are a thousand tokens each, not as many as their letters."""
    server.replies = [said("```python\n1\n```\n", "and so on")]
    line = ServerLine(Address("Somebody", server.url, "x", "KEY"), {}, Patience())
    settings = ChatSettings("x", f"{server.url}/chat/completions", dialect="fenced")
    able, price = Capabilities(images=True), Price(input=1_000_000, output=0)
    picture = Message("user", (Text("x" * 3_600), Display((Face("image/png", b"x" * 60_000),))))
    with closing(ChatCompletions("x", line, settings, able, price)) as hosted:
        usage = ask(hosted, request(picture))[-1].usage
    assert usage.dollars == usage.input
    assert 2_000 < usage.input < 2_300


def test_llama_cpp_counts_even_what_is_cut(server, open_model):
    timings = {"cache_n": 90, "prompt_n": 10, "predicted_n": 7}
    pieces = [chunk({"content": "```python\n1\n```\n"}, timings=timings), chunk({"content": "no"})]
    server.replies = [Raw([*pieces, chunk(finish="stop")])]
    usage = ask(open_model("llamacpp/x", dialect="fenced"))[-1].usage
    assert usage == Usage(input=100, cached=90, output=7, dollars=0.0)
    assert server.requests[0].json["timings_per_token"] is True
