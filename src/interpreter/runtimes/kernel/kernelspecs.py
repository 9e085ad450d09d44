"""The Jupyter kernels installed on the machine: each is a language under its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interpreter.protocol.ports import Language, Launch
from interpreter.runtimes.kernel.files import kernel_specs
from interpreter.runtimes.kernel.host import KernelCommand, LaunchedKernel
from interpreter.runtimes.kernel.jupyter import JupyterKernel


def kernel_languages(directories: Sequence[Path]) -> dict[str, tuple[Language, KernelCommand]]:
    """The kernels there are, by lower-case name; those that cannot be read are passed over."""
    found: dict[str, tuple[Language, KernelCommand]] = {}
    for folder, spec in kernel_specs(directories):
        name = folder.name.lower()
        spoken = str(spec.get("language", "")).lower()
        aliases = (spoken,) if spoken and spoken != name else ()
        found.setdefault(name, (Language(name, aliases), _command(folder, spec)))
    return found


def kernel(
    launch: Launch, exchange: Path, language: Language, command: KernelCommand
) -> JupyterKernel:
    """The runtime of a kernel from the machine."""
    return JupyterKernel(language, LaunchedKernel(launch, exchange, command))


def _command(folder: Path, spec: dict[str, Any]) -> KernelCommand:
    argv, env = spec["argv"], spec.get("env")
    return KernelCommand(
        tuple(str(part).replace("{resource_dir}", str(folder)) for part in argv),
        {str(k): str(v) for k, v in env.items()} if isinstance(env, dict) else {},
        signals=spec.get("interrupt_mode", "signal") != "message",
    )
