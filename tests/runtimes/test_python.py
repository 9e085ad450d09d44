"""Python blocks: results with many faces, questions, magics, and the line that runs."""

import itertools
import json
import threading

import pytest
from tests.live import end_of, live, printed, run, said, shown

from interpreter.protocol.events import (
    ActiveLine,
    DisplayShown,
    ExecutionFinished,
    InputRequested,
    OutputCleared,
    OutputDelta,
)
from interpreter.protocol.messages import TABLE
from interpreter.runtimes.kernel.python import PythonOptions, python_kernel


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    with live(python_kernel, tmp_path_factory.mktemp("work")) as runtime:
        yield runtime


def displays(events):
    return [event.display for event in events if isinstance(event, DisplayShown)]


def test_the_last_expression_is_shown(python):
    assert shown(run(python, "x = 20\nx + 2")) == ["22"]


def test_a_figure_is_one_result_with_a_picture_and_a_text(python):
    (figure,) = displays(run(python, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"))
    assert figure.image.data.startswith(b"\x89PNG")
    assert figure.text.startswith("<Figure")
    assert figure.faces[-1].media_type == "image/png"


def test_matplotlib_is_not_imported_before_it_is_used(tmp_path):
    with live(python_kernel, tmp_path) as python:
        run(python, "1")
        loaded = "import sys; [m for m in ('matplotlib', 'pandas', 'numpy') if m in sys.modules]"
        assert said(python, loaded) == "[]"


def test_a_data_frame_is_also_data(python):
    source = (
        "import pandas as pd\n"
        "pd.DataFrame({'n': [1, 2], 's': ['a', None], 'f': [0.5, float('inf')]})"
    )
    (frame,) = displays(run(python, source))
    assert {face.media_type for face in frame.faces} == {"text/plain", "text/html", TABLE}
    table = json.loads(frame.face(TABLE).data)
    assert [column["name"] for column in table["columns"]] == ["n", "s", "f"]
    assert table["rows"] == [[1, "a", 0.5], [2, None, None]]
    assert table["shape"] == [2, 3]


@pytest.mark.parametrize(
    ("made", "columns", "first"),
    [
        ("frame.groupby('region').sum()", ["region", "n"], ["North", 4]),
        ("frame.groupby(['region', 'n']).size().to_frame('k')", ["region", "n", "k"], ["North", 1, 1]),
        ("frame[['n']].describe()", ["index", "n"], ["count", 3.0]),
        ("frame[frame.n > 1]", ["region", "n"], ["South", 2]),
    ],
)  # fmt: skip
def test_names_of_rows_are_the_first_columns(python, made, columns, first):
    frame = "frame = pd.DataFrame({'region': ['North', 'South', 'North'], 'n': [1, 2, 3]})"
    shown = displays(run(python, f"import pandas as pd\n{frame}\n{made}"))
    table = json.loads(shown[0].face(TABLE).data)
    assert [column["name"] for column in table["columns"]] == columns
    assert table["rows"][0] == first


def test_a_long_data_frame_is_cut_and_says_its_size(python):
    source = "import pandas as pd\npd.DataFrame({'n': range(100_000)})"
    table = json.loads(displays(run(python, source))[0].face(TABLE).data)
    assert (len(table["rows"]), table["shape"]) == (100, [100_000, 1])


@pytest.mark.parametrize(
    ("shower", "media_type", "data"),
    [
        ("SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')", "image/svg+xml", "<svg"),
        ("HTML('<b>bold</b>')", "text/html", "<b>bold</b>"),
        ("Markdown('# title')", "text/markdown", "# title"),
        ("Latex('$x^2$')", "text/latex", "$x^2$"),
        ("JSON({'a': [1]})", "application/json", '{"a": [1]}'),
    ],
)
def test_rich_results_have_their_face(python, shower, media_type, data):
    (display,) = displays(run(python, f"from IPython.display import *\n{shower}"))
    assert display.face(media_type).data.startswith(data)


def test_markdown_speaks_for_itself_in_plain_text(python):
    assert shown(run(python, "from IPython.display import *\nMarkdown('# title')")) == ["# title"]


def test_a_display_can_be_updated(python):
    events = run(python, "h = display('a', display_id='me')\nh.update('b')")
    assert [(e.display.text, e.display.display_id, e.updates) for e in events[:-1]] == [
        ("'a'", "me", False),
        ("'b'", "me", True),
    ]


def test_output_can_be_cleared(python):
    source = "from IPython.display import clear_output\nprint(1)\nclear_output(wait=True)\nprint(2)"
    events = run(python, source)
    assert [e for e in events if isinstance(e, OutputCleared)] == [OutputCleared(wait=True)]


def test_progress_keeps_its_carriage_returns(python):
    assert printed(run(python, "for i in range(3): print(i, end='\\r')")) == "0\r1\r2\r"


def test_input_becomes_an_event_and_gets_its_answer(python):
    asked = []

    def answer(request):
        asked.append(request)
        return "Ada"

    events = run(python, "name = input('Who? ')\nprint('hello', name)", answer=answer)
    assert asked == [InputRequested("Who? ")]
    assert asked[0] in events
    assert printed(events) == "hello Ada\n"


def test_getpass_asks_hidden(python):
    events = run(python, "import getpass\ngetpass.getpass('Key: ')", answer=lambda request: "k")
    assert events[0] == InputRequested("Key: ", hidden=True)
    assert shown(events) == ["'k'"]


def test_input_without_anybody_is_the_end_of_file(python):
    assert end_of(run(python, "input()")).summary == "EOFError"


def test_standard_input_is_empty_for_children(python):
    assert said(python, "import subprocess\nsubprocess.run(['cat']).returncode") == "0"


def test_top_level_await_and_magics_and_commands_work(python):
    assert said(python, "import asyncio\nawait asyncio.sleep(0, 'done')") == "'done'"
    assert said(python, "%%capture cap\nprint(1)") == ""
    assert said(python, "cap.stdout") == "'1\\n'"
    assert said(python, "!echo bang") == "bang"
    assert said(python, "out = !echo captured\nout[0]") == "'captured'"


@pytest.mark.parametrize(
    ("source", "outcome", "code"),
    [
        ("import sys; sys.exit()", "ok", 0),
        ("import sys; sys.exit(3)", "failed", 3),
        ("import sys; sys.exit('bad luck')", "failed", 1),
        ("exit()", "ok", 0),
    ],
)
def test_leaving_ends_the_block_only(python, source, outcome, code):
    run(python, "kept = 1")
    end = end_of(run(python, source))
    assert (end.outcome, end.exit_code) == (outcome, code)
    assert said(python, "kept") == "1"


def test_output_of_children_comes_with_its_block(python):
    events = run(python, "import subprocess\nsubprocess.run('echo out; echo err >&2', shell=True);")
    assert (printed(events, "stdout"), printed(events, "stderr")) == ("out\n", "err\n")


def test_streams_that_alternate_fast_keep_their_order(python):
    source = "import sys\nfor i in range(50): print(i); print(i, file=sys.stderr)"
    events = [e for e in run(python, source) if isinstance(e, OutputDelta)]
    said = [
        ("".join(e.text for e in piece), stream)
        for stream, piece in itertools.groupby(events, key=lambda event: event.stream)
    ]
    assert said == [(f"{i}\n", stream) for i in range(50) for stream in ("stdout", "stderr")]


def test_tracebacks_have_no_colours_and_name_the_line(python):
    text = printed(run(python, "def f():\n    1/0\nf()"), "stderr")
    assert "\x1b" not in text
    assert "line 2" in text


def test_the_active_line_is_reported(python, tmp_path):
    """On a busy machine lines are looked at rarely, so each waits until it was seen."""
    seen = tmp_path / "2", tmp_path / "5"
    source = (
        "import os, time\n"
        f"while not os.path.exists({str(seen[0])!r}): time.sleep(0.01)\n\n"
        f"while not os.path.exists({str(seen[1])!r}):\n    time.sleep(0.01)\n"
    )
    lines = []
    for event in python.run(source):
        if isinstance(event, ActiveLine):
            lines.append(event.line)
            (tmp_path / str(event.line)).touch()
    assert (lines[0], lines[-2:]) == (2, [5, None])


def test_the_active_line_is_the_blocks_own_and_not_that_of_what_it_calls(python):
    run(python, "import time\ndef slow():\n    pass\n    time.sleep(0.4)")
    lines = [e.line for e in run(python, "1\n2\nslow()") if isinstance(e, ActiveLine)]
    assert lines == [3, None]


def test_short_blocks_report_no_line(python):
    assert not any(isinstance(e, ActiveLine) for e in run(python, "1 + 1"))


def test_the_active_line_can_be_switched_off(tmp_path):
    with live(python_kernel, tmp_path, PythonOptions(active_line=False)) as python:
        events = run(python, "import time\ntime.sleep(0.3)")
        assert events == [ExecutionFinished("ok")]


def test_the_environment_is_handed_in(tmp_path):
    with live(python_kernel, tmp_path, PythonOptions(env={"COLOUR": "blue"})) as python:
        assert said(python, "import os; os.environ['COLOUR']") == "'blue'"


def test_the_working_directory_is_the_workspace(tmp_path):
    with live(python_kernel, tmp_path) as python:
        assert said(python, "import os; os.getcwd()") == repr(str(tmp_path))
        (tmp_path / "mine.py").write_text("x = 7")
        assert said(python, "import mine; mine.x") == "7"


def test_a_kernel_that_does_not_start_says_why(tmp_path):
    from interpreter.protocol.errors import StartFailed

    options = PythonOptions(python="/nowhere/python")
    with live(python_kernel, tmp_path, options) as python, pytest.raises(StartFailed):
        run(python, "1")


def test_a_python_without_ipykernel_says_so(tmp_path):
    import subprocess
    import sys

    from interpreter.protocol.errors import StartFailed

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "v"], check=True)
    options = PythonOptions(python=str(tmp_path / "v/bin/python"))
    missing = pytest.raises(StartFailed, match="No module named")
    with live(python_kernel, tmp_path, options) as python, missing:
        run(python, "1")


def test_warming_up_in_another_thread_does_not_disturb_the_first_block(tmp_path):
    with live(python_kernel, tmp_path) as python:
        threading.Thread(target=python.warm).start()
        assert said(python, "1 + 1") == "2"


PANDAS = """
import pandas as pd
def total(frame):
    return frame["unit"].sum()
total(pd.DataFrame({"units": [1]}))
"""


def test_an_error_in_a_library_shows_the_own_lines_and_where_it_was_raised(python):
    text = printed(run(python, PANDAS))
    assert len(text.splitlines()) < 30
    assert '----> 3     return frame["unit"].sum()' in text
    assert "4 total(pd.DataFrame" in text
    assert "library frame" in text
    assert "in Index.get_loc" in text or "in DataFrame.__getitem__" in text
    assert text.endswith("KeyError: 'unit'\n")
    assert text.count("Traceback (most recent call last)") == 1


def test_an_error_in_the_own_code_is_shown_whole(python):
    source = "def f(n):\n    return 1 / n\ntry:\n    f(0)\nexcept ZeroDivisionError:\n    f('x')"
    text = printed(run(python, source))
    assert "During handling of the above exception" in text
    assert "ZeroDivisionError: division by zero" in text
    assert "left out" not in text
    assert "SyntaxError" in printed(run(python, "x ="))
