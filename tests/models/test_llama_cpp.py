"""A real llama.cpp server answers text and tool turns."""

import json
import subprocess
import sys
import tempfile

import httpx
import pytest
from tests.journeys.conftest import COMMAND

from interpreter.models.dialects.text_wire import instructions
from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions, Templates
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Message,
    Output,
    Text,
    user_says,
)
from interpreter.session.request.context import Context
from support import llama_server
from support.model_server import said
from support.talking import EXECUTE, actions_of, ask, end_of, request, text_of
from support.tiny_model import tiny_model

TAGS = (
    r'root ::= "<tool_call>\n{\"name\": \"execute\", \"arguments\": {\"language\": \"python\", '
    r'\"code\": \"print(" [0-9] ")\"}}\n</tool_call>"'
)
FENCE = r'root ::= "```python\nprint(" [0-9] ")\n```\n" [a-z ]+'
CALL = {
    "type": "object",
    "properties": {
        "name": {"const": "execute"},
        "arguments": {
            "type": "object",
            "properties": {"language": {"const": "python"}, "code": {"type": "string", "maxLength": 9}},
            "required": ["language", "code"],
        },
    },
    "required": ["name", "arguments"],
}  # fmt: skip
AS_CALL = {"type": "json_schema", "json_schema": {"schema": CALL}}


@pytest.fixture(scope="module")
def address():
    model = tiny_model()
    if model is None:
        pytest.skip("no model for llama.cpp: its wheel cannot be downloaded here")
    command = [sys.executable, llama_server.__file__, str(model)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with process:
        line = next(line for line in process.stdout if line.startswith("ADDRESS"))
        yield line.split()[1]
        process.stdin.close()
        process.wait(60)


@pytest.fixture
def open_model(address):
    opened = []

    def open_one(**options):
        options.setdefault("max_tokens", 80)
        opened.append(resolve("llamacpp/tiny", ModelOptions(api_base=f"{address}/v1", **options)))
        return opened[-1]

    yield open_one
    for model in opened:
        model.close()


def test_a_text_turn(open_model):
    events = ask(open_model(max_tokens=8), request(user_says("Say hello."), tools=()))
    assert text_of(events).strip()
    assert events[-1].usage.input > 5
    assert 0 < events[-1].usage.output <= 8


def test_a_tool_turn_and_the_turn_after_its_result(open_model):
    model = open_model(extra={"response_format": AS_CALL})
    asked = user_says("Print 1.")
    events = ask(model, request(asked))
    [action] = actions_of(events)
    assert isinstance(action, Code)
    assert action.language == "python"
    assert end_of(events) == "actions"
    reply = Message("assistant", (Text("Running."), action))
    result = Message("computer", (Output("1\n"), ActionResult("", "ok")))
    again = ask(model, request(asked, reply, result))
    assert len(actions_of(again)) == 1
    assert again[-1].usage is None or again[-1].usage.input > 0


def test_a_call_in_tags(open_model):
    [action] = actions_of(ask(open_model(dialect="fenced", extra={"grammar": TAGS})))
    assert action.source.startswith("print(")


def test_a_fence_ends_the_generation(open_model):
    model = open_model(dialect="fenced", extra={"grammar": FENCE}, max_tokens=400)
    events = ask(model, request(user_says("Print 1."), tools=(EXECUTE,)))
    assert actions_of(events)[0].source.startswith("print(")
    assert text_of(events) == ""


def test_the_beginning_of_a_conversation_is_read_once(open_model):
    model = open_model(max_tokens=4)
    long = user_says("Remember these numbers: " + ", ".join(map(str, range(120))))
    ask(model, request(long, tools=()))
    answer = Message("assistant", (Text("Yes."),))
    usage = ask(model, request(long, answer, user_says("Go on."), tools=()))[-1].usage
    assert usage.cached > 200


def test_tokens_are_counted_as_the_tokenizer_counts_them_even_of_a_reply_that_is_cut(
    open_model, address
):
    model = open_model(dialect="fenced", extra={"grammar": FENCE}, max_tokens=400)
    context = Context(model.capabilities)
    asked = "Print one of these: " + ", ".join(map(str, range(200)))
    history = [user_says(asked)]

    def ask_again():
        events = ask(model, context.prepare("Be brief.", (EXECUTE,), history))
        context.learn(events[-1].usage)
        return events

    [action] = actions_of(ask_again())
    system = f"Be brief.\n\n{instructions(Templates(), (EXECUTE,))}"
    assert context.tokens == tokenized(address, {"system": system, "user": asked})

    result = Message("computer", (Output("x = 1, y = 2\n" * 20), ActionResult("", "ok")))
    history += [Message("assistant", (action,)), result]
    context.prepare("Be brief.", (EXECUTE,), history)
    estimated = context.tokens
    ask_again()
    assert abs(estimated - context.tokens) < 0.1 * context.tokens


def tokenized(address, said):
    messages = [{"role": role, "content": text} for role, text in said.items()]
    prompt = httpx.post(f"{address}/apply-template", json={"messages": messages}, timeout=60)
    content = {"content": prompt.json()["prompt"], "add_special": True}
    return len(httpx.post(f"{address}/tokenize", json=content, timeout=60).json()["tokens"])


def test_what_surrounds_the_first_message_is_at_most_350_tokens(address, server):
    server.replies = [said("ok")]
    command = [COMMAND, "--model", "openai/x", "--api_base", server.url, "hi"]
    with tempfile.TemporaryDirectory() as work:  # a short name, as people have
        subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, timeout=100, check=True)
    sent = server.requests[0].json
    tools = json.dumps(sent["tools"], separators=(",", ":"))
    text = sent["messages"][0]["content"] + tools
    answer = httpx.post(f"{address}/tokenize", json={"content": text}, timeout=60)
    assert 150 < len(answer.json()["tokens"]) <= 350
