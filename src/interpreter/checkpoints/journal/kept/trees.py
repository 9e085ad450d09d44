"""Writable roots, reached only through their own descriptors: no path leads out of them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from interpreter.checkpoints.journal import system_calls
from interpreter.protocol.git.index import meaning_of_index

_LARGEST_INDEX = 64 << 20


class TreePlace(NamedTuple):
    """A name below a root: the root's number, and the path from it without any symlink."""

    root: int
    path: str

    @property
    def parent(self) -> str:
        """The path of the directory that holds the name."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The last part."""
        return self.path.rpartition("/")[2]

    def below(self, other: TreePlace) -> bool:
        """Whether `other` is this place or a directory above it."""
        return self.root == other.root and f"{self.path}/".startswith(f"{other.path}/")

    def moved(self, source: TreePlace, target: TreePlace) -> TreePlace:
        """This place after `source`, which holds it, became `target`."""
        return TreePlace(target.root, target.path + self.path[len(source.path) :])


class FileState(NamedTuple):
    """What tells a file from the same file after somebody changed it."""

    kind: int
    size: int
    modified: int
    inode: int
    meaning: str = ""
    """Of a git index, what it says: git writes it anew when it only looks."""


def same(one: FileState | None, other: FileState | None) -> bool:
    """Whether nobody changed anything in between."""
    if one is None or other is None:
        return one is other
    return one == other or bool(one.meaning and one.meaning == other.meaning)


def state_of(status: os.stat_result | None) -> FileState | None:
    """The state for a comparison; a directory is only itself, whatever it holds."""
    if status is None:
        return None
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFDIR:
        return FileState(kind, 0, 0, status.st_ino)
    return FileState(kind, status.st_size, status.st_mtime_ns, status.st_ino)


class Trees:
    """The roots of one session, held open.

    Nothing is changed in the `protected` places. A program that may not write there could claim to
    have done so, by a call that fails, and have an undo do it instead.
    """

    def __init__(self, roots: Sequence[str], protected: Sequence[str] = ()) -> None:
        self.roots = tuple(os.path.realpath(root) for root in roots)
        self._protected = tuple(f"{path}/" for path in protected)
        flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptors = [os.open(root, flags) for root in self.roots]
        self._holding: tuple[int, str, int] | None = None

    def close(self) -> None:
        """Let go of the roots."""
        self.let_go()
        while self._descriptors:
            os.close(self._descriptors.pop())

    def place(self, path: str) -> TreePlace | None:
        """Where an absolute path without symlinks and dots lies, if it is in a root and free."""
        return self.free(self.spot(path))

    def spot(self, path: str) -> TreePlace | None:
        """Where such a path lies, if it is in a root, protected or not."""
        for number, root in enumerate(self.roots):
            if path.startswith(f"{root}/"):
                return TreePlace(number, path[len(root) + 1 :])
        return None

    def free(self, place: TreePlace | None) -> TreePlace | None:
        """The place, if something can be changed there."""
        return None if place is None or self._is_protected(self.text(place)) else place

    def text(self, place: TreePlace) -> str:
        """The absolute path, to show."""
        return f"{self.roots[place.root]}/{place.path}"

    def directory(self, root: int, path: str) -> int:
        """A descriptor of a directory of a root; OSError where a symlink is in the way."""
        return system_calls.open_beneath(self._descriptors[root], path)

    @contextmanager
    def parent(self, place: TreePlace) -> Iterator[int]:
        """The directory that holds a place which is about to change, open meanwhile."""
        if self._is_protected(self.text(place)):
            raise PermissionError(errno.EPERM, "the sandbox protects it")
        descriptor = self.directory(place.root, place.parent)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def is_protected(self, place: TreePlace) -> bool:
        """Whether a place is protected, or has something protected below it."""
        return self._is_protected(self.text(place))

    def _is_protected(self, path: str) -> bool:
        """Whether a path is in a protected place, or has one below it."""
        here = f"{path}/"
        return any(here.startswith(one) or one.startswith(here) for one in self._protected)

    def let_go(self) -> None:
        """Look afresh from now on: the directory looked into last may have moved."""
        if self._holding is not None:
            os.close(self._holding[2])
            self._holding = None

    def is_straight(self, place: TreePlace) -> bool:
        """Whether the directory that holds a place exists and is reached without symlinks."""
        try:
            self._held(place)
        except OSError:
            return False
        return True

    def _held(self, place: TreePlace) -> int:
        parent = place.parent
        held = self._holding
        if held is not None and held[0] == place.root and held[1] == parent:
            return held[2]
        descriptor = self.directory(place.root, parent)
        self.let_go()
        self._holding = (place.root, parent, descriptor)
        return descriptor

    def status(self, place: TreePlace) -> os.stat_result | None:
        """What is at a place now, symlinks themselves; None where nothing is."""
        try:
            return os.stat(place.name, dir_fd=self._held(place), follow_symlinks=False)
        except OSError:
            return None

    def status_of_holder(self, place: TreePlace) -> os.stat_result:
        """The directory that holds a place."""
        return os.fstat(self._held(place))

    def state(self, place: TreePlace) -> FileState | None:
        """The state of a place now."""
        state = state_of(self.status(place))
        is_index = state is not None and f"/{place.path}".endswith("/.git/index")
        return state._replace(meaning=self._index(place)) if state and is_index else state

    def _index(self, place: TreePlace) -> str:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with open(os.open(place.name, flags, dir_fd=self._held(place)), "rb") as file:
                return meaning_of_index(file.read(_LARGEST_INDEX))
        except OSError:
            return ""
