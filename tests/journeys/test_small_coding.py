"""A small model writes a whole file, its tests are run, and what fails is repaired twice at most."""

from dataclasses import replace

import pytest

from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.coding import Coding
from interpreter.models.small.model import SmallModel
from interpreter.protocol.actions import Decision
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


@pytest.fixture
def work(tmp_path, monkeypatch):
    (tmp_path / "sums.py").write_text("def add(a, b):\n    pass\n")
    (tmp_path / "sums_test.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(NO_PLUGINS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def answered(work):
    opened = []

    def ask(*script):
        settings = Settings(model="scripted/demo", auto_run=True)
        factory = SessionFactory(settings, lambda request: Decision("no"), nobody_answers)
        opened.append(factory)
        session = factory.open_session(settings)
        model = ScriptedModel(script)
        small = SmallModel(model, lambda number: model)
        session.engine = replace(session.engine, model=small)
        list(session.send(ASKED))
        return session.transcript[-1].text, session.transcript

    yield ask
    for factory in opened:
        factory.close()


def test_a_file_is_written_tested_and_repaired(answered, work):
    said, transcript = answered(WRONG, RIGHT)
    assert said == "sums.py is written, and the tests in sums_test.py pass."
    assert (work / "sums.py").read_text() == RIGHT["code"] + "\n"
    assert (work / "sums_test.py").read_text() == TESTS
    results = [message for message in transcript if message.role == "computer"]
    assert len(results) == 3


def test_what_still_fails_is_said(answered, work):
    said, _ = answered(WRONG, WRONG, WRONG)
    assert said.startswith("sums.py is written, but the tests in sums_test.py still fail after 2")
    assert (work / "sums.py").read_text() == WRONG["code"] + "\n"


@pytest.mark.parametrize(
    "request_",
    [
        "How many lines does sums.py have?",
        "Write a script hello.py that says hello",
        "Fix a.py and b.py so that test_a.py passes",
        "What does test_a.py test of a.py?",
    ],
)
def test_other_requests_are_no_coding(request_):
    assert Coding.of(request_) is None
