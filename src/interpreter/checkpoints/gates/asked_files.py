"""Files that run by themselves, written by a block: as they were, until the user has answered.

What a place held is kept here before its first change. At the end of the block the user is asked,
and what is not allowed is put back; so is what nobody answered for, should the host be gone. A
program that goes on after its block may not write such places at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from interpreter.checkpoints.journal import system_calls
from interpreter.checkpoints.journal.kept import images
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.checkpoints.journal.recorder import ChangeRefused, Recorder
from interpreter.protocol import safe_files
from interpreter.protocol.system.self_running import (
    is_watched,
    may_hold,
    parts_that_run,
    runs_in_part,
)

Change = Literal["added", "changed"]
_LARGEST_READ = 1 << 20
_MOST_MOVED = 5000
_PIECE = 1 << 20
_OWN = (".git/HEAD", "pyvenv.cfg")
"""What makes a directory that a block made a repository or an environment of its own."""


class Kept(NamedTuple):
    """A place that was touched: the image of what it held, or where a directory came from."""

    place: TreePlace
    image: str = ""
    origin: TreePlace | None = None


class AskedFiles:
    """The places that run by themselves and were touched since `begin`."""

    def __init__(
        self,
        store: Path,
        trees: Trees,
        recorder: Recorder,
        tell: Callable[[str], None],
        *,
        takes_over: bool,
    ) -> None:
        self._store = store / "asked"
        self._trees = trees
        self._recorder = recorder
        self._tell = tell
        self._kept: dict[TreePlace, Kept] = {}
        self._made: set[TreePlace] = set()
        self._late = False
        self._open = self._store.exists()
        self._used = takes_over  # somebody watches: before that, nobody would be asked
        self._load()

    def begin(self) -> bool:
        """A block is about to run. What nobody answered for is put back.

        Tells whether programs have done anything to files since the block before.
        """
        self.settle(allow=False)
        self._store.mkdir(mode=0o700, parents=True, exist_ok=True)
        late, self._late = self._late, False
        self._open = self._used = True
        return late

    def heard(self) -> None:
        """A program is about to do something to a file, wherever that is."""
        self._late = self._late or not self._open

    def flagged(self) -> list[tuple[str, Change]]:
        """What the user should decide about."""
        found = ((self._trees.text(kept.place), self._change(kept)) for kept in self._kept.values())
        return sorted((path, change) for path, change in found if change is not None)

    def settle(self, *, allow: bool) -> list[str]:
        """Keep what was flagged, or put it back; what could not be, as paths."""
        failed = []
        for kept in reversed(self._kept.values()):
            try:
                if self._change(kept) is None or allow:
                    self._renew(kept.place)
                else:
                    self._put_back(kept)
            except OSError:
                failed.append(self._trees.text(kept.place))
        self._kept.clear()
        self._made.clear()
        self._open = False
        try:
            self._store.rmdir()
        except OSError:  # there is something in it
            shutil.rmtree(self._store, ignore_errors=True)
        return failed

    # Before each change.

    def write(self, place: TreePlace) -> None:
        """A place is about to get a content."""
        if self._used and is_watched(place.path):
            self._refuse_if_late(place)
            self._keep(place)

    def make_directory(self, place: TreePlace) -> None:
        """A directory is about to be made."""
        if self._open and self._trees.status(place) is None:
            self._made.add(place)

    def remove(self, place: TreePlace) -> None:
        """A name is about to go; what comes in its place later is compared with it."""
        if self._open and is_watched(place.path):
            self._keep(place)

    def link(self, source: TreePlace | None, place: TreePlace) -> None:
        """A second name is about to appear, by which the first could be written unseen."""
        if self._used and source is not None and is_watched(source.path):
            raise ChangeRefused(self._trees.text(source))
        self.write(place)

    def symlink(self, place: TreePlace, target: str) -> None:
        """A link is about to appear; to a directory, it brings whatever is there."""
        if not self._used:
            return
        above = self._trees.text(place).rpartition("/")[0]
        leads_to_file = os.path.isfile(os.path.join(above, target))
        if not leads_to_file and may_hold(place.path):
            self._refuse_if_late(place)
            self._keep(place)
        else:
            self.write(place)

    def rename(self, source: TreePlace | None, target: TreePlace | None) -> None:
        """Something is about to move."""
        if not self._used:
            return
        if source is not None:
            self.remove(source)
        if target is None:
            return
        status = self._trees.status(source) if source is not None else None
        if source is None or status is None or not stat.S_ISDIR(status.st_mode):
            if status is not None and stat.S_ISLNK(status.st_mode):
                self.symlink(target, "")
            self.write(target)
        elif self._brings(source, target):
            self._refuse_if_late(target)
            self._add(Kept(target, origin=source))
        elif source in self._made:
            self._made.add(target)

    def _brings(self, source: TreePlace, target: TreePlace) -> bool:
        """Whether a directory has what runs by itself at its new name and did not at the old."""
        top = self._trees.text(source)
        for number, path in enumerate(_files(top)):
            new, old = f"{target.path}/{path}", f"{source.path}/{path}"
            if number > _MOST_MOVED or (is_watched(new) and not is_watched(old)):
                return True
        return may_hold(target.path) and not may_hold(source.path)

    def _refuse_if_late(self, place: TreePlace) -> None:
        if not self._open:
            self._tell(
                f"{self._trees.text(place)} would run by itself: a program that went on after its "
                "block was not let write it"
            )
            raise ChangeRefused(self._trees.text(place))

    def _keep(self, place: TreePlace) -> None:
        if place in self._kept:
            return
        status = self._trees.status(place)
        image = ""
        if status is not None and stat.S_IFMT(status.st_mode) in (stat.S_IFREG, stat.S_IFLNK):
            image = str(len(self._kept))
            try:
                with self._trees.parent(place) as parent:
                    images.keep(parent, place.name, str(self._store / image))
            except OSError:
                raise ChangeRefused(self._trees.text(place)) from None
        self._add(Kept(place, image))

    def _add(self, kept: Kept) -> None:
        self._kept[kept.place] = kept
        with (self._store / "list").open("a") as file:
            file.write(json.dumps(kept) + "\n")

    def _load(self) -> None:
        with contextlib.suppress(FileNotFoundError), (self._store / "list").open() as lines:
            for line in lines:
                with contextlib.suppress(ValueError, TypeError):
                    place, image, origin = json.loads(line)
                    kept = Kept(TreePlace(*place), image, TreePlace(*origin) if origin else None)
                    self._kept[kept.place] = kept

    # Afterwards.

    def _change(self, kept: Kept) -> Change | None:
        status = self._trees.status(kept.place)
        if status is None or self._is_new_of_its_own(kept.place):
            return None
        if kept.origin is not None:
            return "added" if stat.S_ISDIR(status.st_mode) else None
        if stat.S_ISDIR(status.st_mode):
            return None  # what is in it has a place of its own
        now = f"{self._trees.text(kept.place)}"
        old = str(self._store / kept.image) if kept.image else ""
        if runs_in_part(now) and _parts(now, now) <= _parts(now, old):
            return None
        if not old:
            return "added"
        return None if _is_same(old, now) else "changed"

    def _is_new_of_its_own(self, place: TreePlace) -> bool:
        """In a repository or an environment that the block made: nobody uses it yet."""
        for made in self._made:
            if place.below(made) and place != made:
                top = self._trees.text(made)
                if any(os.path.isfile(f"{top}/{mark}") for mark in _OWN):
                    return True
        return False

    def _renew(self, place: TreePlace) -> None:
        """A new file with the same content: who still has the old one open writes into nothing."""
        status = self._trees.status(place)
        if status is None or not stat.S_ISREG(status.st_mode):
            return
        self._recorder.remove(place)
        self._recorder.arrive(place)
        fresh = f".{place.name[:100]}-{os.urandom(8).hex()}"
        with self._trees.parent(place) as parent:
            images.copy(parent, place.name, parent, fresh, status)
            os.rename(fresh, place.name, src_dir_fd=parent, dst_dir_fd=parent)

    def _put_back(self, kept: Kept) -> None:
        place = kept.place
        if kept.origin is not None:
            self._move_back(place, kept.origin)
            return
        self._recorder.remove(place)
        with self._trees.parent(place) as parent:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place.name, dir_fd=parent)
            if kept.image:
                self._recorder.arrive(place)
                image = str(self._store / kept.image)
                images.copy(None, image, parent, place.name, os.lstat(image))

    def _move_back(self, place: TreePlace, origin: TreePlace) -> None:
        if self._trees.status(origin) is not None:
            origin = TreePlace(place.root, f"{place.path}.put-back-{os.urandom(4).hex()}")
        self._recorder.rename(place, origin, 0)
        with self._trees.parent(place) as here, self._trees.parent(origin) as there:
            system_calls.rename(here, place.name, there, origin.name, system_calls.NO_REPLACE)


def _files(top: str) -> Iterator[str]:
    for above, _, names in os.walk(top):
        for name in names:
            yield os.path.relpath(f"{above}/{name}", top)


def _parts(name: str, path: str) -> frozenset[object]:
    """What runs by itself in the file at a path, which has or had this name."""
    if not path:
        return frozenset()
    try:
        return parts_that_run(name, safe_files.read_bytes(Path(path), _LARGEST_READ))
    except OSError:
        return frozenset({path})


def _is_same(old: str, now: str) -> bool:
    """Whether two files, or links, are the same, to whoever runs them."""
    was, found = os.lstat(old), os.lstat(now)
    kinds = [(stat.S_IFMT(one.st_mode), one.st_mode & 0o111, one.st_size) for one in (was, found)]
    if kinds[0] != kinds[1]:
        return False
    if stat.S_ISLNK(was.st_mode):
        return os.readlink(old) == os.readlink(now)
    with safe_files.opened(Path(old)) as one, safe_files.opened(Path(now)) as two:
        while (piece := one.read(_PIECE)) == two.read(_PIECE):
            if not piece:
                return True
    return False
