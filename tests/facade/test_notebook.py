"""The magics, in a real IPython shell."""

import json
import re

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from interpreter.facade.notebook.face import Buttons, NotebookFace, ask
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import (
    ActionProposed,
    ApprovalRequested,
    CodeDelta,
    DisplayShown,
    ExecutionFinished,
    FileChange,
    FilesChanged,
    Notice,
    OutputDelta,
    TextDelta,
)
from interpreter.protocol.messages import TABLE, Code, Display, Face

pytestmark = pytest.mark.usefixtures("shell")


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


def plain(captured):
    return "\n".join(output.data.get("text/plain", "") for output in captured.outputs)


def pages(captured):
    return [output.data["text/html"] for output in captured.outputs if "text/html" in output.data]


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
    assert "print(2 + 3)" in plain(captured)
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
    assert "has ended" in plain(captured)


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


HIDING = """print(1)
```
<!--
open('PWN','w')  # \u202e</pre><script>alert(1)</script>
"""


@pytest.mark.parametrize("language", ["python", "prose", "</small><script>"])
def test_no_line_of_a_block_is_hidden_and_none_is_html(language):
    with capture_output() as captured:
        face = NotebookFace()
        face.show(CodeDelta(language, "harmless()"))
        face.show(ActionProposed(Code(language, HIDING)))
    page = pages(captured)[-1]
    assert "open(&#x27;PWN&#x27;,&#x27;w&#x27;)  # <mark>⟨U+202E⟩</mark>" in page
    assert "harmless" not in page
    assert page.count("\n") == HIDING.count("\n") + 1  # the first in `pre` is not shown
    assert not re.search("<script|<!--|\u202e", page)
    assert "text/markdown" not in captured.outputs[-1].data


def test_the_block_that_is_asked_about_is_the_last_one_shown():
    first, second = Code("python", "first()"), Code("python", "second()")
    with capture_output() as captured:
        face = NotebookFace()
        for event in (ActionProposed(first), ActionProposed(second), ApprovalRequested(first)):
            face.show(event)
    assert "first()" in pages(captured)[-1]


def test_names_errors_and_notices_are_words():
    bad = "<img src=x onerror=alert(1)> **x** `"
    with capture_output() as captured:
        face = NotebookFace()
        face.show(ExecutionFinished("failed", bad))
        face.show(FilesChanged((FileChange(f"a{bad}\n", "added"),)))
        face.show(Notice(bad))
        face.show(TextDelta(bad))
        face.close()
    assert all("<img" not in page for page in pages(captured))
    assert all("text/markdown" not in one.data for one in captured.outputs[:3])
    assert "&lt;img" in texts(captured)
    assert "⟨U+000A⟩" in plain(captured)


SCRIPT = "<script>fetch('https://evil.example')</script>"


def shown(*faces, **options):
    with capture_output() as captured:
        display = Display(tuple(Face(*face) for face in faces))
        NotebookFace(**options).show(DisplayShown(display))
    return captured.outputs[-1].data


def test_a_page_of_a_block_is_shut_in_a_frame():
    page = shown(("text/html", f"<h1>Hi</h1>{SCRIPT}"))["text/html"]
    assert page.startswith('<iframe sandbox="" ')
    assert "default-src &#x27;none&#x27;" in page
    assert "<script" not in page
    assert "&lt;script" in page


def test_its_scripts_run_only_where_they_were_allowed_and_never_as_the_notebook():
    page = shown(("text/html", SCRIPT), scripts=True)["text/html"]
    assert page.startswith('<iframe sandbox="allow-scripts" ')
    assert "allow-same-origin" not in page


def test_a_table_keeps_its_rows_and_loses_everything_else():
    frame = json.dumps({"columns": [], "rows": [], "shape": [1, 1]})
    page = f'<style>x</style><table onclick="x"><tr><td colspan="2">1<b>{SCRIPT}</td></tr>'
    data = shown((TABLE, frame), ("text/html", page))
    assert data["text/html"] == '<table><tr><td colspan="2">1<b></b></td></tr></table>'


def test_other_faces_of_a_result_do_nothing_either():
    assert shown(("text/markdown", f"a {SCRIPT}"))["text/markdown"].startswith("a &lt;script")
    assert shown(("text/plain", "a\x1b]0;t\x07\u202e"))["text/plain"] == "a⟨U+202E⟩"
    data = shown(("image/svg+xml", "<svg onload='alert(1)'/>"))
    assert data["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    assert shown(("application/javascript", "x"), ("text/plain", "y")) == {"text/plain": "y"}
    formula = ("text/latex", r"\href{javascript:x}{y}")
    assert "text/latex" not in shown(formula, ("text/plain", "y"))


def test_what_a_block_prints_keeps_colours_only():
    with capture_output() as captured:
        NotebookFace().show(OutputDelta("\x1b[31mred\x1b[0m\x1b]8;;http://x\x07l\x1b[2J\r2\n"))
    assert captured.stdout == "\x1b[31mred\x1b[0ml\r2\n"


def test_a_reason_is_drawn_in_the_prompt(monkeypatch):
    asked = []
    monkeypatch.setattr("builtins.input", lambda prompt="": asked.append(prompt) or "n")
    ask(ApprovalRequested(Code("python", "x"), "reads \x1b[2K\u202ex"))
    assert asked[0].startswith("reads ⟨U+001B⟩[2K⟨U+202E⟩x")
