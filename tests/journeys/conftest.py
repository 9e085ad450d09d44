"""The command and the library as their users meet them, with a scripted model."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

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
