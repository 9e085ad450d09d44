"""When directories last changed: kept before the first change in them, and set back last of all.

Every name that appears or goes in a directory, also by an undo, changes the directory's time.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable

from interpreter.checkpoints.journal.kept.blocks import BlockDirectory, JournalStep
from interpreter.checkpoints.journal.kept.changes import renamed
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees


def holder(place: TreePlace) -> TreePlace:
    """The directory that holds a place, as a place; a root is "." in itself."""
    return TreePlace(place.root, place.parent or ".")


def directories_after(steps: Iterable[JournalStep]) -> list[TreePlace]:
    """The directories in which a block changed names, under the names they have at the end."""
    found: dict[TreePlace, None] = {}
    for step in steps:
        if step.kind == "times":
            found[step.place] = None
        elif step.kind in ("rename", "exchange"):
            found = renamed(found, [step])
    return list(found)


class DirectoryTimes:
    """The times of directories during a reversal.

    Where somebody else has changed names since the block, the time tells of that, and stays.
    """

    def __init__(self, trees: Trees, source: BlockDirectory, target: BlockDirectory) -> None:
        self._trees = trees
        self._wanted: dict[TreePlace, int] = {}
        began = target.facts.directories  # as they were then: it may have been cut short
        self._seen = {(place.root, inode): time for place, inode, time in began}
        left = {(place, inode): time for place, inode, time in source.facts.directories}
        self._foreign = {
            (place.root, inode)
            for place, inode, time in began
            if left.get((place, inode), time) != time
        }

    def see(self, place: TreePlace) -> None:
        """A name in a directory is about to change: remember the directory's time, for redo."""
        with contextlib.suppress(OSError):
            status = self._trees.status_of_holder(place)
            self._seen.setdefault((place.root, status.st_ino), status.st_mtime_ns)

    def before(self, place: TreePlace, status: os.stat_result) -> int:
        """The time that something had before the reversal began to change it."""
        return self._seen.get((place.root, status.st_ino), status.st_mtime_ns)

    def take(self, step: JournalStep, planned: JournalStep) -> None:
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

    def _set(self, place: TreePlace, time: int) -> None:
        status = self._trees.status(place)
        if status is None or not stat.S_ISDIR(status.st_mode):
            return
        if (place.root, status.st_ino) in self._foreign or status.st_mtime_ns == time:
            return
        with self._trees.parent(place) as parent:
            times = (status.st_atime_ns, time)
            os.utime(place.name, ns=times, dir_fd=parent, follow_symlinks=False)
