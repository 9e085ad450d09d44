"""The Jupyter kernels installed on the machine: each is a language under its name."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from interpreter.protocol.ports import Language, Launch
from interpreter.runtimes.jupyter_kernel import JupyterKernel
from interpreter.runtimes.kernel_host import KernelCommand, LaunchedKernel


def kernel_directories(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Where Jupyter looks for kernels, the user's own first."""
    extra = environment.get("JUPYTER_PATH", "").split(os.pathsep)
    home = Path(environment.get("HOME") or Path.home())
    mac = sys.platform == "darwin"
    roots = [
        *(Path(part) for part in extra if part),
        home / "Library/Jupyter" if mac else home / ".local/share/jupyter",
        Path(sys.prefix) / "share/jupyter",
        Path("/usr/local/share/jupyter"),
        Path("/usr/share/jupyter"),
    ]
    return tuple(root / "kernels" for root in roots)


def kernel_languages(directories: Sequence[Path]) -> dict[str, tuple[Language, KernelCommand]]:
    """The kernels there are, by lower-case name; those that cannot be read are passed over."""
    found: dict[str, tuple[Language, KernelCommand]] = {}
    for directory in directories:
        for folder, spec in _specs(directory):
            command = _command(folder, spec)
            if command is not None:
                name = folder.name.lower()
                spoken = str(spec.get("language", "")).lower()
                aliases = (spoken,) if spoken and spoken != name else ()
                found.setdefault(name, (Language(name, aliases), command))
    return found


def kernel(
    launch: Launch, exchange: Path, language: Language, command: KernelCommand
) -> JupyterKernel:
    """The runtime of a kernel from the machine."""
    return JupyterKernel(language, LaunchedKernel(launch, exchange, command))


def _specs(directory: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    if not directory.is_dir():
        return
    for file in sorted(directory.glob("*/kernel.json")):
        try:
            spec = json.loads(file.read_text())
        except (OSError, ValueError):
            continue
        if isinstance(spec, dict):
            yield file.parent, spec


def _command(folder: Path, spec: dict[str, Any]) -> KernelCommand | None:
    argv, env = spec.get("argv"), spec.get("env")
    if not isinstance(argv, list) or not argv:
        return None
    return KernelCommand(
        tuple(str(part).replace("{resource_dir}", str(folder)) for part in argv),
        {str(k): str(v) for k, v in env.items()} if isinstance(env, dict) else {},
        signals=spec.get("interrupt_mode", "signal") != "message",
    )
