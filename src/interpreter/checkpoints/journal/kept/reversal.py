"""Goes through a block's log backwards; what it does is itself a log, so it can be taken back.

Each step is first planned and written down, then done. Doing it twice is the same as doing it once,
so a reversal that was cut short goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable

from interpreter.checkpoints.journal import system_calls
from interpreter.checkpoints.journal.kept import images
from interpreter.checkpoints.journal.kept.blocks import BlockDirectory, JournalStep
from interpreter.checkpoints.journal.kept.directory_times import DirectoryTimes
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees

_LONGEST = 60  # characters: a name of 255 bytes has no room for a number
_INDEX_HEADER = 136  # bytes: both copies of it, and where readers stand
_HERE = -100  # AT_FDCWD; images have absolute paths


class Reversal:
    """Reverses `source` into `target`, leaving the places in `spared` as they are."""

    def __init__(
        self, trees: Trees, source: BlockDirectory, target: BlockDirectory, spared: set[TreePlace]
    ) -> None:
        self._trees = trees
        self._source = source
        self._target = target
        self._spared = spared
        self._times = DirectoryTimes(trees, source, target)
        self.problems: list[str] = []
        self._plans: dict[
            str, Callable[[JournalStep, os.stat_result | None], JournalStep | None]
        ] = {
            "create": self._plan_removal,
            "mkdir": self._plan_removal_of_directory,
            "write": self._plan_return,
            "unlink": self._plan_return,
            "rmdir": lambda s, now: None if now else JournalStep("mkdir", s.place),
            "gone": lambda s, now: None if now else JournalStep("create", s.place),
            "rename": self._plan_rename,
            "exchange": self._plan_exchange,
            "meta": self._plan_dress,
            "attributes": self._plan_attributes,
            "times": self._plan_times,
            "nothing": lambda s, now: None,
        }
        self._doing: dict[str, Callable[[int, JournalStep, JournalStep], None]] = {
            "unlink": self._take_away,
            "rmdir": self._remove_directory,
            "write": self._put_back,
            "create": self._bring,
            "mkdir": self._make_directory,
            "rename": self._rename,
            "exchange": self._exchange,
            "meta": self._dress,
            "attributes": self._put_attributes,
            "times": lambda parent, step, planned: None,  # when all else is done
        }

    def run(self) -> None:
        """Do what is left to do."""
        done = list(self._target.steps())
        for index, step in enumerate(reversed(list(self._source.steps()))):
            if index < len(done):
                self._spare_along(step, done[index])
                self._times.take(step, done[index])
            if index < len(done) - 1:
                continue
            self._trees.let_go()
            planned = done[index] if index < len(done) else self._write_down(step)
            try:
                self._do(step, planned)
            except OSError as error:
                if error.errno in images.NO_ROOM:
                    raise  # whoever makes room can go on from here
                self._give_up(step, error.strerror or str(error))
        self._times.put_back()
        for place in {
            step.place for step in self._source.steps() if step.place.name.endswith("-wal")
        }:
            with contextlib.suppress(OSError):  # no index: it is made when it is needed
                self._outdate_index(place)

    def _outdate_index(self, log: TreePlace) -> None:
        """Have SQLite make the index of a log anew: it is written through shared memory, unseen."""
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with self._trees.parent(log) as parent:
            index = os.open(f"{log.name.removesuffix('-wal')}-shm", flags, dir_fd=parent)
        try:
            status = os.fstat(index)
            whole = stat.S_ISREG(status.st_mode) and status.st_size >= _INDEX_HEADER
            if whole and status.st_nlink == 1:
                os.pwrite(index, bytes(_INDEX_HEADER), 0)
        finally:
            os.close(index)

    def _give_up(self, step: JournalStep, why: str) -> None:
        """Say what could not be put back; what was kept of it must not go with the block."""
        text = f"{self._trees.text(step.place)}: {why}"
        kept = self._source.image(step.image)
        if step.image and os.path.lexists(kept):
            rescued = self._source.path.parent.parent / "rescued" / self._source.name
            rescued.mkdir(mode=0o700, parents=True, exist_ok=True)
            place = rescued / f"{step.image}-{step.place.name[:_LONGEST]}"
            os.rename(kept, place)
            text += f"; it is kept as {place}"
        self.problems.append(text)

    def _write_down(self, step: JournalStep) -> JournalStep:
        planned = self._plan(step)
        self._target.add(planned)
        self._spare_along(step, planned)
        self._times.take(step, planned)
        return planned

    def _spare_along(self, step: JournalStep, planned: JournalStep) -> None:
        if planned.kind != "rename" or step.other is None:
            return
        source, target = step.other, step.place
        self._spared = {p.moved(source, target) if p.below(source) else p for p in self._spared}

    def _plan(self, step: JournalStep) -> JournalStep:
        if step.place in self._spared or step.other in self._spared:
            return JournalStep("nothing", step.place)
        self._times.see(step.place)
        if step.other is not None:
            self._times.see(step.other)
        status = self._trees.status(step.place)
        return self._plans[step.kind](step, status) or JournalStep("nothing", step.place)

    def _plan_removal(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        if now is None:
            return None
        return JournalStep("unlink", step.place, None, self._target.new_image(), inode=now.st_ino)

    def _plan_removal_of_directory(
        self, step: JournalStep, now: os.stat_result | None
    ) -> JournalStep | None:
        if now is None or not stat.S_ISDIR(now.st_mode):
            return None
        return JournalStep(
            "rmdir", step.place, None, "", *_dress(now), time=self._times.before(step.place, now)
        )

    def _plan_return(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        try:
            image = os.lstat(self._source.image(step.image))
        except FileNotFoundError:
            return None
        if now is None:
            return JournalStep("create", step.place)
        if (now.st_dev, now.st_ino) == (image.st_dev, image.st_ino):  # the name never went
            return None
        if stat.S_ISDIR(now.st_mode):
            self._give_up(step, "a directory is in its place")
            return None
        mode = _dress(now)
        return JournalStep("write", step.place, None, self._target.new_image(), *mode, image.st_ino)

    def _plan_rename(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        if step.other is None or now is not None or self._trees.status(step.other) is None:
            return None
        return JournalStep("rename", step.other, step.place, mode=step.mode)

    def _plan_exchange(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        if step.other is None or now is None or self._trees.status(step.other) is None:
            return None
        return JournalStep("exchange", step.place, step.other, inode=now.st_ino)

    def _plan_dress(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        if now is None:
            return None
        return JournalStep(
            "meta", step.place, None, "", *_dress(now), time=self._times.before(step.place, now)
        )

    def _plan_times(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        if now is None or not stat.S_ISDIR(now.st_mode) or self._trees.is_protected(step.place):
            return None  # of a directory that holds something protected, the time stays
        return JournalStep("times", step.place, time=self._times.before(step.place, now))

    def _plan_attributes(self, step: JournalStep, now: os.stat_result | None) -> JournalStep | None:
        if now is None or not stat.S_ISDIR(now.st_mode):
            return None
        return JournalStep("attributes", step.place, None, self._target.new_image())

    def _put_attributes(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        replaced = self._target.image(planned.image)
        if not os.path.lexists(replaced):
            images.keep_attributes(parent, step.place.name, replaced)
        images.put_attributes(parent, step.place.name, self._source.image(step.image))

    def _do(self, step: JournalStep, planned: JournalStep) -> None:
        if planned.kind == "nothing":
            return
        with self._trees.parent(planned.place) as parent:
            self._doing[planned.kind](parent, step, planned)

    def _remove_directory(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(planned.place.name, dir_fd=parent)

    def _dress(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        _put_dress(parent, step)

    def _take_away(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        image = self._target.image(planned.image)
        now = self._trees.status(planned.place)
        if now is None or now.st_ino != planned.inode:
            return
        try:
            os.rename(planned.place.name, image, src_dir_fd=parent)
        except OSError as error:
            if error.errno != errno.EXDEV or stat.S_ISDIR(now.st_mode):
                raise
            if not stat.S_ISSOCK(now.st_mode):  # nobody listens on it any more when it comes back
                images.keep(parent, planned.place.name, image)
            os.unlink(planned.place.name, dir_fd=parent)

    def _put_back(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        name, kept = step.place.name, self._source.image(step.image)
        replaced = self._target.image(planned.image)
        now = self._trees.status(step.place)
        if now is not None and now.st_nlink > 1 and stat.S_ISREG(now.st_mode):
            self._fill(parent, name, kept, replaced)
            return
        if _inode(kept) == planned.inode:  # else a run that was cut short has exchanged them
            try:
                system_calls.rename(parent, name, _HERE, kept, system_calls.EXCHANGE)
            except OSError as error:
                if error.errno not in (errno.EXDEV, errno.EINVAL):
                    raise
                self._replace_by_copy(parent, name, kept, replaced)
                return
        with contextlib.suppress(FileNotFoundError):
            os.rename(kept, replaced)

    def _fill(self, parent: int, name: str, kept: str, replaced: str) -> None:
        """A file with several names keeps its inode, so that all of them see the content."""
        if not os.path.lexists(replaced):
            images.keep(parent, name, replaced)
        images.overwrite(parent, name, kept)

    def _replace_by_copy(self, parent: int, name: str, kept: str, replaced: str) -> None:
        if not os.path.lexists(replaced):
            images.keep(parent, name, replaced)
        self._copy_in(parent, kept, name)

    def _bring(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        name = step.place.name
        if step.kind == "gone":
            with contextlib.suppress(FileExistsError):
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                os.close(os.open(name, flags, 0o600, dir_fd=parent))
            return
        kept = self._source.image(step.image)
        if not os.path.lexists(kept):  # brought by a run that was cut short
            return
        try:
            system_calls.rename(_HERE, kept, parent, name, system_calls.NO_REPLACE)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EINVAL):
                raise
            if self._trees.status(step.place) is None:
                self._copy_in(parent, kept, name)

    def _copy_in(self, parent: int, kept: str, name: str) -> None:
        unfinished = f".undo-{self._source.name}-{os.path.basename(kept)}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished, dir_fd=parent)
        images.copy(None, kept, parent, unfinished, os.lstat(kept))
        os.rename(unfinished, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _make_directory(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        with contextlib.suppress(FileExistsError):
            os.mkdir(step.place.name, 0o700, dir_fd=parent)
        _put_dress(parent, step)

    def _rename(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        if planned.other is None or self._trees.status(planned.other) is not None:
            return
        with self._trees.parent(planned.other) as other:
            names = (parent, planned.place.name, other, planned.other.name)
            system_calls.rename(*names, system_calls.NO_REPLACE)

    def _exchange(self, parent: int, step: JournalStep, planned: JournalStep) -> None:
        now = self._trees.status(planned.place)
        if planned.other is None or now is None or now.st_ino != planned.inode:
            return
        with self._trees.parent(planned.other) as other:
            names = (parent, planned.place.name, other, planned.other.name)
            system_calls.rename(*names, system_calls.EXCHANGE)


def _inode(path: str) -> int | None:
    try:
        return os.lstat(path).st_ino
    except FileNotFoundError:
        return None


def _dress(status: os.stat_result) -> tuple[int, int, int]:
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


def _put_dress(parent: int, step: JournalStep) -> None:
    """Mode, owner and time of the thing itself: no symlink is followed."""
    flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
    thing = os.open(step.place.name, flags, dir_fd=parent)
    try:
        status = os.fstat(thing)
        itself = f"/proc/self/fd/{thing}"
        if not stat.S_ISLNK(status.st_mode):
            with contextlib.suppress(PermissionError):  # only root may give files away
                os.chown(itself, step.user, step.group)
            os.chmod(itself, step.mode)
        if step.time:
            times = (status.st_atime_ns, step.time)
            os.utime(step.place.name, ns=times, dir_fd=parent, follow_symlinks=False)
    finally:
        os.close(thing)
