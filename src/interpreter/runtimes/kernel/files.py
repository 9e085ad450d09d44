"""Where Jupyter keeps its kernels on this machine, and what their files say. Nothing is started."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


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


def kernel_specs(directories: Sequence[Path]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The directory and the specification of each kernel that can be read."""
    for directory in directories:
        for file in sorted(directory.glob("*/kernel.json")) if directory.is_dir() else ():
            try:
                spec = json.loads(file.read_text())
            except (OSError, ValueError):
                continue
            if isinstance(spec, dict) and isinstance(spec.get("argv"), list) and spec["argv"]:
                yield file.parent, spec
