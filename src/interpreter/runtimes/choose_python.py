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
    succeeds: Callable[[list[str]], bool] | None = None,
) -> PythonChoice:
    """The first that has ipykernel; where a better one lacks it, `offer` says how to get it.

    A Python in the workspace may be anybody's: `succeeds` tries a command inside the cell.
    """
    offer = ""
    succeeds = succeeds or _succeeds_here
    for python, reason in _candidates(wanted, directory, environment):
        if succeeds([python, "-c", PROBE]):
            return PythonChoice(python, reason, offer)
        offer = offer or (
            f"{python} ({reason}) lacks ipykernel; to run code in it: "
            f"{python} -m pip install ipykernel"
        )
    return PythonChoice(sys.executable, "our own", offer)


def has_ipykernel(python: str) -> bool:
    """Whether a kernel can be started with this Python."""
    return _succeeds_here([python, "-c", PROBE])


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


def _candidates(
    wanted: str, directory: Path, environment: Mapping[str, str]
) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if wanted:
        found.append((shutil.which(str(Path(wanted).expanduser())) or wanted, "asked for"))
    for name, reason in (("VIRTUAL_ENV", "active virtualenv"), ("CONDA_PREFIX", "active conda")):
        prefix = environment.get(name)
        if prefix and Path(prefix).resolve() != Path(sys.prefix).resolve():
            found.append((str(Path(prefix) / "bin" / "python"), reason))
    for name in (".venv", "venv"):
        python = directory / name / "bin" / "python"
        if python.exists():
            found.append((str(python), f"the project's {name}"))
    return found
