"""The examples of docs/languages.md, run as they stand."""

import re
from pathlib import Path

import pytest
import yaml
from tests.live import printed, run

from interpreter.runtimes.custom import registered
from interpreter.runtimes.pool import PoolOptions, Registered, RuntimePool
from interpreter.sandboxes.backends.none import OpenCell
from interpreter.settings.described_languages import described_language

PAGE = (Path(__file__).parents[2] / "docs" / "languages.md").read_text()


def example(kind):
    (text,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return text


@pytest.fixture
def pool(tmp_path):
    cell = OpenCell(tmp_path)
    made = {}
    exec(example("python"), made)
    shout = Registered(made["Shout"].language, made["Shout"])
    entries = [described_language(entry) for entry in yaml.safe_load(example("yaml"))["languages"]]
    languages = (shout, *map(registered, entries))
    pool = RuntimePool(cell.launch, cell.exchange, PoolOptions(registered=languages))
    yield pool
    pool.close()
    cell.close()


def test_the_class_is_a_language(pool):
    assert printed(run(pool.get("loud"), "hello")) == "HELLO"


def test_the_program_runs_files(pool):
    assert printed(run(pool.get("awk"), "BEGIN { print 6 * 7 }")) == "42\n"


def test_the_repl_keeps_its_state(pool):
    run(pool.get("calc"), "x = 6")
    assert printed(run(pool.get("calculator"), "print(x * 7)"), "stdout") == "42\n"
