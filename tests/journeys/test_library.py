import subprocess
import sys

import pytest

from interpreter import OpenInterpreter
from interpreter.protocol.errors import ConfigurationError, ScriptEnded

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}


@pytest.fixture
def interpreter(script):
    made = OpenInterpreter()

    def play(*replies):
        made.llm.model = script(*replies)
        return made

    yield play
    made.close()


def contents(messages):
    return [(message["type"], message["content"]) for message in messages]


def test_a_conversation_with_code_that_runs(interpreter):
    it = interpreter(ADD, "It is 5.")
    it.auto_run = True

    new = it.chat("What is 2 + 3?", display=False)

    assert contents(new) == [
        ("message", "Adding."),
        ("code", "x = 2 + 3\nprint(x)"),
        ("console", "5\n"),
        ("message", "It is 5."),
    ]
    assert it.messages == [{"role": "user", "type": "message", "content": "What is 2 + 3?"}, *new]


def test_nothing_runs_when_nobody_approves(interpreter):
    it = interpreter(ADD)
    assert [message["type"] for message in it.chat("go", display=False)] == ["message", "code"]


def test_going_on_past_the_confirmation_is_approval(interpreter):
    it = interpreter(ADD, "It is 5.")
    kinds = [chunk["type"] for chunk in it.chat("go", display=False, stream=True)]
    assert "confirmation" in kinds
    assert contents(it.messages)[-2:] == [("console", "5\n"), ("message", "It is 5.")]


def test_leaving_at_the_confirmation_leaves_the_code_unrun(interpreter):
    it = interpreter(ADD, "It is 5.")
    for chunk in it.chat("go", display=False, stream=True):
        if chunk["type"] == "confirmation":
            break
    assert it.messages[-1]["type"] == "code"


def test_code_run_by_hand_shares_the_repl_with_the_model(interpreter):
    it = interpreter({"code": "print(secret + 1)"}, "Done.")
    it.auto_run = True
    assert it.computer.run("python", "secret = 41") == []
    assert ("console", "42\n") in contents(it.chat("go", display=False))
    assert contents(it.computer.run("python", "print(secret)")) == [("console", "41\n")]


def test_reset_forgets_the_conversation_and_the_variables(interpreter):
    it = interpreter("Hello.", "Hello again.")
    it.chat("hi", display=False)
    it.computer.run("python", "kept = 1")
    it.reset()
    assert it.messages == []
    assert "NameError" in it.computer.run("python", "kept")[0]["content"]


def test_a_list_replaces_the_history_and_a_dictionary_is_added(interpreter):
    it = interpreter("One.", "Two.")
    it.chat({"content": "first"}, display=False)
    new = it.chat([{"role": "user", "type": "message", "content": "anew"}], display=False)
    assert contents(new) == [("message", "Two.")]
    assert contents(it.messages) == [("message", "anew"), ("message", "Two.")]


def test_changing_the_messages_changes_the_conversation(interpreter):
    it = interpreter("One.", "Two.")
    it.chat("first", display=False)
    it.messages.append({"role": "user", "type": "message", "content": "by the way"})
    it.chat("second", display=False)
    assert [content for _, content in contents(it.messages)] == [
        *("first", "One.", "by the way", "second", "Two.")
    ]
    it.messages = []
    assert it.messages == []


def test_two_interpreters_do_not_share_anything(interpreter):
    other = OpenInterpreter()
    interpreter("Hello.").chat("hi", display=False)
    assert other.messages == []


def test_a_model_that_fails_raises(interpreter):
    with pytest.raises(ScriptEnded):
        interpreter().chat("hi", display=False)


def test_no_message_and_no_display_is_a_clear_error(interpreter):
    with pytest.raises(ConfigurationError, match="needs a message"):
        interpreter("x").chat(display=False)


def test_importing_does_no_work_and_loads_nothing_foreign():
    code = """
import sys
before = set(sys.modules)
import interpreter
new = {name.split(".")[0] for name in set(sys.modules) - before}
print(new - {"interpreter"} - set(sys.stdlib_module_names))
print(sorted(name for name in sys.modules if name.startswith("interpreter.")))
print(interpreter.interpreter is interpreter.interpreter)
print(interpreter.computer is interpreter.interpreter.computer)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == ["set()", "['interpreter._version']", "True", "True"]


def test_an_unknown_name_is_an_attribute_error():
    import interpreter as package

    with pytest.raises(AttributeError, match="frobnicate"):
        _ = package.frobnicate
