"""Any function as a model."""

from types import SimpleNamespace

import pytest

from interpreter.models.callable import from_function
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import ModelError
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, user_says
from support.talking import actions_of, ask, request, text_of


def test_it_is_called_as_a_chat_completion_would_be():
    seen = {}

    def completions(**arguments):
        seen.update(arguments)
        yield {"choices": [{"delta": {"content": "ok"}}]}

    options = ModelOptions(max_tokens=5, temperature=0.0, api_key="k")
    ask(from_function(completions, options, "mine"), request(user_says("hi")))
    assert seen["model"] == "mine"
    assert seen["stream"] is True
    assert (seen["max_tokens"], seen["temperature"], seen["api_key"]) == (5, 0.0, "k")
    assert [message["role"] for message in seen["messages"]] == ["system", "user"]
    assert "tools" not in seen


def test_chunks_may_be_objects_and_calls_may_be_native():
    def completions(**arguments):
        assert arguments["tools"][0]["function"]["name"] == "execute"
        function = SimpleNamespace(name="execute", arguments='{"language":"python","code":"1"}')
        call = SimpleNamespace(index=0, id="a", function=function)
        delta = SimpleNamespace(content=None, tool_calls=[call])
        yield SimpleNamespace(choices=[SimpleNamespace(index=0, delta=delta)])

    model = from_function(completions, ModelOptions(supports_functions=True))
    assert actions_of(ask(model)) == [Code("python", "1", "a")]


def test_a_whole_answer_is_fine_too():
    answer = {"choices": [{"message": {"content": "ok"}}]}
    assert text_of(ask(from_function(lambda **arguments: answer))) == "ok"


def test_a_function_that_fails_is_one_error():
    def completions(**arguments):
        raise KeyError("oops")
        yield

    with pytest.raises(ModelError, match="oops"):
        ask(from_function(completions))


def test_it_is_closed_when_the_block_is_complete():
    closed = []

    def completions(**arguments):
        try:
            yield {"choices": [{"delta": {"content": "```python\n1\n```\n"}}]}
            yield {"choices": [{"delta": {"content": "imagined"}}]}
        finally:
            closed.append(True)

    events = ask(from_function(completions))
    assert actions_of(events) == [Code("python", "1")]
    assert text_of(events) == ""
    assert closed == [True]


def test_an_interrupt_stops_between_chunks():
    interrupt = Interrupt()

    def completions(**arguments):
        yield {"choices": [{"delta": {"content": "one"}}]}
        interrupt.request()
        yield {"choices": [{"delta": {"content": "two"}}]}

    assert text_of(ask(from_function(completions), interrupt=interrupt)) == "one"
