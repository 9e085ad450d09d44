"""Programs as users of Open Interpreter have them that use the screen, run as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.desktop.conftest import in_front, wait_for

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def run(tmp_path):
    """Runs a program in an empty home, with a display if it is given one."""

    def run(name, environment):
        for place in ("home", "work"):
            (tmp_path / place).mkdir()
        script = PROGRAMS / f"{name}.yaml"
        done = subprocess.run(
            [sys.executable, PROGRAMS / f"{name}.py", f"scripted/{script}"],
            cwd=tmp_path / "work",
            env={**environment, "PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stderr

    return run


@pytest.fixture
def shop(screen, desktop):
    app = screen.start("gtk3")
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Delete" for e in desktop.elements()), "the tree")
    return app


def test_a_program_with_os_mode_runs_unchanged(run, screen, shop):
    assert run("os_mode", screen.environment) == ""
    wait_for(lambda: shop.state()["clicked"] == ["Proceed to Checkout"], "the click", 10)
    assert shop.state()["text"] == "naïve words"


def test_a_program_that_uses_screen_and_mouse_runs_unchanged(run, screen, shop):
    assert run("screen_and_mouse", screen.environment) == ""
    clicked = ["Cancel Order", "Proceed to Checkout"]
    wait_for(lambda: shop.state()["clicked"] == clicked, "the clicks")
    wait_for(lambda: shop.state()["text"] == "put into the clipboard", "the text")


def test_a_program_with_skills_runs_unchanged_and_without_a_display(run):
    assert "OS mode needs a desktop" in run("own_skills", {})
