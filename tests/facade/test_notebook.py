"""The magics, in a real IPython shell."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from interpreter.facade.notebook_face import Buttons
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError


@pytest.fixture
def shell():
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "interpreter")
    made.interpreter_notebook.interpreter.rich = True
    yield made
    made.run_line_magic("unload_ext", "interpreter")
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def texts(captured):
    shown = [output.data.get("text/markdown", "") for output in captured.outputs]
    return "\n".join(shown)


def run(shell, line, cell=None):
    with capture_output() as captured:
        if cell is None:
            shell.run_line_magic("interpreter", line)
        else:
            shell.run_cell_magic("interpreter", line, cell)
    return captured


def test_a_line_is_answered(shell, script):
    captured = run(shell, f"-m {script('Hello there.')} how are you?")
    assert "Hello there." in texts(captured)


def test_a_cell_is_answered_with_code_that_runs(shell, script):
    model = script({"text": "Adding.", "code": "print(2 + 3)"}, "It is 5.")
    captured = run(shell, f"-m {model} -y", "What is\n2 + 3?")
    assert "```python\nprint(2 + 3)\n```" in texts(captured)
    assert captured.stdout == "5\n"
    assert shell.interpreter_notebook.interpreter.messages[0]["content"] == "What is\n2 + 3?"


def test_inline_code_works_on_the_notebooks_own_variables(shell, script):
    shell.run_cell("numbers = [1, 2, 3]")
    model = script({"code": "total = sum(numbers)\ntotal"}, "Six.")
    run(shell, f"-m {model} -y --inline add my numbers")
    assert shell.user_ns["total"] == 6


def test_apart_again_the_variables_are_not_shared(shell, script):
    shell.run_cell("numbers = [1, 2, 3]")
    model = script({"code": "numbers"}, "Oh.")
    captured = run(shell, f"-m {model} -y --inline --apart add")
    assert "NameError" in captured.stdout


def test_without_widgets_the_question_is_a_prompt(shell, script, monkeypatch):
    asked = []
    monkeypatch.setattr("builtins.input", lambda prompt="": asked.append(prompt) or "y")
    captured = run(shell, f"-m {script({'code': 'print(1)'}, 'Done.')} go")
    assert "Run this?" in asked[0]
    assert captured.stdout == "1\n"


def test_a_no_with_a_reason_goes_to_the_model(shell, script, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt="": "no use two")
    captured = run(shell, f"-m {script({'code': 'print(1)'}, 'As you like.')} go")
    assert captured.stdout == ""
    assert "As you like." in texts(captured)


def test_plots_are_shown_natively(shell, script):
    source = """
from IPython.display import Image, display
display(Image(data=bytes.fromhex("89504e470d0a1a0a"), format="png"))"""
    captured = run(shell, f"-m {script({'code': source}, 'A plot.')} -y plot")
    assert "image/png" in {kind for output in captured.outputs for kind in output.data}


def test_a_model_that_fails_is_one_line(shell, script):
    captured = run(shell, f"-m {script()} go")
    assert "has ended" in texts(captured)


def test_a_button_goes_on_with_the_turn():
    pressed = []
    buttons = Buttons(pressed.append)
    buttons.run.click()
    assert pressed == [Decision("yes")]
    assert buttons.decline.disabled is True


def test_the_turn_waits_for_the_buttons(shell, script):
    shell.interpreter_notebook.interpreter.buttons = True
    captured = run(shell, f"-m {script({'code': 'print(1)'}, 'Done.')} go")
    interpreter = shell.interpreter_notebook.interpreter
    assert interpreter.messages[-1]["type"] == "code"
    assert captured.stdout == ""
    with capture_output() as captured:
        interpreter._decided(Decision("yes"))
    assert captured.stdout == "1\n"


def test_in_a_terminal_everything_is_text(shell, script):
    shell.interpreter_notebook.interpreter.rich = False
    captured = run(shell, f"-m {script('Hello there.')} hi")
    assert captured.stdout == "Hello there.\n"


def test_a_wrong_option_is_a_clear_error(shell):
    with pytest.raises(ConfigurationError, match="%interpreter"):
        shell.run_line_magic("interpreter", "--frobnicate")
