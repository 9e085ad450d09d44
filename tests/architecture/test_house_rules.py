"""The house rules that ruff and import-linter cannot express."""

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "interpreter"
MODULES = sorted(SOURCE.rglob("*.py"))
LAZY_ATTRIBUTES = {"interpreter", "computer", "llm", "messages", "chat"}


def name_of(module):
    return str(module.relative_to(SOURCE))


def test_a_module_fits_on_a_few_screens():
    lengths = {name_of(module): len(module.read_text().splitlines()) for module in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}


def test_functions_fit_on_one_screen():
    lengths = [
        (name_of(module), node.name, node.end_lineno - node.lineno + 1)
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [place for place in lengths if place[-1] > 60] == []


def test_a_room_with_many_modules_has_sub_rooms():
    rooms = Counter(str(module.parent.relative_to(SOURCE)) for module in MODULES)
    assert {room: modules for room, modules in rooms.items() if modules > 19} == {}


def test_a_class_name_means_one_thing():
    """What runs in a cell is a world of its own; `Display` is a part of Open Interpreter's API."""
    names = Counter(
        node.name
        for module in MODULES
        if "inside" not in module.parts and module.name != "old_parts.py"
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    of_old = {"Display"}
    assert {name for name, count in names.items() if count > 1} - of_old == set()


def test_every_module_says_what_it_is():
    assert [
        name_of(module)
        for module in MODULES
        if not ast.get_docstring(ast.parse(module.read_text()))
    ] == []


def test_no_root_module_hides_a_lazy_attribute():
    rooms = {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()}
    assert rooms & LAZY_ATTRIBUTES == set()


def test_the_turn_fits_on_two_screens():
    assert len((SOURCE / "session" / "turn.py").read_text().splitlines()) <= 130


def test_the_protocol_uses_the_standard_library_only():
    import sys

    outside = {
        (module.name, name)
        for module in (SOURCE / "protocol").rglob("*.py")
        for name in _imported(module)
        if name.split(".")[0] not in {*sys.stdlib_module_names, "interpreter"}
        or (name.startswith("interpreter") and not name.startswith("interpreter.protocol"))
    }
    assert outside == set()


def _imported(module):
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_what_runs_inside_the_cell_does_not_import_the_package():
    imports = {
        (path.name, name) for path in (SOURCE / "inside").rglob("*.py") for name in _imported(path)
    }
    assert {(path, name) for path, name in imports if name.startswith("interpreter")} == set()
