"""`interpreter.chat()` of a program, in a real terminal."""

import sys

import pytest
import yaml

PROGRAM = """\
from interpreter import interpreter
interpreter.llm.model = {model!r}
{lines}
print("left with", len(interpreter.messages), "messages;", interpreter.auto_run)
"""


@pytest.fixture
def program(start, tmp_path):
    """Run lines of a program in a terminal."""

    def run(lines, *replies):
        script = tmp_path / "replies.yaml"
        script.write_text(yaml.safe_dump({"replies": list(replies)}))
        file = tmp_path / "program.py"
        file.write_text(PROGRAM.format(model=f"scripted/{script}", lines=lines))
        return start(argv=[sys.executable, str(file)])

    return run


def test_without_a_message_it_is_a_conversation_with_commands(program):
    code = {"code": "print(6 * 7)"}
    terminal = program("interpreter.chat()", "Hello there.", code, "It is 42.", "Bye.")
    terminal.wait_for_prompt()
    terminal.type("hi\n")
    terminal.wait_for("Hello there.")
    terminal.wait_for_prompt()
    terminal.type("%auto_run on\n")
    terminal.wait_for_prompt()
    terminal.type("compute\n")
    terminal.wait_for("It is 42.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for("left with 6 messages; True")


def test_reset_at_the_prompt_is_a_reset_for_the_program(program):
    terminal = program("interpreter.chat()", "One.", "Two.")
    terminal.wait_for_prompt()
    terminal.type("first\n")
    terminal.wait_for("One.")
    terminal.wait_for_prompt()
    terminal.type("%reset\n")
    terminal.wait_for("A new conversation")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for("left with 0 messages")


def test_one_message_is_shown_and_approved_by_a_key(program):
    terminal = program("interpreter.chat('go')", {"code": "print(6 * 7)"}, "It is 42.")
    terminal.wait_for("print(6 * 7)", "[y]es")
    terminal.type("y")
    terminal.wait_for("It is 42.", "left with 4 messages; False")


def test_ctrl_c_stops_the_turn_and_not_the_program(program):
    loop = {"code": "print('on', flush=True)\nwhile True: pass"}
    lines = "interpreter.auto_run = True\ninterpreter.chat('go')"
    terminal = program(lines, loop, "never")
    terminal.wait_for("\non")
    terminal.press("C-c")
    terminal.wait_for("left with")


def test_plain_text_display_draws_no_live_lines(program):
    lines = "interpreter.plain_text_display = True\ninterpreter.chat('go')"
    terminal = program(lines, {"code": "print(6 * 7)"}, "It is 42.")
    terminal.wait_for("```python", "print(6 * 7)")
    terminal.type("y\n")
    terminal.wait_for("It is 42.", "left with 4 messages")
