"""A workspace in a copy, to try something: what was changed in it, and by whom in the meantime."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from interpreter.checkpoints.effects.differences import Difference, describe
from interpreter.checkpoints.journal.kept import images
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.events import FileChange

_MOST_FILES = 100_000
_MOST_BYTES = 5 << 30


class _Look(NamedTuple):
    """What tells a file from the same file after it was changed."""

    kind: int
    mode: int
    size: int
    modified: int
    target: str = ""


class WorkspaceCopy:
    """The copy at `path`, which is made with the object and looked at until it is removed."""

    def __init__(self, original: Path, path: Path) -> None:
        self.original = original
        self.path = path
        path.mkdir(mode=0o700, parents=True)
        try:
            _own_alike(path, original)
            self._base = dict(_walk(original))
            self._fill()
        except (OSError, CheckpointError) as error:
            self.remove()
            raise CheckpointError(f"The workspace cannot be copied: {error}") from error

    def changes(self) -> tuple[FileChange, ...]:
        """What is different in the copy from how it began."""
        now = dict(_walk(self.path))
        found = [self._change(name, now.get(name)) for name in sorted({*now, *self._base})]
        return tuple(change for change in found if change is not None)

    def conflicts(self) -> tuple[str, ...]:
        """What was changed in the original meanwhile, among what was changed in the copy."""
        names = [self._name(change) for change in self.changes()]
        now = dict(_walk(self.original))
        changed = [name for name in names if now.get(name) != self._base.get(name)]
        return tuple(str(self.original / name) for name in changed)

    def describe(self) -> str:
        """The changes as text."""
        differences = [
            Difference(change, self.original / self._name(change), Path(change.path))
            for change in self.changes()
        ]
        return describe(differences, self.path)

    def stage(self, place: Path, spared: tuple[str, ...] = ()) -> list[tuple[str, str, int]]:
        """Put what changed into a directory; kind, name and mode of each, in the order to do it."""
        now = dict(_walk(self.path))
        mine = {name for name in {*now, *self._base} if now.get(name) != self._base.get(name)}
        mine -= {os.path.relpath(path, self.original) for path in spared}
        gone = [("remove", name, 0) for name in sorted(mine - now.keys(), reverse=True)]
        came = []
        with safe_files.folder(place, make=0o700) as staged:
            for number, name in enumerate(sorted(mine & now.keys())):
                is_directory = now[name].kind == stat.S_IFDIR
                if not is_directory:
                    _copy(self.path / name, staged, f"{number}")
                came.append(("mkdir" if is_directory else f"{number}", name, now[name].mode))
        return [*gone, *came]

    def remove(self) -> None:
        """Give the space back."""
        shutil.rmtree(self.path.parent, ignore_errors=True)

    def _fill(self) -> None:
        size = sum(look.size for look in self._base.values())
        if len(self._base) > _MOST_FILES or size > _MOST_BYTES:
            count = f"{len(self._base):,} files, {size / 1e9:.1f} GB"
            raise CheckpointError(f"it is too large ({count}).")
        for name, look in self._base.items():
            target = self.path / name
            if look.kind == stat.S_IFDIR:
                target.mkdir()
                target.chmod(look.mode | stat.S_IRWXU)
                _own_alike(target, self.original / name)
            else:
                _copy(self.original / name, None, str(target))

    def _change(self, name: str, now: _Look | None) -> FileChange | None:
        before = self._base.get(name)
        path = str(self.path / name)
        if now == before or stat.S_IFDIR in (now and now.kind, before and before.kind):
            return None
        if now is None:
            return FileChange(path, "deleted")
        return FileChange(path, "added" if before is None else "modified", now.size)

    def _name(self, change: FileChange) -> str:
        return os.path.relpath(change.path, self.path)


def _walk(root: Path) -> Iterator[tuple[str, _Look]]:
    """Everything below a directory that can be copied, parents first; no symlink is followed."""
    for directory, directories, files, here in os.fwalk(root):
        directories.sort()
        for name in (*directories, *files):
            look = _look(name, here)
            if look is not None:
                yield os.path.relpath(Path(directory, name), root), look


def _copy(source: Path, directory: int | None, name: str) -> None:
    """Programs may run meanwhile, so nothing is read through a link that came in between."""
    with safe_files.folder(source.parent) as here:
        status = os.stat(source.name, dir_fd=here, follow_symlinks=False)
        images.copy(here, source.name, directory, name, status)


def _own_alike(path: Path, other: Path) -> None:
    """A copy that root makes belongs to whom the original does: code runs as that one in it."""
    if os.geteuid() == 0:
        owner = other.lstat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def _look(name: str, here: int) -> _Look | None:
    try:
        status = os.stat(name, dir_fd=here, follow_symlinks=False)
        kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
        if kind == stat.S_IFDIR:
            return _Look(kind, mode | stat.S_IRWXU, 0, 0)
        if kind == stat.S_IFLNK:
            return _Look(kind, 0, 0, 0, os.readlink(name, dir_fd=here))
        known = kind in (stat.S_IFREG, stat.S_IFIFO)
        return _Look(kind, mode, status.st_size, status.st_mtime_ns) if known else None
    except FileNotFoundError:
        return None
