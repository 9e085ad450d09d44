"""The command in a real terminal, with a scripted model."""

import os
import subprocess

import pytest
import yaml
from tests.journeys.conftest import COMMAND
from tests.terminal.tmux import Terminal

KEPT = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")


@pytest.fixture
def start(tmp_path):
    """Start the command in a terminal, to play some replies."""
    opened = []

    def start(*replies, arguments=(), width=100, height=30, env=None, argv=None, model=True):
        directory = tmp_path / f"terminal{len(opened)}"
        directory.mkdir()
        script = directory / "script.yaml"
        script.write_text(yaml.safe_dump({"replies": list(replies) or ["Hello."]}))
        home = {name: os.environ[name] for name in KEPT} | {"EDITOR": "true"} | (env or {})
        scripted = ["--model", f"scripted/{script}"] if model else []
        default = [COMMAND, *scripted, *arguments]
        terminal = Terminal(argv or default, directory, width=width, height=height, env=home)
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


@pytest.fixture
def chat(start):
    """The command, at its prompt."""

    def chat(*replies, **options):
        terminal = start(*replies, **options)
        terminal.wait_for_prompt()
        return terminal

    return chat


@pytest.fixture
def interpreter_says():
    """The last session, as `interpreter sessions show last` shows it."""

    def show():
        argv = [COMMAND, "sessions", "show", "last"]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    return show
