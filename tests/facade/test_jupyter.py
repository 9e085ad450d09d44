"""The magics in a real Jupyter kernel, spoken to as notebooks do."""

import pytest
from jupyter_client import KernelManager

HANG = 60  # seconds
PLOT = """
import matplotlib
matplotlib.use("module://matplotlib_inline.backend_inline")
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.show()"""
TABLE = "import pandas\npandas.DataFrame({'city': ['Bern'], 'people': [134591]})"


class Jupyter:
    """A kernel with a client: cells go in, what a notebook would show comes out."""

    def __init__(self):
        self._manager = KernelManager()
        self._manager.start_kernel()
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=HANG)
        self.widgets = {}

    def close(self):
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def cell(self, source, *answers, on_output=None, allow_stdin=True):
        """Run a cell; its output messages. Each prompt gets the next answer."""
        shown, left = [], list(answers)

        def take(message):
            self._take(message, shown)
            if on_output is not None:
                on_output(message)

        reply = self._client.execute_interactive(
            source,
            allow_stdin=allow_stdin,
            timeout=HANG,
            output_hook=take,
            stdin_hook=lambda message: self._client.input(left.pop(0)),
        )
        assert not left, "nobody asked"
        return Shown(shown, reply["content"])

    def press(self, label):
        """Press a button that was shown; what it does is shown, too."""
        comm = next(comm for comm, name in self.widgets.items() if name == label)
        content = {"comm_id": comm, "data": {"method": "custom", "content": {"event": "click"}}}
        request = self._client.session.msg("comm_msg", content)
        self._client.shell_channel.send(request)
        shown = []
        while True:
            message = self._client.get_iopub_msg(timeout=HANG)
            if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
                continue
            if message["content"].get("execution_state") == "idle":
                return Shown(shown, {"status": "ok"})
            self._take(message, shown)

    def interrupt(self):
        self._manager.interrupt_kernel()

    def _take(self, message, shown):
        if message["msg_type"] == "comm_open":
            state = message["content"]["data"].get("state", {})
            self.widgets[message["content"]["comm_id"]] = state.get("description")
        shown.append(message)


class Shown:
    """What a cell showed."""

    def __init__(self, messages, reply):
        self.status = reply["status"]
        contents = [(message["msg_type"], message["content"]) for message in messages]
        self.printed = "".join(c["text"] for kind, c in contents if kind == "stream")
        drawn = {}  # growing prose is drawn again: the last drawing counts
        for kind, content in contents:
            if kind in ("display_data", "update_display_data"):
                place = content.get("transient", {}).get("display_id", len(drawn))
                drawn[place] = content["data"]
        self.displays = list(drawn.values())
        self.words = [data["text/plain"] for data in self.displays if "text/plain" in data]
        self.kinds = {kind for data in self.displays for kind in data}
        self.tracebacks = [content for kind, content in contents if kind == "error"]


@pytest.fixture
def jupyter():
    made = Jupyter()
    yield made
    made.close()


@pytest.fixture
def notebook(jupyter):
    """A notebook where the extension is loaded, and no widgets are installed."""
    jupyter.cell("import sys; sys.modules['ipywidgets'] = None")
    assert jupyter.cell("%load_ext interpreter").status == "ok"
    return jupyter


def test_a_cell_streams_its_answer_and_the_code_that_runs(notebook, script):
    model = script({"text": "Adding.", "code": "print(2 + 3)"}, "It is **5**.")
    shown = notebook.cell(f"%%interpreter -m {model} -y\nWhat is\n2 + 3?")
    assert shown.status == "ok"
    assert shown.words == ["Adding.", "print(2 + 3)", "It is **5**."]
    assert shown.printed == "5\n"


def test_a_line_goes_on_with_the_same_conversation_and_session(notebook, script):
    model = script({"code": "n = 41"}, "Kept.", {"code": "print(n + 1)"}, "There.")
    notebook.cell(f"%interpreter -m {model} -y keep 41")
    assert notebook.cell("%interpreter and one more").printed == "42\n"


def test_plots_and_tables_are_shown_natively(notebook, script):
    model = script({"code": PLOT}, {"code": TABLE}, "Both.")
    shown = notebook.cell(f"%interpreter -m {model} -y plot, then show a table")
    assert {"image/png", "text/html"} <= shown.kinds
    assert any("<td>Bern</td>" in data.get("text/html", "") for data in shown.displays)


def test_inline_code_works_on_the_notebooks_own_variables(notebook, script):
    add = {"code": "total = sum(numbers)\nprint(total)"}
    model = script(add, {"code": TABLE}, {"code": PLOT}, "Six.")
    notebook.cell("numbers = [1, 2, 3]")
    shown = notebook.cell(f"%interpreter -m {model} -y --inline add my numbers")
    assert shown.printed.startswith("6\n")
    assert {"text/html", "image/png"} <= shown.kinds
    assert notebook.cell("print(total, numbers)").printed == "6 [1, 2, 3]\n"


def test_without_widgets_the_question_is_a_prompt(notebook, script):
    model = script({"code": "print(1)"}, {"code": "print(2)"}, "As you like.")
    shown = notebook.cell(f"%interpreter -m {model} go", "y", "no better not")
    assert shown.printed == "1\n"
    assert shown.words[-1] == "As you like."


def test_a_question_of_the_code_is_a_prompt_too(notebook, script):
    source = "import getpass\nprint('Hello', input('Name? '), len(getpass.getpass('Key? ')))"
    model = script({"code": source}, "Done.")
    shown = notebook.cell(f"%interpreter -m {model} -y greet", "Ada", "secret")
    assert "Hello Ada 6" in shown.printed
    assert "secret" not in shown.printed


def test_where_nobody_can_be_asked_nothing_runs(notebook, script):
    model = script({"code": "print(1)"}, "Done.")
    shown = notebook.cell(f"%interpreter -m {model} go", allow_stdin=False)
    assert (shown.status, shown.printed, shown.tracebacks) == ("ok", "", [])
    assert "declined" in shown.words[-1]


def test_with_widgets_the_code_runs_when_the_button_is_pressed(jupyter, script):
    jupyter.cell("%load_ext interpreter")
    model = script({"code": "print(6 * 7)"}, "It is 42.")
    shown = jupyter.cell(f"%interpreter -m {model} go", allow_stdin=False)
    assert shown.printed == ""
    assert {"Run", "Do not run"} <= set(jupyter.widgets.values())
    pressed = jupyter.press("Run")
    assert pressed.printed == "42\n"
    assert "It is 42." in pressed.words


def test_the_other_button_tells_the_model(jupyter, script):
    jupyter.cell("%load_ext interpreter")
    model = script({"code": "print(6 * 7)"}, "As you like.")
    jupyter.cell(f"%interpreter -m {model} go", allow_stdin=False)
    pressed = jupyter.press("Do not run")
    assert pressed.printed == ""
    assert "As you like." in pressed.words


def test_interrupting_the_cell_stops_the_code_and_keeps_the_notebook(notebook, script):
    loop = {"code": "n = 1\nprint('on', flush=True)\nwhile True: pass"}
    model = script(loop, {"code": "print(n)"}, "Still there.")

    def stop_it(message):
        if message["msg_type"] == "stream" and "on" in message["content"]["text"]:
            notebook.interrupt()

    shown = notebook.cell(f"%interpreter -m {model} -y loop", on_output=stop_it)
    assert "Interrupted" in shown.words[-1]
    assert notebook.cell("%interpreter and now?").printed == "1\n"


def test_the_python_api_works_in_a_notebook_where_a_loop_runs(jupyter, script):
    model = script({"code": "print(1 + 1)"}, "Two.")
    jupyter.cell(
        "from interpreter import interpreter\n"
        f"interpreter.llm.model, interpreter.auto_run = {model!r}, True"
    )
    shown = jupyter.cell("print(interpreter.chat('go', display=False)[-1]['content'])")
    assert shown.printed == "Two.\n"
    awaited = (
        "from interpreter import AsyncInterpreter\n"
        "async with AsyncInterpreter() as it:\n"
        "    print((await it.run('python', '3 * 3')).text)"
    )
    assert jupyter.cell(awaited).printed == "9\n"


def test_a_chat_with_a_display_is_rich_and_asks_by_a_prompt(jupyter, script):
    model = script({"text": "Look:", "code": TABLE}, "A **table**.")
    jupyter.cell(f"from interpreter import interpreter\ninterpreter.llm.model = {model!r}")
    shown = jupyter.cell("new = interpreter.chat('show me')", "y")
    assert shown.words[-1] == "A **table**."
    assert "text/html" in shown.kinds
    assert jupyter.cell("print(len(new))").printed == "5\n"


def test_unloading_ends_what_was_started(notebook, script):
    notebook.cell(f"%interpreter -m {script({'code': '1'}, 'One.')} -y go")
    assert notebook.cell("%unload_ext interpreter").status == "ok"
    assert "not found" in notebook.cell("%interpreter hi").printed
