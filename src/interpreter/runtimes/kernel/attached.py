"""Working in a kernel that somebody else has started: the user's open notebook."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.runtimes.kernel.host import RunningKernel
from interpreter.runtimes.kernel.jupyter import PATIENT, JupyterKernel, KernelOptions
from interpreter.runtimes.kernel.python import PYTHON


def attached_kernel(connection_file: Path, options: KernelOptions = PATIENT) -> JupyterKernel:
    """Python in that kernel, with the variables that are there; closing leaves it running."""
    return JupyterKernel(PYTHON, RunningKernel(connection_file), options)


def find_connection_file(wanted: str, environment: Mapping[str, str] = os.environ) -> Path:
    """The file for `--kernel`: a path, a name in Jupyter's directory, or `existing`: the newest."""
    path = Path(wanted).expanduser()
    if path.is_file():
        return path
    directory = runtime_directory(environment)
    pattern = "kernel-*.json" if wanted == "existing" else f"*{path.name}*"
    found = [file for file in directory.glob(pattern) if file.is_file()]
    if not found:
        raise ConfigurationError(
            f"--kernel: no running kernel {wanted!r} was found in {directory}."
        )
    return max(found, key=lambda file: file.stat().st_mtime)


def runtime_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Where Jupyter keeps the connection files of running kernels."""
    if environment.get("JUPYTER_RUNTIME_DIR"):
        return Path(environment["JUPYTER_RUNTIME_DIR"])
    if environment.get("JUPYTER_DATA_DIR"):
        return Path(environment["JUPYTER_DATA_DIR"]) / "runtime"
    home = Path(environment.get("HOME") or Path.home())
    mac = home / "Library/Jupyter/runtime"
    return mac if mac.is_dir() else home / ".local/share/jupyter/runtime"
