"""Python in a kernel of its own: the user's interpreter, with our launcher around ipykernel."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from interpreter.protocol.inside_files import INSIDE, compile_all
from interpreter.protocol.ports import Companion, Language, Launch
from interpreter.protocol.values import frozen
from interpreter.runtimes.kernel.host import KernelCommand, LaunchedKernel
from interpreter.runtimes.kernel.jupyter import PATIENT, JupyterKernel, KernelOptions

PYTHON = Language("python", ("py", "python3", "ipython"), ".py")


@frozen
class PythonOptions:
    """Which Python, and what it finds in its environment."""

    python: str = sys.executable
    env: Mapping[str, str] = field(default_factory=dict)
    companion: Companion | None = None
    """Who keeps the kernel's variables."""
    kernel: KernelOptions = PATIENT
    active_line: bool = True
    memory_bytes: int | None = None
    """What the process and each of its children may allocate; None leaves it to the cell."""


OUR_OWN_PYTHON = PythonOptions()


def python_kernel(
    launch: Launch, exchange: Path, options: PythonOptions = OUR_OWN_PYTHON
) -> JupyterKernel:
    """The runtime of the language Python."""
    command = python_command(exchange, options)
    host = LaunchedKernel(launch, exchange, command)
    return JupyterKernel(PYTHON, host, options.kernel, options.companion)


def python_command(exchange: Path, options: PythonOptions) -> KernelCommand:
    """Our launcher, which every cell can read where it lies."""
    compile_all(INSIDE / "python")
    launcher = str(INSIDE / "python" / "python_keeper.py")
    argv = (options.python, launcher, "-f", "{connection_file}")
    env = {"IPYTHONDIR": str(exchange / "ipython"), "PYTHONIOENCODING": "utf-8"}
    if options.active_line:
        env["REPLOOP_ACTIVE_LINE"] = "1"
    if options.memory_bytes:
        env["REPLOOP_MEMORY"] = str(options.memory_bytes)
    env.update(options.env)
    return KernelCommand(argv, env, has_keeper=True)
