"""Which Python runs the code, and the offer where it lacks ipykernel."""

import os
import subprocess
import sys

import pytest

from interpreter.runtimes.kernel.choose_python import choose_python


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A virtualenv without ipykernel."""
    path = tmp_path_factory.mktemp("envs") / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", path], check=True)
    return path


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A virtualenv that has ipykernel, by seeing ours."""
    path = tmp_path_factory.mktemp("envs") / "full"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", path], check=True)
    (packages,) = path.glob("lib/python*/site-packages")
    ours = [entry for entry in sys.path if entry.endswith("site-packages")]
    (packages / "ours.pth").write_text("\n".join(ours))
    return path


def test_our_own_is_the_last_resort(tmp_path):
    choice = choose_python("", tmp_path, {})
    assert (choice.python, choice.offer) == (sys.executable, "")


def test_an_active_virtualenv_comes_before_the_projects(full, tmp_path):
    choice = choose_python("", tmp_path, {"VIRTUAL_ENV": str(full)})
    assert choice.python == str(full / "bin/python")
    assert choice.reason == "active virtualenv"


def runs(command):
    return subprocess.run(command).returncode == 0


def test_the_projects_virtualenv_is_found(full, tmp_path):
    (tmp_path / ".venv").symlink_to(full)
    assert choose_python("", tmp_path, {}, runs).reason == "the project's .venv"


@pytest.mark.parametrize(("packages", "chosen"), [(["ipykernel"], True), (["numpy"], False)])
def test_without_a_cell_the_projects_python_is_looked_at_and_not_run(tmp_path, packages, chosen):
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
    python.chmod(0o755)
    for name in packages:
        place = tmp_path / ".venv/lib/python3.12/site-packages" / name
        place.mkdir(parents=True)
        (place / "__init__.py").touch()
    choice = choose_python("", tmp_path, {})
    assert choice.python == (str(python) if chosen else sys.executable)
    assert not (tmp_path / "RAN").exists()


def test_one_without_ipykernel_is_offered_it(bare, tmp_path):
    choice = choose_python("", tmp_path, {"VIRTUAL_ENV": str(bare)})
    assert choice.python == sys.executable
    assert choice.offer.endswith(f"{bare}/bin/python -m pip install ipykernel")


def test_what_is_asked_for_comes_first(full, bare, tmp_path):
    choice = choose_python(str(full / "bin/python"), tmp_path, {"VIRTUAL_ENV": str(bare)})
    assert choice.reason == "asked for"


def test_nonsense_is_passed_over(tmp_path):
    choice = choose_python("/nowhere/python", tmp_path, dict(os.environ, VIRTUAL_ENV=""))
    assert "/nowhere/python" in choice.offer
