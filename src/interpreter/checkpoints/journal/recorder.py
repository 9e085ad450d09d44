"""Writes down what a block is about to do to files, and keeps what it is about to destroy.

Every step has an exact inverse, so going through the log backwards restores the start, whatever
order programs do things in. A step that is written down and then fails in the kernel is harmless:
its inverse finds nothing to reverse.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from interpreter.checkpoints.journal.kept import images
from interpreter.checkpoints.journal.kept.blocks import BlockDirectory, JournalStep
from interpreter.checkpoints.journal.kept.directory_times import holder
from interpreter.checkpoints.journal.kept.trees import FileState, TreePlace, Trees, same
from interpreter.protocol.values import frozen

_EXCHANGE, _NO_REPLACE, _WHITEOUT = 2, 1, 4


@frozen
class JournalLimits:
    """What is kept: the largest copy of one file, and from what size a truncated file is moved."""

    largest_copy: int = 2 << 30
    move_from: int = 4 << 20


class ChangeRefused(Exception):
    """The user does not want a change that could not be undone."""


Ask = Callable[[str, int, str], bool]
"""Asked with a path, its size and the reason before a file is changed that cannot be kept."""

TOO_LARGE = "too large"

InUse = Callable[[os.stat_result], bool]
"""Whether a program of the cell has this inode open."""


class Recorder:
    """Takes down the changes of the current block."""

    def __init__(self, trees: Trees, limits: JournalLimits, ask: Ask, in_use: InUse) -> None:
        self._trees = trees
        self._limits = limits
        self._ask = ask
        self._in_use = in_use
        self._block: BlockDirectory | None = None
        self._known: dict[TreePlace, FileState | None] = {}
        # Places whose present content need not be kept (again); True where the name may also go.
        self._kept: dict[TreePlace, bool] = {}
        self._dated: set[TreePlace] = set()  # directories whose time is kept
        self.heard = True
        """Whether something may have happened to files since somebody set this to False."""

    def begin(self, block: BlockDirectory | None, known: dict[TreePlace, FileState | None]) -> None:
        """Record into `block`; `known` is what earlier blocks left, to notice others' edits."""
        self._trees.let_go()
        self._block = block
        self._known = known
        self._kept = {}
        self._dated = set()

    def open(self, place: TreePlace, flags: int, writable: Callable[[], bool]) -> None:
        """A file is about to be opened; `writable` tells whether that can succeed."""
        self.heard = True
        status = self._look(place)
        if status is None:
            if flags & os.O_CREAT:
                self._appear(place)
            return
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_TRUNC)
        if not writes or not stat.S_ISREG(status.st_mode) or place in self._kept:
            return
        may_move = bool(flags & os.O_TRUNC) and self._may_move(status) and writable()
        self._keep_content(place, status, move=may_move)

    def create(self, place: TreePlace) -> None:
        """A name is about to appear."""
        if self._look(place) is None:
            self._appear(place)

    def arrive(self, place: TreePlace) -> None:
        """Something is about to come in from outside of the roots, over what `remove` kept."""
        self._add(JournalStep("create", place))
        self._kept = {}

    def link(self, source: TreePlace | None, place: TreePlace) -> None:
        """A second name of a file is about to appear: its content is the first one's."""
        if self._look(place) is not None:
            return
        self._add(JournalStep("create", place))
        if source is not None and source in self._kept:
            self._kept[place] = self._kept[source]

    def make_directory(self, place: TreePlace) -> None:
        """A directory is about to appear."""
        if self._look(place) is None:
            self._add(JournalStep("mkdir", place))

    def remove(self, place: TreePlace) -> None:
        """A name is about to go."""
        status = self._look(place)
        if status is None:
            return
        if stat.S_ISDIR(status.st_mode):
            with self._trees.parent(place) as parent:
                if images.has_attributes(parent, place.name):
                    self._keep_attributes(place)
            step = JournalStep("rmdir", place, None, "", *_dress(status), time=status.st_mtime_ns)
            self._add(step)
        elif self._kept.pop(place, False):
            self._add(JournalStep("gone", place))
        else:
            self._keep_name(place, status)

    def remove_tree(self, place: TreePlace) -> None:
        """A directory is about to leave the roots with all that is in it."""
        directory = self._trees.directory(place.root, place.path)
        try:
            names = os.listdir(f"/proc/self/fd/{directory}")
        finally:
            os.close(directory)
        for name in names:
            self.take_away(TreePlace(place.root, f"{place.path}/{name}"))
        self.remove(place)

    def take_away(self, place: TreePlace) -> None:
        """Whatever is at a place is about to leave the roots."""
        status = self._look(place)
        if status is not None and stat.S_ISDIR(status.st_mode):
            self.remove_tree(place)
        else:
            self.remove(place)

    def rename(self, source: TreePlace, target: TreePlace, flags: int) -> None:
        """A name is about to move within the roots."""
        before, there = self._look(source), self._look(target)
        if before is None or (there and flags & _NO_REPLACE):
            return
        if source.below(target) or target.below(source):  # the kernel refuses that
            return
        if there is not None and (there.st_dev, there.st_ino) == (before.st_dev, before.st_ino):
            return
        if flags & _EXCHANGE:
            if there is None:
                return
            self._add(JournalStep("exchange", source, target, inode=before.st_ino))
            self._kept = {}
            self._dated = set()
            return
        self.remove(target)
        directory = stat.S_ISDIR(before.st_mode)
        self._add(JournalStep("rename", source, target, mode=stat.S_IFDIR if directory else 0))
        self._follow(source, target, directory=directory, replaces=there is not None)
        if flags & _WHITEOUT:  # a device without a number is left where the name was
            self._appear(source)

    def change_mode(self, place: TreePlace) -> None:
        """A mode, an owner or a time is about to change."""
        status = self._look(place)
        if status is not None and place not in self._kept:
            step = JournalStep("meta", place, None, "", *_dress(status), time=status.st_mtime_ns)
            self._add(step)

    def change_attributes(self, place: TreePlace) -> None:
        """Extended attributes are about to change, which only a whole copy keeps."""
        status = self._look(place)
        if status is not None and stat.S_ISDIR(status.st_mode):
            self._keep_attributes(place)
        else:
            self.open(place, os.O_WRONLY, lambda: False)

    def _keep_attributes(self, place: TreePlace) -> None:
        if self._block is None:
            return
        image = self._block.new_image()
        with self._trees.parent(place) as parent:
            images.keep_attributes(parent, place.name, self._block.image(image))
        self._add(JournalStep("attributes", place, None, image))

    def _appear(self, place: TreePlace) -> None:
        self._add(JournalStep("create", place))
        self._kept[place] = True

    def _follow(
        self, source: TreePlace, target: TreePlace, *, directory: bool, replaces: bool
    ) -> None:
        if directory:
            self._kept = {}  # names below it have changed; keeping once more is always right
            self._dated = set()
            return
        self._kept.pop(target, None)
        kept = self._kept.pop(source, None)
        if kept is not None and not replaces:  # else what was there stays if the call fails
            self._kept[target] = kept

    def _look(self, place: TreePlace) -> os.stat_result | None:
        status = self._trees.status(place)
        if place not in self._known or place in self._kept or self._block is None:
            return status
        if not same(self._trees.state(place), self._known.pop(place)):
            self._block.facts.foreign.append(place)
        return status

    def _add(self, step: JournalStep) -> None:
        self.heard = True
        if self._block is None:
            return
        if step.kind not in ("meta", "attributes"):
            for place in filter(None, (step.place, step.other)):
                self._keep_time(self._block, place)
        self._block.add(step)

    def _keep_time(self, block: BlockDirectory, place: TreePlace) -> None:
        """Before the first name in a directory changes, keep when the last one did."""
        directory = holder(place)
        if directory in self._dated:
            return
        self._dated.add(directory)
        with suppress(OSError):  # the call will fail, too
            time = self._trees.status_of_holder(place).st_mtime_ns
            block.add(JournalStep("times", directory, time=time))

    def _keep_content(self, place: TreePlace, status: os.stat_result, *, move: bool) -> None:
        block = self._block
        if block is None:
            return
        image = block.new_image()
        changed = status.st_ctime_ns
        step = JournalStep("write", place, None, image, *_dress(status), status.st_ino, changed)
        with self._or_ask(place, status, block):
            if move:
                self._add(step)
                self._move_away(place, status, block.image(image))
            elif self._fits(status, block):
                self._add(step)
                with self._trees.parent(place) as parent:
                    images.keep(parent, place.name, block.image(image))
            elif not self._clone(place, block, step):
                self._announce(place, status, block, TOO_LARGE)
        self._kept[place] = status.st_nlink == 1

    @contextmanager
    def _or_ask(
        self, place: TreePlace, status: os.stat_result, block: BlockDirectory
    ) -> Iterator[None]:
        """If something cannot be kept, whatever the reason, the user decides whether it goes on."""
        try:
            yield
        except (FileNotFoundError, ProcessLookupError):
            raise  # it has gone meanwhile: there is nothing to lose
        except OSError as error:
            self._announce(place, status, block, error.strerror or str(error))

    def _may_move(self, status: os.stat_result) -> bool:
        large = status.st_size >= self._limits.move_from
        return large and status.st_nlink == 1 and not self._in_use(status)

    def _move_away(self, place: TreePlace, status: os.stat_result, image: str) -> None:
        with self._trees.parent(place) as parent:
            try:
                os.rename(place.name, image, src_dir_fd=parent)
            except OSError:  # another filesystem, or a directory that is not ours
                images.keep(parent, place.name, image)
                return
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            fresh = os.open(place.name, flags, 0o600, dir_fd=parent)
            try:
                if os.geteuid() == 0:
                    os.fchown(fresh, status.st_uid, status.st_gid)
                os.fchmod(fresh, stat.S_IMODE(status.st_mode))
                os.utime(fresh, ns=(status.st_atime_ns, status.st_mtime_ns))
            finally:
                os.close(fresh)

    def _fits(self, status: os.stat_result, block: BlockDirectory) -> bool:
        room = shutil.disk_usage(block.path).free // 2 if status.st_size > 1 << 20 else 1 << 20
        return status.st_size <= min(self._limits.largest_copy, room)

    def _clone(self, place: TreePlace, block: BlockDirectory, step: JournalStep) -> bool:
        """Share the blocks of a file of any size, where the filesystem can."""
        with self._trees.parent(place) as parent:
            if not images.clone(parent, place.name, block.image(step.image)):
                return False
        self._add(step)
        return True

    def _announce(
        self, place: TreePlace, status: os.stat_result, block: BlockDirectory, why: str
    ) -> None:
        path = self._trees.text(place)
        if not self._ask(path, status.st_size, why):
            raise ChangeRefused(path)
        reason = "is too large to keep" if why == TOO_LARGE else f"could not be kept ({why})"
        block.facts.notes.append(f"{path} {reason} and cannot be undone")

    def _keep_name(self, place: TreePlace, status: os.stat_result) -> None:
        block = self._block
        if block is None:
            return
        image = block.new_image()
        with self._or_ask(place, status, block), self._trees.parent(place) as parent:
            self._add(JournalStep("unlink", place, None, image, *_dress(status), status.st_ino))
            if not images.link(parent, place.name, block.image(image)):
                images.keep(parent, place.name, block.image(image))


def _dress(status: os.stat_result) -> tuple[int, int, int]:
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid
