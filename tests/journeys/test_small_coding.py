"""A small model writes a whole file, its tests are run, and what fails is repaired twice at most."""

import itertools
import time
from dataclasses import replace

import pytest

from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.coding.task import Coding
from interpreter.models.small.model import SmallModel
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.requests import no_drafts
from interpreter.protocol.actions import Decision
from interpreter.protocol.messages import Code, Output, user_says
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings

ASKED = "Implement add in sums.py so that the tests in sums_test.py pass."
TESTS = """\
import unittest
from sums import add

class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""
NO_PLUGINS = """\
[pytest]
addopts = -p no:langsmith_plugin -p no:anyio -p no:schemathesis
"""  # they come with other packages and take seconds to start
WRONG = {"code": 'def add(a, b):\n    return a - b  # "a\\nb"'}
RIGHT = {"code": "def add(a, b):\n    return a + b"}


def printed(message):
    return "".join(part.text for part in message.parts if isinstance(part, Output))


@pytest.fixture
def work(tmp_path, monkeypatch):
    (tmp_path / "sums.py").write_text("def add(a, b):\n    pass\n")
    (tmp_path / "sums_test.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(NO_PLUGINS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def answered(work):
    opened, asked = [], []

    def ask(
        *script,
        drafts=(),
        request=ASKED,
        auto_run=True,
        window=1_000_000,
        clock=time.monotonic,
        unwanted="\nput(",
        why="leave it",
    ):
        def decide(request):
            return Decision("no", why) if unwanted in request.action.source else Decision("yes")

        settings = Settings(model="scripted/demo", auto_run=auto_run)
        factory = SessionFactory(settings, decide, nobody_answers)
        opened.append(factory)
        session = factory.open_session(settings)
        model = ScriptedModel(script)
        model.capabilities = replace(model.capabilities, context_window=window)
        stream = model.stream
        model.stream = lambda request, interrupt: (
            asked.append(request) or stream(request, interrupt)
        )
        waiting = [tuple(Code("python", one["code"]) for one in several) for several in drafts]

        def drafter(request, numbers, interrupt):
            asked.append(request)
            return waiting.pop(0) if waiting else ()

        several = drafter if drafts else no_drafts
        small = SmallModel(model, lambda number: model, several, clock=clock)
        session.engine = replace(session.engine, model=small)
        list(session.send(request))
        return session.transcript[-1].text, session.transcript, asked

    yield ask
    for factory in opened:
        factory.close()


def test_a_file_is_written_tested_and_repaired(answered, work):
    said, transcript, _ = answered(WRONG, RIGHT)
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == RIGHT["code"] + "\n"
    assert (work / "sums_test.py").read_text() == TESTS
    results = [message for message in transcript if message.role == "computer"]
    assert len(results) == 3


@pytest.mark.parametrize(("reply", "is_done"), [(RIGHT, True), (WRONG, False)])
def test_tests_that_are_functions_run_where_pytest_is_not_installed(answered, work, reply, is_done):
    (work / "pytest.py").write_text("raise SystemExit('No module named pytest')\n")
    (work / "sums_test.py").write_text(
        "from sums import add\n\ndef test_add():\n    assert add(2, 3) == 5\n"
        "\ndef test_zero():\n    assert add(0, 0) == 0\n"
    )
    said, transcript, _ = answered(reply, reply, reply)
    assert ("the tests in sums_test.py pass" in said) is is_done
    counts = "2 passed 0 failed" if is_done else "1 passed 1 failed"
    assert any(counts in printed(one) for one in transcript if one.role == "computer")


def test_a_file_that_exits_has_passed_no_test(answered, work):
    (work / "pytest.py").write_text("raise SystemExit('No module named pytest')\n")
    (work / "sums_test.py").write_text(
        "from sums import add\ntests = 1\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    )
    exits = {"code": "def add(a, b):\n    raise SystemExit(0)"}
    said, transcript, _ = answered(exits, exits, exits)
    assert "pass." not in said
    assert any("0 passed 1 failed" in printed(one) for one in transcript if one.role == "computer")


def test_of_other_files_the_one_that_passes_is_written(answered, work):
    """They are tried where nothing lasts: the workspace has the first until one has passed."""
    destroys = {"code": "import shutil\nshutil.rmtree('.', ignore_errors=True)\n" + WRONG["code"]}
    (work / "kept.txt").write_text("mine")
    said, transcript, _ = answered(WRONG, drafts=[(destroys, RIGHT, WRONG)])
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == RIGHT["code"] + "\n"
    assert (work / "kept.txt").read_text() == "mine"
    results = [printed(message) for message in transcript if message.role == "computer"]
    assert len(results) == 4
    assert results[2].count("The tests fail.") == 1
    assert results[2].count("The tests pass.") == 1


def test_where_none_passes_the_best_is_repaired(answered, work):
    (work / "sums_test.py").write_text(
        TESTS + "    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n"
        "    def test_none(self):\n        self.assertEqual(add(0), 0)\n"
    )
    best = {"code": "def add(a, b):\n    return a + b"}
    whole = {"code": "def add(a, b=0):\n    return a + b"}
    nothing = {"code": "def add(a):\n    raise ValueError"}
    said, _, asked = answered(nothing, drafts=[(nothing, WRONG, best), (best, whole)])
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == whole["code"] + "\n"
    fresh, repair = (request.messages[-1].text for request in asked[-2:])
    assert "raise ValueError" not in fresh
    assert best["code"] in repair
    assert "1 failed, 2 passed" in repair


def test_a_file_that_cannot_be_written_is_not_said_to_be(answered, work):
    (work / "sums.py").unlink()
    (work / "sums.py").mkdir()
    said, _, asked = answered(RIGHT)
    assert said.startswith("sums.py could not be looked at, and is as it was: IsADirectoryError")
    assert not asked
    (work / "sums.py").rmdir()
    said, _, _ = answered(RIGHT, request="Complete nowhere/sums.py.")
    assert said.startswith("nowhere/sums.py could not be written, and is as it was: FileNotFound")


def test_a_file_that_the_user_does_not_want_is_not_written(answered, work):
    before = (work / "sums.py").read_text()
    said, _, asked = answered(RIGHT, WRONG, drafts=[(RIGHT,)], auto_run=False)
    assert said == "sums.py is as it was."
    assert (work / "sums.py").read_text() == before
    assert len(asked) == 2


def test_what_the_user_wishes_instead_is_written(answered, work):
    wish = "use sum()"
    other = {"code": "def add(a, b):\n    return sum((a, b))"}
    said, _, asked = answered(
        RIGHT, other, drafts=[(RIGHT,)], auto_run=False, unwanted="a + b", why=wish
    )
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == other["code"] + "\n"
    told = asked[-1].messages[-1].text
    assert RIGHT["code"] in told
    assert "The user said: use sum()" in told
    assert len(asked) == 2


def test_what_the_user_let_be_written_stays_and_is_said_to_be(answered, work):
    unwanted = [{"code": f"def add(a, b):\n    return a * b + {number}"} for number in (0, 1)]
    said, _, _ = answered(WRONG, *unwanted, auto_run=False, unwanted="a * b")
    assert said == "sums.py is as it was written last."
    assert (work / "sums.py").read_text() == WRONG["code"] + "\n"


def test_what_still_fails_is_said(answered, work):
    before = (work / "sums.py").read_text()
    others = [{"code": f"def add(a, b):\n    return {number}"} for number in (7, 8)]
    said, _, _ = answered(WRONG, *others)
    assert said.startswith("sums.py is as it was: nothing that was written for it passes more of")
    assert "the best of 3 tried" in said
    assert "-1 != 5" in said
    assert (work / "sums.py").read_text() == before


def test_a_model_that_writes_the_same_again_is_not_asked_once_more(answered):
    said, _, _ = answered(WRONG, WRONG)
    assert "the best of 1 tried" in said


CUT_OFF = {"malformed": "def add(a, b):", "fault": "length"}


def test_a_file_that_was_cut_off_is_asked_for_once_more(answered, work):
    said, _, asked = answered(CUT_OFF, RIGHT)
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert "cut off" in asked[-1].messages[-1].text


def test_a_file_that_is_cut_off_each_time_is_not_said_to_be_written(answered, work):
    before = (work / "sums.py").read_text()
    said, _, asked = answered(CUT_OFF, CUT_OFF)
    assert said.startswith("What the model wrote for sums.py was too long, and cut off twice")
    assert (work / "sums.py").read_text() == before
    assert len(asked) == 2


def test_tests_that_nobody_names_are_found(answered, work):
    (work / "sub").mkdir()
    (work / "sums_test.py").rename(work / "sub" / "test_all.py")
    (work / "test_other.py").write_text("def test():\n    assert False\n")
    (work / "sub" / "test_all.py").write_text("import sys; sys.path.append('.')\n" + TESTS)
    said, _, _ = answered(WRONG, RIGHT, request="Fix the bug in sums.py.")
    assert said == "sums.py is written, and the tests in sub/test_all.py pass."


def test_a_file_without_tests_is_compiled(answered, work):
    (work / "sums_test.py").unlink()
    broken = {"code": "def add(a, b)\n    return a + b"}
    said, _, asked = answered(broken, RIGHT, request="Complete sums.py: add gives the sum of both.")
    assert said.startswith("sums.py is written and compiles; there are no tests for it")
    assert "SyntaxError" in asked[-1].messages[-1].text


LONG = (
    """\
import os


def subtract(a, b):
    return a - b


class Sums:
    \"\"\"Sums that are kept.\"\"\"

    def __init__(self):
        self.kept = []

    def add(self, a, b):
        self.kept.append(a - b)
        return self.kept[-1]


"""
    + "# a line of text\n" * 500
)
LONG_TESTS = """\
import unittest
from sums import Sums

class Tests(unittest.TestCase):
    def test_add(self):
        self.assertEqual(Sums().add(2, 3), 5)
"""
LONG_RIGHT = {"code": "def add(self, a, b):\n    self.kept.append(a + b)\n    return self.kept[-1]"}
LONG_WRONG = {"code": "def add(self, a, b):\n    return self.nothing"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_of_a_long_file_the_function_that_fails_is_written_anew(answered, work, end):
    (work / "sums.py").write_bytes(LONG.replace("\n", end).encode())
    (work / "sums_test.py").write_text(LONG_TESTS)
    asked_for = "Fix the bug in sums.py so that the tests in sums_test.py pass."
    said, _, asked = answered(LONG_WRONG, LONG_RIGHT, request=asked_for)
    assert said == "Sums.add in sums.py is written, and the tests in sums_test.py pass."
    right = LONG.replace("append(a - b)", "append(a + b)").replace("\n", end)
    assert (work / "sums.py").read_bytes() == right.encode()
    first, repair = (request.messages[-1].text for request in asked)
    assert "self.kept.append(a - b)" in first
    assert "def subtract(a, b):" in first
    assert "a line of text" not in first
    assert "self.nothing" in repair
    assert "AttributeError" in repair


def test_of_a_long_file_other_ways_are_tried_where_nothing_lasts(answered, work):
    (work / "sums.py").write_text(LONG)
    (work / "sums_test.py").write_text(LONG_TESTS)
    said, transcript, _ = answered(LONG_WRONG, drafts=[(LONG_WRONG, LONG_RIGHT)])
    assert said == "Sums.add in sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == LONG.replace("append(a - b)", "append(a + b)")
    tried = [printed(one) for one in transcript if one.role == "computer"][3]
    assert tried.count("The tests pass.") == 1


def test_of_a_long_file_the_function_that_is_named_is_written_anew(answered, work):
    (work / "sums.py").write_text(LONG)
    (work / "sums_test.py").unlink()
    better = {"code": 'def subtract(a, b):\n    """The difference."""\n    return a - b'}
    said, _, _ = answered(better, request="Change `subtract` in sums.py: it gets a docstring.")
    assert said.startswith("subtract in sums.py is written and compiles; there are no tests")
    docstring = 'def subtract(a, b):\n    """The difference."""\n'
    assert (work / "sums.py").read_text() == LONG.replace("def subtract(a, b):\n", docstring)


def test_a_long_file_in_which_nothing_is_named_stays(answered, work):
    long = "def add(a, b):\n    pass\n" + "# a line of text\n" * 500
    (work / "sums.py").write_text(long)
    (work / "sums_test.py").unlink()
    said, _, asked = answered(RIGHT, request="Fix the bug in sums.py.")
    assert said.startswith("sums.py has 8,524 characters, and this model can rewrite no more than")
    assert "Name the function" in said
    assert (work / "sums.py").read_text() == long
    assert not asked


@pytest.mark.parametrize("tool", ["pytest", "unittest"])
def test_when_all_fails_the_best_stays(answered, work, tool):
    if tool == "unittest":  # as where pytest is not installed
        (work / "pytest.py").write_text("import sys; sys.exit('No module named pytest')")
    (work / "sums_test.py").write_text(
        TESTS + "    def test_none(self):\n        self.assertEqual(add(0), 0)\n"
    )
    half = {"code": "def add(a, b):\n    return a + b"}
    worse = [{"code": f"def add(a):\n    return {number}"} for number in (7, 8)]
    said, _, _ = answered(WRONG, drafts=[(WRONG, half), worse])
    assert "1 passed" in said
    assert (work / "sums.py").read_text() == half["code"] + "\n"


def test_repairs_go_on_while_more_tests_pass(answered, work):
    values = {2: 5, 3: 6, 4: 7, 5: 8, 6: 9}
    (work / "sums_test.py").write_text(
        "import unittest\nfrom sums import add\n\nclass Sums(unittest.TestCase):\n"
        + "".join(
            f"    def test_{n}(self):\n        self.assertEqual(add({n}, 3), {sum})\n"
            for n, sum in values.items()
        )
    )
    steps = [
        {"code": f"def add(a, b):\n    return {dict(list(values.items())[:n])}.get(a)"}
        for n in range(6)
    ]
    drafts = [(steps[1],), (steps[2],), (steps[3],), (steps[4], steps[3])]
    said, _, asked = answered(steps[0], drafts=drafts)
    assert "1 failed, 4 passed" in said
    assert (work / "sums.py").read_text() == steps[4]["code"] + "\n"
    assert len(asked) == 5
    assert steps[3]["code"] in asked[-1].messages[-1].text

    said, _, asked = answered(steps[0], drafts=[(steps[2],), (steps[1],), (steps[5],)])
    assert "the best of 3 tried" in said
    assert "self.assertEqual(add(4, 3), 7)" in said  # what fails, and how it was called


def test_what_does_not_fit_into_the_conversation_is_not_tried(answered, work):
    """What was tried is read from the conversation, and must not be cut there."""
    long = {"code": RIGHT["code"] + "\n" + "# a line of text\n" * 400}
    said, transcript, _ = answered(WRONG, drafts=[(RIGHT, long)], window=8_192)
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert "a line of text" not in "".join(str(one) for one in transcript)
    (work / "sums.py").write_text("def add(a, b):\n    pass\n")
    said, transcript, _ = answered(WRONG, RIGHT, drafts=[(long,)], window=4_096)
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert "way 0" not in "".join(map(printed, transcript))


def test_where_it_takes_long_nothing_more_is_tried(answered, work):
    """Each look at the clock is a minute later."""
    others = [({"code": f"def add(a, b):\n    return {number}"},) for number in range(4)]
    clock = itertools.count(0, 60).__next__
    said, _, asked = answered(WRONG, drafts=[*others, (RIGHT,)], clock=clock)
    assert "sums.py is as it was" in said
    assert 1 < len(asked) < 5


def test_what_was_tried_is_not_tried_again_and_slips_are_put_right(answered, work):
    slip = {"code": "def add(a, b):\n    return math.floor(a + b)"}
    said, transcript, _ = answered(WRONG, drafts=[(WRONG, WRONG, slip)])
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == "import math\n\n" + slip["code"] + "\n"
    (tried,) = [printed(one) for one in transcript if "way 0:" in printed(one)]
    assert "way 1:" not in tried


@pytest.mark.parametrize(
    "request_",
    [
        "Fix the bug in src/sums.py.",
        "There is a bug in the function. Correct it in sums.py",
        "Long instructions with data.csv.\n\nUse them to modify the supplied files: sums.py",
        "change sums.py so that add takes three numbers",
    ],
)
def test_files_that_are_to_be_changed_are_coding(request_):
    turn = SmallTurn.of((user_says(request_),))
    assert Coding.of(turn.question).name.endswith("sums.py")


SHOP = '''\
#!/usr/bin/env python3
# All rights reserved.
"""Sums."""
RATE = 2  # per hour


def add(a, b):
    return a - b


# what is left
def subtract(a, b):
    return a - b
'''


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_a_reply_leaves_out_stays_in_the_file(answered, work, end):
    (work / "sums.py").write_bytes(SHOP.replace("\n", end).encode())
    said, _, _ = answered({"code": "import math\n\ndef add(a, b):\n    return math.fsum((a, b))"})
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    right = SHOP.replace("return a - b", "return math.fsum((a, b))", 1)
    right = right.replace("RATE", "import math\nRATE")
    assert (work / "sums.py").read_bytes() == right.replace("\n", end).encode()


def test_a_file_that_got_worse_is_written_back_as_it_was(answered, work):
    before = "def add(a, b):\r\n    return a + b\r\n\r\ndef half(a):\r\n    return a"
    (work / "sums.py").write_bytes(before.encode())
    (work / "sums_test.py").write_text(
        TESTS + "    def test_half(self):\n        from sums import half\n"
        "        self.assertEqual(half(4), 2)\n"
    )
    worse = [{"code": f"def add(a, b):\n    return {n}\n\ndef half(a):\n    ..."} for n in range(3)]
    said, _, _ = answered(*worse)
    assert said.startswith("sums.py is as it was: nothing that was written for it passes more of")
    assert "the best of 3 tried" in said
    assert (work / "sums.py").read_bytes() == before.encode()


def test_a_file_without_tests_never_becomes_one_that_does_not_compile(answered, work):
    (work / "sums_test.py").unlink()
    before = (work / "sums.py").read_text()
    broken = [{"code": f"def add(a, b)\n    return a + {n}"} for n in range(3)]
    said, _, _ = answered(*broken, request="Fix the bug in sums.py")
    assert said.startswith("sums.py is as it was: nothing that was written for it compiles.")
    assert "SyntaxError" in said
    assert (work / "sums.py").read_text() == before


def test_a_file_that_was_not_looked_at_is_not_written(answered, work):
    latin = "# -*- coding: latin-1 -*-\nNAME = 'J\xfcrgen'\n".encode("latin-1")
    (work / "sums.py").write_bytes(latin)
    said, _, asked = answered(RIGHT)
    assert said.startswith("sums.py could not be looked at, and is as it was: UnicodeDecodeError")
    assert (work / "sums.py").read_bytes() == latin
    said, _, _ = answered(RIGHT, auto_run=False, unwanted="def tests_of", why="not this way")
    assert said.startswith("sums.py could not be looked at, and is as it was")
    assert "not this way" in said
    assert (work / "sums.py").read_bytes() == latin
    assert not asked


def test_all_of_a_file_is_shown_however_long_its_tests_are(answered, work):
    """Of an output that is longer than is read, the middle is left out."""
    lines = [f"def add_{n}(a):\n    return np.uint8(a) + {n}\n" for n in range(60)]
    (work / "sums.py").write_text("import numpy as np\n" + "\n".join(lines))
    (work / "sums_test.py").unlink()
    for name in ("test_one.py", "test_two.py"):
        (work / name).write_text("import sums\n" + "# a line of text\n" * 300)
    _, _, (first, *_) = answered(
        *[RIGHT] * 3, request="Fix sums.py so that test_one.py and test_two.py pass."
    )
    assert all(line in first.messages[-1].text for line in lines)
