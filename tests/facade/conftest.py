"""An interpreter as programs hold it, with a scripted model."""

import pytest
from tests.journeys.conftest import script

from interpreter import OpenInterpreter

__all__ = ["script"]


@pytest.fixture
def play(script):
    """Make interpreters whose model says these replies; `auto_run` and so on are options."""
    made = []

    def make(*replies, **options):
        interpreter = OpenInterpreter(**options)
        interpreter.llm.model = script(*replies)
        made.append(interpreter)
        return interpreter

    yield make
    for interpreter in made:
        interpreter.close()
