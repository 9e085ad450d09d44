"""The command and the library as their users meet them, with a scripted model."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.model import SmallModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings

COMMAND = Path(sys.executable).parent / "interpreter"


@pytest.fixture
def script(tmp_path):
    """Write a script; the name of the model that plays it."""

    def write(*replies, **settings):
        path = tmp_path / "script.yaml"
        path.write_text(yaml.safe_dump({"replies": list(replies), **settings}))
        return f"scripted/{path}"

    return write


@pytest.fixture
def interpreter_command(tmp_path):
    """Run the command in a directory of its own."""
    work = tmp_path / "work"
    work.mkdir()

    def run(*arguments, input=None, **options):
        stdin = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
        return subprocess.run(
            [COMMAND, *arguments],
            capture_output=True,
            text=not isinstance(input, bytes),
            cwd=work,
            timeout=240,
            env={**os.environ, **options},
            **stdin,
        )

    return run


@pytest.fixture
def open_small_session():
    """Sessions in the current directory with a small model that writes what a script says; its
    other programs are the drafts, where there are any."""
    opened = []

    def make(*script, drafts=None, approve=None, **settings):
        settings = Settings(model="scripted/demo", auto_run=approve is None, **settings)
        answer = approve or (lambda request: Decision("no", "nobody is there"))
        factory = SessionFactory(settings, answer, nobody_answers)
        opened.append(factory)
        session = factory.open_session(settings)
        model = ScriptedModel(script)
        blocks = tuple(Code("python", source) for source in drafts or ())

        def drafter(request, numbers, interrupt):
            return blocks[numbers.start : numbers.stop]

        more = () if drafts is None else (drafter,)
        small = SmallModel(model, lambda number: model, *more)
        session.engine = replace(session.engine, model=small)
        return session

    yield make
    for factory in opened:
        factory.close()
