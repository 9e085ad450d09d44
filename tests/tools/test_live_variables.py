import pytest

from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import ToolContext, nobody_answers
from interpreter.runtimes.pool import RuntimePool
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.tools import live_variables
from interpreter.tools.live_variables import WithLiveVariables, all_variables
from interpreter.tools.run_code import RunCode, RunLimits

CONTEXT = ToolContext(nobody_answers, Interrupt())


@pytest.fixture(scope="module")
def one_tool(tmp_path_factory):
    cell = NoSandbox().open(tmp_path_factory.mktemp("work"))
    pool = RuntimePool(cell.launch, cell.exchange)
    yield WithLiveVariables(RunCode(pool, RunLimits(seconds=20)))
    pool.close()
    cell.close()


@pytest.fixture
def tool(one_tool):
    """The tool, in a session that holds nothing yet."""
    run(one_tool, "%reset -f")
    return one_tool


def run(tool, source, language="python"):
    events = list(tool.run(Code(language, source), CONTEXT))
    return events[-1], "".join(e.text for e in events if isinstance(e, OutputDelta))


def test_a_block_ends_with_the_variables_it_left(tool):
    end, printed = run(tool, "import os\nn = 3\nwords = ['a', 'b']\n_hidden = 1\nprint('out')")
    assert end == ExecutionFinished("ok", "variables: n: 3; words: list of 2")
    assert printed == "out\n"


def test_a_table_is_told_with_its_columns(tool):
    source = "import pandas as pd\ntable = pd.DataFrame({'x': [1, 2], 'y y': [3, 4]})"
    end, _ = run(tool, source)
    assert "table: DataFrame 2x2 with columns x, y y" in end.summary


def test_a_failure_keeps_its_own_summary_first(tool):
    end, _ = run(tool, "kept = 1\n1 / 0")
    assert end.outcome == "failed"
    first, second = end.summary.splitlines()
    assert first == "ZeroDivisionError: division by zero"
    assert second.startswith("variables: ")
    assert "kept: 1" in second


def test_looking_leaves_nothing_behind(tool):
    run(tool, "a = 1")
    _, printed = run(tool, "print('listed' in globals(), 'names' in globals(), _i.strip())")
    assert printed.startswith("False False")


def test_values_that_refuse_to_be_described_do_no_harm(tool):
    source = "class Bad:\n    def __len__(self): raise ValueError\nbad = Bad()"
    end, _ = run(tool, f"before = 1\n{source}")
    assert end == ExecutionFinished("ok", "variables: before: 1; bad: Bad")


def test_other_languages_are_left_alone(tool):
    end, printed = run(tool, "echo hi", "shell")
    assert (end.summary, printed) == ("", "hi\n")


def test_everything_is_listed_with_what_was_defined_and_imported(tool):
    run(
        tool,
        "import os\nclass Row: pass\ndef f(): pass\nn = 3\n"
        + "\n".join(f"v{i} = {i}" for i in range(30)),
    )
    lines = all_variables(tool).splitlines()
    assert lines[:2] == ["n: 3", "v0: 0"]
    assert len(lines) == 34
    assert lines[-3:] == ["functions: f", "classes: Row", "modules: os"]


def test_a_variable_that_hangs_when_it_is_looked_at_is_given_up(tool, monkeypatch):
    monkeypatch.setattr(live_variables, "PATIENCE", 0.3)
    run(
        tool,
        "import time\nclass Slow:\n    def __len__(self): time.sleep(600)\nslow = Slow()\nn = 3",
    )
    assert "n: 3" not in all_variables(tool)
    end, _ = run(tool, "del slow")
    assert end.outcome == "ok"


def test_nothing_is_listed_while_python_is_busy(tmp_path):
    cell = NoSandbox().open(tmp_path)
    pool = RuntimePool(cell.launch, cell.exchange)
    tool = RunCode(pool, RunLimits(silent_seconds=0.5))
    end, _ = run(tool, "x = 1\nimport time; time.sleep(600)")
    assert end.outcome == "backgrounded"
    assert all_variables(tool) == ""
    pool.close()
    cell.close()


def test_a_file_that_is_not_there_is_told_with_those_that_are(tool):
    run(tool, "for name in ('sales.csv', 'old.csv', 'notes.txt'): open(name, 'w').close()")
    end, _ = run(tool, "open('slaes.csv')")
    first = end.summary.splitlines()[0]
    assert first.endswith("'slaes.csv' (there is: 'sales.csv', 'old.csv')")
    end, _ = run(tool, "open('/nowhere/at/all.csv')")
    assert "there is" not in end.summary


def test_a_number_of_numpy_is_told_as_a_number(tool):
    end, _ = run(tool, "import numpy as np\nn = np.int64(3)\nshare = np.float64(0.5)")
    assert end.summary == "variables: n: 3; share: 0.5"
