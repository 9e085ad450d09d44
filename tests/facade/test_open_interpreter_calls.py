"""What public programs written for Open Interpreter call, each call run as it stands."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TABLE = yaml.safe_load((Path(__file__).parent / "open_interpreter_calls.yaml").read_text())
CALLS = {entry["name"]: entry for entry in TABLE["calls"]}
WORK = [name for name, entry in CALLS.items() if "why_not" not in entry]


@pytest.fixture
def run(tmp_path, script):
    """Run a call in a process of its own, in a directory of its own."""
    model = script({"code": "print(6 * 7)"}, "It is 42.")
    work = tmp_path / "work"
    work.mkdir()

    def start(name):
        program = f"MODEL = {model!r}\n{CALLS[name]['call']}"
        return subprocess.run(
            [sys.executable, "-c", program],
            cwd=work,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            timeout=100,
            stdin=subprocess.DEVNULL,
        )

    return start


@pytest.mark.parametrize("name", WORK)
def test_a_call_works_as_it_does_in_open_interpreter(run, name):
    done = run(name)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("name", sorted(CALLS.keys() - set(WORK)))
def test_a_call_that_the_table_says_does_not_work_fails(run, name):
    assert run(name).returncode != 0, "it works: the table says that it does not"


def test_few_programs_need_what_does_not_work():
    lost = {name: CALLS[name].get("programs") for name in CALLS.keys() - set(WORK)}
    assert lost == {"internals of 0.1": None}
