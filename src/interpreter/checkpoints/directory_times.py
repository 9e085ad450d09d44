"""When directories last changed: kept before the first change in them, and set back last of all.

Every name that appears or goes in a directory, also by an undo, changes the directory's time.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable

from interpreter.checkpoints.blocks import Block, Step
from interpreter.checkpoints.changes import renamed
from interpreter.checkpoints.trees import Place, Trees


def holder(place: Place) -> Place:
    """The directory that holds a place, as a place; a root is "." in itself."""
    return Place(place.root, place.parent or ".")


def directories_after(steps: Iterable[Step]) -> list[Place]:
    """The directories in which a block changed names, under the names they have at the end."""
    found: dict[Place, None] = {}
    for step in steps:
        if step.kind == "times":
            found[step.place] = None
        elif step.kind in ("rename", "exchange"):
            found = renamed(found, [step])
    return list(found)


class DirectoryTimes:
    """The times of directories during a reversal.

    Where somebody else has changed names since the block, the time tells of that, and stays. In a
    reversal that is begun already it may tell of that one, and does not stay.
    """

    def __init__(self, trees: Trees, source: Block, *, is_begun: bool) -> None:
        self._trees = trees
        self._wanted: dict[Place, int] = {}
        self._seen: dict[tuple[int, int], int] = {}
        self._foreign: set[tuple[int, int]] = set()
        for place, time in () if is_begun else source.facts.directories:
            status = trees.status(place)
            if status is not None and status.st_mtime_ns != time:
                self._foreign.add((status.st_dev, status.st_ino))

    def see(self, place: Place) -> None:
        """A name in a directory is about to change: remember the directory's time, for redo."""
        with contextlib.suppress(OSError):
            status = self._trees.status_of_holder(place)
            self._seen.setdefault((status.st_dev, status.st_ino), status.st_mtime_ns)

    def before(self, status: os.stat_result) -> int:
        """The time that something had before the reversal began to change it."""
        return self._seen.get((status.st_dev, status.st_ino), status.st_mtime_ns)

    def take(self, step: Step, planned: Step) -> None:
        """A step is reversed: note which time is wanted, and where directories go."""
        if planned.kind == "rmdir":
            self._wanted.pop(planned.place, None)
        elif planned.kind in ("rename", "exchange"):
            self._wanted = renamed(self._wanted, [planned])
        elif planned.kind in ("times", "meta", "mkdir") and step.time:
            self._wanted[step.place] = step.time

    def put_back(self) -> None:
        """Set the times, now that no name changes any more."""
        self._trees.let_go()
        for place, time in self._wanted.items():
            with contextlib.suppress(OSError):  # gone since, or protected
                self._set(place, time)

    def _set(self, place: Place, time: int) -> None:
        status = self._trees.status(place)
        if status is None or not stat.S_ISDIR(status.st_mode):
            return
        if (status.st_dev, status.st_ino) in self._foreign or status.st_mtime_ns == time:
            return
        with self._trees.parent(place) as parent:
            times = (status.st_atime_ns, time)
            os.utime(place.name, ns=times, dir_fd=parent, follow_symlinks=False)
