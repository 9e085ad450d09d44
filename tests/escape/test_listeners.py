"""Every place where the host listens to code is in the table of docs/security.md, with its limits."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from interpreter.sandboxes.confinement import CellLimits

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/interpreter"
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
LISTENING = PAGE.partition("## Where the host listens to code")[2].partition("\n## ")[0]
ROWS = [line for line in LISTENING.splitlines() if line.startswith("| ") and ".py`" in line]
MODULE = re.compile(r"`(?!tests/)([a-z_/]+\.py)`")
FIGURE = re.compile(r"`(\w+)` = ([\d.]+)(?:[^|]*?\(`([a-z_/]+\.py)`\))?")
READS = {
    *("recv", "recv_into", "recvfrom", "recvmsg", "recv_fds", "recv_multipart", "sock_recv"),
    *("accept", "sock_accept", "listen", "create_server", "start_server", "start_unix_server"),
    *("open_pipe", "recv_bytes"),
}


def listens(path):
    """Whether a module takes in what comes over a socket or a pipe."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            reads = node.func.attr == "read" and isinstance(owner, ast.Name) and owner.id == "os"
            if reads or node.func.attr in READS:
                return True
    return False


def host_modules():
    """What runs outside of the cell."""
    return [path for path in PACKAGE.rglob("*.py") if "inside" not in path.parts]


def test_every_module_that_listens_is_in_the_table():
    found = {str(path.relative_to(PACKAGE)) for path in host_modules() if listens(path)}
    named = set(MODULE.findall(LISTENING))
    silent = {"runtimes/handover.py"}  # hands a pipe on to `pipes.py`, and reads nothing
    silent |= {"mcp/servers.py"}  # what it accepts are changes that the user has seen
    assert found - silent - named == set(), "write them into docs/security.md, with their limits"


def test_the_table_names_modules_that_exist():
    assert [name for name in MODULE.findall(LISTENING) if not (PACKAGE / name).exists()] == []
    assert len(ROWS) > 10


def value_of(module, name):
    loaded = importlib.import_module("interpreter." + module[:-3].replace("/", "."))
    return getattr(loaded, name) if hasattr(loaded, name) else getattr(CellLimits(), name)


FIGURES = [
    (other or MODULE.search(row)[1], name, float(figure))
    for row in ROWS
    for name, figure, other in FIGURE.findall(row)
]


@pytest.mark.parametrize(("module", "name", "figure"), FIGURES, ids=lambda part: str(part))
def test_a_figure_in_the_table_is_the_one_in_the_source(module, name, figure):
    assert value_of(module, name) == figure


def test_every_row_says_what_happens_at_the_limit():
    for row in ROWS:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 7, row
        assert cells[-1], row
        assert any(cells[3:6]), f"no limit at all: {row}"
