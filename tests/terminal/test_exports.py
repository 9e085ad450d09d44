"""A session that really happened, exported, and the exports used for what they are for."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import nbclient
import nbformat
import pytest
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)

BLOCKS = (
    {"text": "First.", "code": "x = 20\nprint('x is', x)"},
    {"text": "This fails.", "code": "1 / 0"},
    {"text": "A shell line.", "code": "echo from the shell", "language": "shell"},
    {"text": "And on.", "code": "print('twice is', 2 * x)"},
    "Forty.",
)


@pytest.fixture
def exported(interpreter_command, script, tmp_path):  # noqa: F811
    """The session as a file with this suffix."""
    done = interpreter_command("-y", "--model", script(*BLOCKS), "double it")
    assert done.stdout.endswith("Forty.\n"), done.stderr

    def export(suffix):
        path = tmp_path / f"out{suffix}"
        interpreter_command("sessions", "export", "last", str(path))
        return path

    return export


def test_the_notebook_runs(exported):
    notebook = nbformat.read(exported(".ipynb"), as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    outputs = [one.get("text", "") for cell in notebook.cells for one in cell.get("outputs", ())]
    assert "x is 20\n" in outputs
    assert "twice is 40\n" in outputs
    assert any("1 / 0" in cell.source for cell in notebook.cells)


def test_the_script_of_what_succeeded_runs(exported, tmp_path):
    path = exported(".py")
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=240, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "x is 20\n" in done.stdout
    assert "twice is 40\n" in done.stdout
    assert "1 / 0" not in path.read_text()


class Addresses(HTMLParser):
    """What a page would fetch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        wanted = {"src", "href", "data", "srcset", "action"}
        self.found += [value for name, value in attrs if name in wanted]


def test_the_page_is_one_file(exported):
    text = exported(".html").read_text()
    page = Addresses()
    page.feed(text)
    assert [one for one in page.found if not one.startswith(("data:", "#"))] == []
    assert not re.search(r"@import|url\((?!['\"]?data:)", text)
    for words in ("double it", "x is 20", "ZeroDivisionError", "from the shell", "Forty."):
        assert words in text
