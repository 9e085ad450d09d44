"""Which Python runs the user's code: asked for, active, the project's, or our own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen

INLINE = "inline"  # asked for instead of a path: the Python that we are
PROBE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ipykernel') is None)"
PROBE_SECONDS = 20.0


@frozen
class PythonChoice:
    """A Python, why it was chosen, and one line that offers what it lacks."""

    python: str
    reason: str
    offer: str = ""


def check_python(wanted: str, directory: Path) -> None:
    """ConfigurationError where what was asked for is nothing that can be started."""
    named = Path(wanted).expanduser()
    if wanted != INLINE and not (shutil.which(named) or shutil.which(directory / named)):
        raise ConfigurationError(f"There is no Python at {wanted!r}; name the file that runs it.")


def choose_python(
    wanted: str,
    directory: Path,
    environment: Mapping[str, str],
    succeeds_inside: Callable[[list[str]], bool] | None = None,
) -> PythonChoice:
    """The first that has ipykernel; where a better one lacks it, `offer` says how to get it.

    A Python in the workspace may be anybody's: it is tried inside the cell, and where there are no
    walls it is only looked at. It runs with the first block that the user wants.
    """
    offer = ""
    named = [(*named, False) for named in _named_by_user(wanted, environment)]
    found = [(*found, not succeeds_inside) for found in _of_the_project(directory)]
    for python, reason, only_look in (*named, *found):
        command = [python, "-c", PROBE]
        if _has_ipykernel(python) if only_look else (succeeds_inside or _succeeds_here)(command):
            return PythonChoice(python, reason, offer)
        offer = offer or (
            f"{python} ({reason}) lacks ipykernel; to run code in it: "
            f"{python} -m pip install ipykernel"
        )
    return PythonChoice(sys.executable, "our own", offer)


def _has_ipykernel(python: str) -> bool:
    """Whether a virtual environment holds it, without running anything of it."""
    return any(Path(python).parents[1].glob("lib/python3*/site-packages/ipykernel/__init__.py"))


def _succeeds_here(command: list[str]) -> bool:
    try:
        probe = subprocess.run(
            command,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def _named_by_user(wanted: str, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if wanted:
        found.append((shutil.which(str(Path(wanted).expanduser())) or wanted, "asked for"))
    for name, reason in (("VIRTUAL_ENV", "active virtualenv"), ("CONDA_PREFIX", "active conda")):
        prefix = environment.get(name)
        if prefix and Path(prefix).resolve() != Path(sys.prefix).resolve():
            found.append((str(Path(prefix) / "bin" / "python"), reason))
    return found


def _of_the_project(directory: Path) -> list[tuple[str, str]]:
    places = ((name, directory / name / "bin" / "python") for name in (".venv", "venv"))
    return [(str(python), f"the project's {name}") for name, python in places if python.exists()]
