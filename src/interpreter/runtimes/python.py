"""Python in a kernel of its own: the user's interpreter, with our launcher around ipykernel."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from interpreter.protocol.ports import Language, Launch
from interpreter.runtimes.jupyter_kernel import PATIENT, JupyterKernel, KernelOptions
from interpreter.runtimes.kernel_host import KernelCommand, LaunchedKernel

PYTHON = Language("python", ("py", "python3", "ipython"), ".py")
INSIDE = Path(__file__).parent.parent / "inside"


@dataclass(frozen=True, slots=True)
class PythonOptions:
    """Which Python, and what it finds in its environment."""

    python: str = sys.executable
    env: Mapping[str, str] = field(default_factory=dict)
    kernel: KernelOptions = PATIENT


OUR_OWN_PYTHON = PythonOptions()


def python_kernel(
    launch: Launch, exchange: Path, options: PythonOptions = OUR_OWN_PYTHON
) -> JupyterKernel:
    """The runtime of the language Python."""
    command = python_command(exchange, options)
    return JupyterKernel(PYTHON, LaunchedKernel(launch, exchange, command), options.kernel)


def python_command(exchange: Path, options: PythonOptions) -> KernelCommand:
    """Our launcher, copied to where the cell can read it."""
    launcher = shutil.copy(INSIDE / "python_kernel.py", exchange / "python_kernel.py")
    argv = (
        options.python,
        "-Xfrozen_modules=off",
        str(launcher),
        "-f",
        "{connection_file}",
        "--HistoryManager.enabled=False",
        "--InteractiveShell.colors=nocolor",
    )
    env = {"IPYTHONDIR": str(exchange / "ipython"), "PYTHONIOENCODING": "utf-8", **options.env}
    return KernelCommand(argv, env, on_leash=True)
