"""A grant opens what the user was shown, nothing else, and for no longer than was said."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from tests.escape.conftest import HERE, as_user, python_for

SCENARIOS = (
    *("swapped_while_the_question_is_open", "directory_swapped_for_a_link"),
    *("parent_swapped_for_a_link", "always_and_then_a_link"),
    *("always_and_then_a_link_without_namespaces", "a_device_instead_of_a_file"),
    *("keys_below_what_is_granted", "inner_first", "outer_first", "inner_writable"),
    *("outer_writable", "outer_writable_later", "a_link_below_what_may_be_written"),
)


@pytest.fixture(params=["root", "user"])
def attempt(request):
    if request.param == "root" and os.getuid() != 0:
        pytest.skip("the tests do not run as root")
    where = "/home" if os.getuid() == 0 else None
    base = Path(tempfile.mkdtemp(prefix="reploop-grants-", dir=where)).resolve()
    base.chmod(0o755)
    prefix = as_user(base) if request.param == "user" else []
    python = python_for(prefix)
    if python is None:
        pytest.skip("an ordinary user has no Python 3.11 or newer here: apt install python3")
    shutil.copytree(HERE.parents[1] / "src/interpreter", base / "src/interpreter")
    shutil.copy(HERE / "grant_scenarios.py", base)

    def run(name):
        command = [*prefix, python, str(base / "grant_scenarios.py"), str(base / "src"), str(base)]
        done = subprocess.run([*command, name], capture_output=True, text=True, timeout=120)
        return done.stdout + done.stderr

    yield run
    shutil.rmtree(base)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_grant_opens_only_what_was_shown(attempt, name):
    assert attempt(name) == "held\n"
