"""A place on the disk that is held: names may be swapped for others meanwhile, it stays itself."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.sandboxes.cell.view import Mount
from interpreter.sandboxes.confinement import Confinement

_AS_A_PLACE = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC


class HeldPlace:
    """A file or directory, by its path without links and by a descriptor of it."""

    def __init__(self, path: Path, *, special: bool = False) -> None:
        """Follow links now, and never again; ConfigurationError says why it cannot be held.

        Sockets, pipes and the like are held only where they may be `special`.
        """
        try:
            self.path = path.expanduser().resolve(strict=True)
            self._descriptor = os.open(self.path, _AS_A_PLACE)
        except (OSError, RuntimeError, ValueError) as error:
            raise ConfigurationError(f"{str(path)!r} does not exist.") from error
        self._release = weakref.finalize(self, os.close, self._descriptor)
        status = os.fstat(self._descriptor)
        self.is_directory = stat.S_ISDIR(status.st_mode)
        self.identity = f"{status.st_dev}:{status.st_ino}"
        if not special and not self.is_directory and not stat.S_ISREG(status.st_mode):
            raise ConfigurationError(f"{str(path)!r} is neither a file nor a directory.")
        if sys.platform == "linux" and self._name_of_the_kernel() != self.path:
            raise ConfigurationError(f"{str(path)!r} is being moved about.")

    def close(self) -> None:
        """Let go of it."""
        self._release()

    def _name_of_the_kernel(self) -> Path:
        return Path(f"/proc/self/fd/{self._descriptor}").readlink()


def held_grants(confinement: Confinement) -> tuple[Confinement, list[HeldPlace]]:
    """The grants of a new cell that lead where they led, held; and the walls with no others."""
    read, write = map(_where_they_are, (confinement.read, confinement.write))
    readable, writable = (tuple(place.path for place in places) for places in (read, write))
    return replace(confinement, read=readable, write=writable), [*read, *write]


def found_in_workspace(mounts: Sequence[Mount], workspace: Path) -> list[HeldPlace]:
    """What a new cell is to be shown of a workspace, each for what it is now.

    Code of another session may work there, and put a link in the place of what is to be mounted.
    None of it need be held: only what was there before is worth stealing, and that has a number.
    """
    masked = [mount.path for mount in mounts if mount.kind == "mask"]
    found: dict[Path, HeldPlace] = {}
    for mount in mounts:
        path = mount.path
        hidden = any(path.is_relative_to(mask) for mask in masked)
        if hidden or path in found or not path.is_relative_to(workspace):
            continue
        found[path] = place = HeldPlace(path, special=True)
        place.close()
        if place.path != path:
            raise ConfigurationError(f"{str(path)!r} has become a link to elsewhere.")
    return list(found.values())


def _where_they_are(paths: Iterable[Path]) -> list[HeldPlace]:
    """Those of some paths that have no links in them; what a link leads to was never granted."""
    found: list[HeldPlace] = []
    for path in paths:
        with contextlib.suppress(ConfigurationError):  # it has gone: it is asked about again
            place = HeldPlace(path)
            found += [place] if place.path == path else []
    return found
