"""Languages by configuration: programs that run a file, and REPLs."""

import pytest
from tests.live import end_of, interrupt_once_it_prints, printed, run, said

from interpreter.protocol.errors import ConfigurationError, UnknownLanguage
from interpreter.runtimes.custom import registered
from interpreter.runtimes.pool import PoolOptions, RuntimePool
from interpreter.sandboxes.backends.none import OpenCell
from interpreter.settings.described_languages import described_language

AWK = {"name": "AWK", "command": ["awk", "-f", "{file}"], "aliases": ["gawk"], "suffix": ".awk"}
PYTHON_REPL = {
    "name": "plain",
    "command": ["python3", "-u", "-q", "-i"],
    "sentinel": "\nprint('{token}')",
}
BC = {"name": "calc", "command": "python3 -u -c REPL", "prompt": "ready> "}
CALCULATOR = "import sys\nwhile True:\n    line = input('ready> ')\n    print(eval(line))\n"


@pytest.fixture
def pool(tmp_path):
    cell = OpenCell(tmp_path)
    calculator = {**BC, "command": ["python3", "-u", "-c", CALCULATOR]}
    entries = [registered(described_language(entry)) for entry in (AWK, PYTHON_REPL, calculator)]
    pool = RuntimePool(cell.launch, cell.exchange, PoolOptions(registered=tuple(entries)))
    yield pool
    pool.close()
    cell.close()


def test_a_program_runs_each_block_as_a_file(pool):
    assert said(pool.get("awk"), "BEGIN { print 6 * 7 }") == "42"


def test_its_exit_status_is_told(pool):
    end = end_of(run(pool.get("gawk"), "BEGIN { exit 3 }"))
    assert (end.outcome, end.exit_code) == ("failed", 3)


def test_an_endless_program_can_be_interrupted(pool):
    source = 'BEGIN { print "under way"; fflush(); while (1) {} }'
    events = interrupt_once_it_prints(pool.get("awk"), source)
    assert end_of(events).outcome == "interrupted"
    assert said(pool.get("awk"), 'BEGIN { print "fine" }') == "fine"


def test_a_repl_with_a_sentinel_keeps_its_state(pool):
    plain = pool.get("plain")
    run(plain, "kept = 42")
    assert printed(run(plain, "print(kept)"), "stdout") == "42\n"


def test_a_repl_can_be_interrupted(pool):
    plain = pool.get("plain")
    run(plain, "kept = 42")
    events = interrupt_once_it_prints(plain, "print('under way')\nwhile True: pass\n")
    assert end_of(events).outcome == "interrupted"
    assert printed(run(plain, "print(kept)"), "stdout") == "42\n"


def test_a_repl_that_dies_is_told_and_started_again(pool):
    plain = pool.get("plain")
    assert end_of(run(plain, "import os; os._exit(3)")).outcome == "died"
    assert printed(run(plain, "print(1)"), "stdout") == "1\n"


def test_a_repl_with_a_prompt_ends_its_blocks_there(pool):
    calc = pool.get("calc")
    assert printed(run(calc, "6 * 7"), "stdout") == "42\n"
    assert printed(run(calc, "1\n2\n3"), "stdout") == "1\n2\n3\n"


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"command": "x"}, "needs a name"),
        ({"name": "x"}, "needs a name and a command"),
        ({"name": "x", "command": "y", "colour": 1}, "colour"),
        ({"name": "x", "command": "y", "sentinel": "print(1)"}, "token"),
    ],
)
def test_a_wrong_entry_says_what_is_wrong(entry, problem):
    with pytest.raises(ConfigurationError, match=problem):
        described_language(entry)


def test_what_cannot_be_started_says_so(tmp_path):
    from interpreter.protocol.errors import StartFailed

    cell = OpenCell(tmp_path)
    entry = registered(described_language({"name": "none", "command": "/nowhere/none"}))
    pool = RuntimePool(cell.launch, cell.exchange, PoolOptions(registered=(entry,)))
    with pytest.raises(StartFailed):
        run(pool.get("none"), "x")
    pool.close()
    cell.close()


def test_an_unknown_language_is_named_with_those_that_exist(pool):
    with pytest.raises(UnknownLanguage, match=r"'klingon'.*awk.*python.*shell"):
        pool.get("klingon")
