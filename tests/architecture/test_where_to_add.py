"""What CONTRIBUTING says about adding something is enough: each change is made in a copy, and used.

An event has a test of its own (tests/protocol/test_new_events.py); so have languages, sandboxes and
tools of other packages.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
ADDED = {
    "models/providers.py": (
        '        Provider("groq",',
        '        Provider("acme", "Acme", "https://acme.invalid/v1", KEY_NAMES["acme"]),\n',
    ),
    "settings/keys.py": ('    "groq":', '    "acme": "ACME_API_KEY",\n'),
    "runtimes/catalog.py": (
        '    BuiltIn(\n        Language("ruby"',
        '    BuiltIn(Language("gawk", (), ".awk"), "process.driver_languages:perl", ("awk",)),\n',
    ),
    "terminal/magics/table.py": (
        '        Command("%undo"',
        '        Command("%knock", "", "knock", lambda chat, word: chat.desk.note("who?")),\n',
    ),
    "terminal/commands.py": ('    "doctor":', '    "greet": "greet:greet_command",\n'),
    "settings/settings.py": ("    max_turn_budget:", "    most_patience: float = 0.0\n"),
    "terminal/arguments.py": (
        '        _flag("--max_turn_budget"',
        '        _flag("--most_patience", "how long you wait", type=float, metavar="S"),\n',
    ),
    "tools/toolbox.py": ('    "jobs":', '    "echo": "interpreter.tools.job_control:jobs",\n'),
    "assembly/computer/host_functions.py": (
        "    functions.add_inside(",
        '    functions.add(HostFunction("computer.knock", "Knock.", {"type": "object"}, '
        "lambda given, context: 'who?', asks=False))\n",
    ),
    "session/request/system_text.py": (
        "Do the task instead of describing it.",
        "Be kind to the llama.\n",
    ),
}
GREET = "def greet_command(words):\n    print('good morning', *words)\n    return 0\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Our source with one more of each kind."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "page")
    shutil.copytree(SOURCE / "interpreter", copy / "interpreter", ignore=ignored)
    for name, (place, new) in ADDED.items():
        file = copy / "interpreter" / name
        text = file.read_text(encoding="utf-8")
        assert place in text, name
        file.write_text(text.replace(place, new + place, 1), encoding="utf-8")
    (copy / "interpreter/terminal/subcommands/greet.py").write_text(GREET, encoding="utf-8")
    return copy


@pytest.fixture
def run(copy, tmp_path):
    def run(*words, input=None):
        env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        argv = [sys.executable, "-m", "interpreter", *words]
        done = subprocess.run(
            argv, input=input, capture_output=True, text=True, env=env, cwd=tmp_path, timeout=200
        )
        return done.stdout + done.stderr

    return run


def test_a_subcommand(run):
    assert run("greet", "you") == "good morning you\n"


def test_a_provider_of_models(run):
    told = run("--model", "acme/one", "--once", "hello")
    assert "ACME_API_KEY" in told


def test_a_setting_and_its_flag(run):
    assert "--most_patience" in run("--help")
    assert "a number" in run("--most_patience", "x", "--once", "hi").replace("float", "a number")
    run("config", "set", "most_patience", "2.5")
    assert re.search(r"^most_patience +2\.5 ", run("config"), re.MULTILINE)


def test_a_language(run):
    assert "gawk" in run("doctor")


def test_a_command_at_the_prompt_a_tool_and_a_word_to_the_model(copy):
    program = (
        "from interpreter.session.request.system_text import _FULL\n"
        "from interpreter.terminal.magics.table import COMMANDS\n"
        "from interpreter.tools.toolbox import USUAL\n"
        "print(USUAL, 'llama' in _FULL, COMMANDS['%knock'].about)"
    )
    env = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert done.stdout == "('execute', 'echo', 'jobs') True knock\n", done.stderr


def test_a_function_that_code_can_call(run, tmp_path):
    script = tmp_path / "script.json"
    script.write_text('[{"code": "print(computer.knock())"}, "It was somebody."]')
    assert "\nwho?\n" in run("--model", f"scripted/{script}", "-y", "--once", "knock, please")
