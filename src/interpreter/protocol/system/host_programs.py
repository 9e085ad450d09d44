"""Programs that the host itself runs: never one that code could have put in their place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

PROGRAM_PLACES = ":".join((
    *("/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"),
    *("/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin"),
    "/home/linuxbrew/.linuxbrew/bin",
))  # fmt: skip
"""Where programs lie that make and guard a cell. PATH is not asked: an active environment of the
project is in it, before all others, and code can write there."""


def system_program(name: str) -> str:
    """Where a program of the system is; its path below `/usr/bin` where it is missing."""
    return shutil.which(name, path=PROGRAM_PLACES) or f"/usr/bin/{name}"


_cell_places: set[Path] = set()


def never_from(place: Path) -> None:
    """Take no program from here any more: cells of this process write there."""
    _cell_places.add(place.resolve())


def find_program(name: str, *cell_places: Path) -> str | None:
    """Where a program of the user's is; places where a cell can write are not looked into.

    PATH may name the workspace, or `.venv/bin`, or the directory we happen to be in.
    """
    places = [*_cell_places, *(place.resolve() for place in (Path.cwd(), *cell_places))]

    def is_ours(path: Path) -> bool:
        return path.is_absolute() and not any(map(path.resolve().is_relative_to, places))

    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = shutil.which(name, path=os.pathsep.join(e for e in entries if is_ours(Path(e))))
    return found if found and is_ours(Path(found)) else None
