"""What is told about data files comes from our own program, whatever code has left in the cell."""

import sys

import pytest

from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.tools.profile_file import Profiler, ProfilerOptions

FORGE = """
import os, sys
start = "import os; print('FORGED', flush=True); os._exit(0)"
for place in {os.environ["PIP_TARGET"], os.getcwd(), os.environ["TMPDIR"]}:
    for name in ("sitecustomize.py", "usercustomize.py", "csv.py", "openpyxl.py"):
        with open(os.path.join(place, name), "w") as file:
            file.write(start)
    with open(os.path.join(place, "pdftotext"), "w") as file:
        file.write("#!/bin/sh\\necho FORGED")
    os.chmod(os.path.join(place, "pdftotext"), 0o755)
with open("data.csv", "w") as file:
    file.write("a,b\\n1,2\\n")
with open("book.xlsx", "w") as file:
    file.write("no book")
with open("paper.pdf", "w") as file:
    file.write("%PDF")
"""
DESCRIBE = """
from interpreter.tools.profile_file import Profiler, ProfilerOptions
cell = cells["cell"]
options = ProfilerOptions(cell.workspace, Path(facts["outside"], "cache"))
answer = Profiler(cell.launch, options).describe("see data.csv, book.xlsx and paper.pdf")
"""


def test_a_profile_cannot_be_forged_by_what_python_runs_at_its_start(world):
    done = world.attempt(FORGE)
    assert done == {"text": "", "status": 0}
    told = world.attempt(DESCRIBE, "host")["answer"]
    assert told.startswith("data.csv: 1 rows x 2 columns")
    assert "book.xlsx" in told
    assert "paper.pdf" in told
    assert "FORGED" not in told
    assert world.attempt("pass")["text"] == "FORGED\n"  # any other Python of the cell runs it


@pytest.fixture
def profiler(tmp_path):
    cells = []

    def make(name, source=None):
        workspace = tmp_path / name
        workspace.mkdir()
        (workspace / "data.csv").write_text("a,b\n1,2\n")
        cells.append(NoSandbox().open(workspace))
        return Profiler(cells[-1].launch, ProfilerOptions(workspace, tmp_path / "cache"))

    yield make
    for cell in cells:
        cell.close()


def test_a_profile_kept_for_one_workspace_is_not_believed_in_another(profiler, tmp_path):
    here = profiler("here")
    assert here.describe("data.csv").startswith("data.csv: 1 rows")
    for kept in (tmp_path / "cache").iterdir():
        kept.write_text("FORGED")
    assert here.describe("data.csv") == "FORGED"  # it is kept indeed
    assert profiler("elsewhere").describe("data.csv").startswith("data.csv: 1 rows")


def test_a_python_of_the_workspace_describes_nothing(profiler, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "evil"))
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "sitecustomize.py").write_text("print('FORGED')")
    assert profiler("here").describe("data.csv").startswith("data.csv: 1 rows")
    assert sys.flags.isolated == 0
