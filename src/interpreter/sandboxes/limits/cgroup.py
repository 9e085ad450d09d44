"""Control groups for a cell, where this machine lets us make them: a hard lid on its size."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from interpreter.sandboxes.confinement import CellLimits

ROOT = Path("/sys/fs/cgroup")


class ControlGroup:
    """The directories of one cell's group; there are several where each controller has a tree."""

    def __init__(self, directories: tuple[Path, ...], limited: frozenset[str]) -> None:
        self._directories = directories
        self.limited = limited
        """What the kernel now limits: "memory", "programs", or both."""

    def close(self) -> None:
        """Remove the group; what was in it must have ended."""
        for directory in self._directories:
            with contextlib.suppress(OSError):
                directory.rmdir()


def confine(pid: int, limits: CellLimits, root: Path = ROOT) -> ControlGroup:
    """Put a process, and so all that it will start, into a group of its own where possible."""
    made: list[Path] = []
    limited: set[str] = set()
    for parent, controls in _places(root):
        group = parent / f"reploop-{pid}"
        with contextlib.suppress(OSError):
            group.mkdir()
            made.append(group)
            done = {what for what, file in controls.items() if _set(group / file, what, limits)}
            (group / "cgroup.procs").write_text(str(pid))
            limited |= done
    return ControlGroup(tuple(made), frozenset(limited))


def _set(file: Path, what: str, limits: CellLimits) -> bool:
    # Files in /tmp count as memory here; and the watchdog, who knows whom to end, comes first.
    memory = (limits.memory_mb + limits.memory_mb // 4 + limits.tmp_mb) << 20
    amount = limits.programs if what == "programs" else memory * bool(limits.memory_mb)
    if not amount or not file.exists():
        return False
    file.write_text(str(amount))
    return True


def _places(root: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Where we may make groups, and by which files they are limited there."""
    own = _own_groups()
    v2, v1 = own.get(""), {"pids": "pids.max", "memory": "memory.limit_in_bytes"}
    for controller, file in v1.items():
        place = root / controller / own.get(controller, "/").lstrip("/")
        if os.access(place, os.W_OK) and (place / "tasks").exists():
            yield place, {"programs" if controller == "pids" else "memory": file}
    if v2 is not None and (root / "cgroup.controllers").exists():
        # Processes live in leaves only, so our group stands beside the one we are in.
        place = (root / v2.lstrip("/")).parent
        if v2 != "/" and os.access(place, os.W_OK):
            yield place, {"programs": "pids.max", "memory": "memory.max"}


def _own_groups() -> dict[str, str]:
    """Which group we are in, per controller; the unified tree has no name."""
    groups: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            groups.update((name, path) for name in names.split(","))
    return groups
