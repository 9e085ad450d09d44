"""Tests of the worked examples that a small model is shown: each does what it is shown for."""

import ast
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib
from collections import Counter
from contextlib import closing
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from tests.models.small.recipe_data import CASES

import interpreter.models.small as small
from interpreter.models.small.plan import next_request
from interpreter.models.small.recipes import cookbook, example_for
from interpreter.protocol.messages import user_says

RECIPES = tomllib.loads((Path(small.__path__[0]) / "recipes.toml").read_text("utf-8"))["recipe"]
BLOCKS = CASES.strip().split("\n\n")
RARE = ("scipy", "sklearn")  # not on every machine
LINE = re.compile(r"(?P<name>[^<=>!]*?)(?: @ (?P<day>[\d-]+))? ?(?P<sign>[<=>!])(?: (?P<text>.*))?")
# One Python for all recipes: it imports pandas once, and runs each in a directory of its own.
COOK = """
import contextlib, io, json, os, sys, traceback, warnings
warnings.simplefilter("error")
warnings.simplefilter("ignore", ResourceWarning)
for line in sys.stdin:
    place, code = json.loads(line)
    os.chdir(place)
    printed, failure = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "recipe", "exec"), {"__name__": "__main__"})
    except BaseException:
        failure = traceback.format_exc()
    print(json.dumps([printed.getvalue(), failure]), flush=True)
"""


def case_of(recipe):
    """The lines of the block that has a file, or its folder, which the code names."""
    named = set(re.findall(r'"([^"\n]+)"', recipe["code"]))
    cases = []
    for block in BLOCKS:
        lines = [LINE.fullmatch(line) for line in block.splitlines()]
        if any(line["name"] and line["name"].split("/")[0] in named for line in lines):
            cases.append(lines)
    assert len(cases) == 1, f"{len(cases)} blocks of data are prepared for: {recipe['request']}"
    return [(line["sign"], line["name"], line["day"], unfolded(line["text"])) for line in cases[0]]


def of(case, wanted):
    return {name: text for sign, name, _, text in case if sign == wanted}


def unfolded(text):
    return (text or "").replace("⏎", "\n")


def sheets_of(text):
    for part in re.split(r"(?m)^# ", text)[1:]:
        name, _, rows = part.partition("\n")
        yield name, list(csv.reader(io.StringIO(rows)))


def number(cell):
    return float(cell) if re.fullmatch(r"[\d.]+", cell) else cell or None


def prepare(path, text, day=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets_of(text):
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append([number(cell) for cell in row])
        book.save(path)
    elif path.suffix in (".db", ".sqlite"):
        with closing(sqlite3.connect(path)) as base:
            base.executescript(text)
    elif path.suffix == ".zip":
        with ZipFile(path, "w") as archive:
            for line in text.splitlines():
                name, _, content = line.partition(": ")
                archive.writestr(name, content + "\n")
    else:
        path.write_text(text, "utf-8")
    if day:
        changed = datetime.fromisoformat(day).timestamp()
        os.utime(path, (changed, changed))


def found(path):
    """What is in a file, in the words of the data."""
    if path.suffix == ".xlsx":
        lines = []
        for sheet in openpyxl.load_workbook(path):
            rows = [
                ["" if cell is None else str(cell) for cell in row]
                for row in sheet.iter_rows(values_only=True)
            ]
            lines += [f"# {sheet.title}", *(",".join(row) for row in rows)]
        return "\n".join(lines)
    if path.suffix == ".zip":
        with ZipFile(path) as archive:
            return "\n".join(f"{n}: {archive.read(n).decode().strip()}" for n in archive.namelist())
    return path.read_text("utf-8").removesuffix("\n")


@pytest.fixture(scope="module")
def cook():
    command = [sys.executable, "-X", "utf8", "-c", COOK]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, encoding="utf-8", **pipes) as child:

        def run(place, code):
            child.stdin.write(json.dumps([str(place), code]) + "\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        yield run


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["request"][:60])
def test_a_recipe_answers_what_it_is_shown_for(recipe, tmp_path, cook):
    for module in RARE:
        if f"from {module}" in recipe["code"] and find_spec(module) is None:
            pytest.skip(f"{module} is not installed here")
    case = case_of(recipe)
    for sign, name, day, text in case:
        if sign == "<":
            prepare(tmp_path / name, text + "\n", day)
    output, failure = cook(tmp_path, recipe["code"])
    assert (output.removesuffix("\n"), failure) == (of(case, ">")[""], "")
    after = of(case, "=")
    assert {name: found(tmp_path / name) for name in after} == after
    assert [name for name in of(case, "!") if (tmp_path / name).exists()] == []


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["request"][:60])
def test_a_recipe_is_short_and_complete(recipe):
    assert set(recipe) == {"request", "words", "files", "code"}
    assert recipe["words"]
    lines = recipe["code"].strip().splitlines()
    assert 3 <= len(lines) <= 16
    assert max(map(len, lines)) <= 100
    ast.parse(recipe["code"])


def test_no_two_recipes_are_for_the_same_request():
    requests = Counter(recipe["request"] for recipe in RECIPES)
    assert [request for request, times in requests.items() if times > 1] == []


@pytest.mark.parametrize(
    ("request_", "shown"),
    [
        ("On what weekday do we sell least? shop.csv", "dt.day_name()"),
        ("what's my weighted average grade? grades.tsv", ".sum() /"),
        ("Keep only the newest entry of each customer in list.csv", "drop_duplicates"),
    ],
)
def test_the_recipe_that_is_shown_does_what_is_wanted(request_, shown):
    assert shown in cookbook().nearest(request_, is_order=True).code


@pytest.mark.parametrize("request_", ["Hello!", "What is in data.csv?", "2 + 2", ""])
def test_where_nothing_is_near_no_recipe_is_shown(request_):
    assert cookbook().nearest(request_) is None
    assert example_for(request_) == ()


@pytest.mark.parametrize(
    "request_",
    ["How many files are in the folder Downloads?", "How many photos are in the folder photos?"],
)
def test_who_asks_something_is_shown_nothing_that_changes_files(request_):
    found = cookbook().nearest(request_)
    assert found is None or not found.changes_files


def test_each_recipe_is_found_by_its_own_words():
    found = [
        cookbook().nearest(f"{one.request} {' '.join(one.words)}", is_order=True)
        for one in cookbook().recipes
    ]
    lost = [one.request for one, got in zip(cookbook().recipes, found, strict=True) if got != one]
    assert len(lost) <= len(found) // 20, lost


def test_a_recipe_stands_before_a_request_as_if_it_had_been_asked():
    question = user_says("On which weekday were most visitors here? visits.csv")
    *_, asked, answered, last = next_request((question,)).messages
    assert "bakery.csv" in asked.text
    assert "day_name()" in answered.text
    assert (asked.role, answered.role) == ("user", "assistant")
    assert last.text.startswith("On which weekday were most visitors here?")
