"""Holds programs of the cell to what git itself writes in a repository, found or made.

Hooks, commands in a configuration, a `commondir` or a `.git` file that leads elsewhere: git would
run what they name at the user's next `git status`. The configuration comes into place by a rename
of its lock file: that is done here, with the bytes that were read, and asked about before if they
set anything beyond a short list. So does the index, which must name only files of the work tree.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from typing import NoReturn

from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.checkpoints.journal.recorder import ChangeRefused, Recorder
from interpreter.protocol.git import index as git_index
from interpreter.protocol.git.config import LARGEST, Unreadable, object_size, questionable
from interpreter.protocol.git.places import (
    MARKS,
    PROBE,
    is_git_name,
    is_index,
    may_make_directory,
    may_write,
)

EXCHANGE = 2
_MOST_ENTRIES = 5000
_MOST_LINES = 100
_CONFIG = "config"
_UNSEEN = frozenset({"objects"})  # links and names in there lead to no program

AskLines = Callable[[str, list[str]], bool]
"""Asked with the path of a configuration and the lines that it is about to get."""


class CarriedOut(Exception):
    """The call was done here, by what was read: the program's own must not be done any more."""


class GitGate:
    """Looks at a change of names or contents before it happens; Refused if it is not for code."""

    def __init__(
        self, trees: Trees, recorder: Recorder, ask: AskLines, tell: Callable[[str], None]
    ) -> None:
        self._trees = trees
        self._recorder = recorder
        self._ask = ask
        self._tell = tell
        self._repositories: dict[tuple[int, str], bool] = {}
        self.written: dict[str, str] = {}
        """The configurations that were put in place since `begin`, and what tells their content."""

    def begin(self) -> None:
        """Look afresh: others may have made or removed repositories."""
        self._repositories.clear()
        self.written = {}

    def write(self, place: TreePlace) -> None:
        """A file is about to be written or made."""
        if is_git_name(place.name):
            raise self._refusal(place)
        inside = self.repository(place)
        if inside is not None and not may_write(inside[1]):
            raise self._refusal(place)
        if inside is None:
            self._becomes_repository(place)

    def make_directory(self, place: TreePlace) -> None:
        """A directory is about to be made."""
        inside = self.repository(place)
        if inside is None:
            self._becomes_repository(place)
        elif not may_make_directory(inside[1]):
            raise self._refusal(place)

    def link(self, source: TreePlace | None, place: TreePlace) -> None:
        """A second name of a file is about to appear: both must be free to be written."""
        self.write(place)
        if source is None:
            return
        inside, status = self.repository(source), self._trees.status(source)
        if inside is not None and not may_write(inside[1]):
            raise self._refusal(source)
        if status is not None and stat.S_ISLNK(status.st_mode):
            self.symlink(place, "")

    def symlink(self, place: TreePlace, target: str) -> None:
        """A symlink is about to appear; in a repository only the one that git tries itself."""
        inside = self.repository(place)
        is_probe = inside is not None and PROBE.fullmatch(inside[1]) and target == "testing"
        if is_git_name(place.name) or (inside is not None and not is_probe):
            raise self._refusal(place)
        if inside is None:
            self._becomes_repository(place)

    def remove(self, place: TreePlace) -> None:
        """A name is about to go, which is free nearly everywhere."""
        if place.name == _CONFIG and self.repository(place) is not None:
            self._keep_object_size(place, b"")
        if place.name in MARKS or is_git_name(place.name):
            self._repositories.clear()

    def rename(self, source: TreePlace | None, target: TreePlace | None, flags: int) -> None:
        """A name is about to move; CarriedOut if that has been done for the program."""
        if source is None or target is None:
            if target is not None:  # from another filesystem, where the kernel refuses that
                self.write(target)
            return
        self.remove(source)
        inside = self.repository(target)
        if inside is not None and inside[1] == _CONFIG and not flags & EXCHANGE:
            self._replace_configuration(source, target)
        if inside is not None and is_index(inside[1]) and not flags & EXCHANGE:
            self._replace_index(inside[0], source, target)
        self._arrive(source, target)
        if flags & EXCHANGE:
            self._arrive(target, source)

    def repository(self, place: TreePlace) -> tuple[TreePlace, str] | None:
        """The outermost git directory that a place is in, and its path from there."""
        parts = place.path.split("/")
        for depth in range(len(parts)):
            here = "/".join(parts[:depth])
            named = depth > 0 and is_git_name(parts[depth - 1])
            if named or self._is_repository(place.root, here):
                return TreePlace(place.root, here), "/".join(parts[depth:])
        return None

    def problem(self, directory: TreePlace) -> str:
        """What in a directory, apart from the content of what is replaced as a whole, code could
        not have written."""
        for number, (path, status) in enumerate(self._entries(directory)):
            is_directory = stat.S_ISDIR(status.st_mode)
            may = may_make_directory(path) if is_directory else may_write(path)
            if path == _CONFIG or is_index(path):
                may = stat.S_ISREG(status.st_mode)
            if not may or stat.S_ISLNK(status.st_mode) or number >= _MOST_ENTRIES:
                return path
        return ""

    def _is_repository(self, root: int, path: str) -> bool:
        known = self._repositories.get((root, path))
        if known is None:
            known = self._repositories[root, path] = self._has_marks(root, path)
        return known

    def _has_marks(self, root: int, path: str, also: str = "") -> bool:
        def has(name: str) -> bool:
            return name == also or self._trees.status(_below(root, path, name)) is not None

        return has("HEAD") and ((has("objects") and has("refs")) or has("commondir"))

    def _becomes_repository(self, place: TreePlace) -> None:
        """A name that makes git take its directory for a repository waits for a clean one."""
        if place.name not in MARKS:
            return
        self._repositories.clear()
        directory = TreePlace(place.root, place.parent)
        if self._has_marks(place.root, place.parent, place.name):
            self._adopt(directory, place)

    def _adopt(self, directory: TreePlace, place: TreePlace) -> None:
        config = _below(directory.root, directory.path, _CONFIG)
        content = self._content(config)
        try:
            if content is None and self._trees.status(config) is not None:
                raise self._refusal(place)
            if self.problem(directory) or questionable(b"", content or b""):
                raise self._refusal(place)
            indexes = self._indexes(directory)
            for index in indexes:
                indexes[index] = self._checked_index(index, content or b"")
            # New files: whoever has the old ones open writes into nothing.
            for index, data in indexes.items():
                self._put(index, data, 0o644)
            if content is not None:
                self._put(config, content, 0o644)
        except (OSError, Unreadable):
            raise self._refusal(place) from None

    def _arrive(self, source: TreePlace, target: TreePlace) -> None:
        status = self._trees.status(source)
        if status is None:
            return
        is_directory = stat.S_ISDIR(status.st_mode)
        if is_directory:
            self._repositories.clear()
        if is_directory and is_git_name(target.name):
            if not (is_git_name(source.name) or self._is_repository(*source)):
                self._adopt(source, target)
        elif is_directory:
            self._move_directory(source, target)
        elif stat.S_ISLNK(status.st_mode):
            self.symlink(target, "")
        else:
            self.write(target)

    def _move_directory(self, source: TreePlace, target: TreePlace) -> None:
        inside, from_inside = self.repository(target), self.repository(source)
        self.make_directory(target)
        if inside is not None and (from_inside is None or from_inside[0] != inside[0]):
            raise self._refusal(target)  # what is in it nobody has looked at

    def _replace_configuration(self, source: TreePlace, target: TreePlace) -> None:
        status = self._trees.status(source)
        if status is None:
            return
        content = self._content(source)
        old = self._content(target)
        if content is None or (old is None and self._trees.status(target) is not None):
            raise self._refusal(target)
        try:
            lines = questionable(old or b"", content)
        except Unreadable:
            raise self._refusal(target) from None
        self._keep_object_size(target, content)
        if len(lines) > _MOST_LINES or (lines and not self._ask(self._trees.text(target), lines)):
            raise self._refusal(target)
        self._finish(source, target, content, status, is_new=content != old)

    def _keep_object_size(self, config: TreePlace, content: bytes) -> None:
        """An index that was looked at must not come to mean something else."""
        try:
            is_same = object_size(self._content(config) or b"") == object_size(content)
            if is_same or not self._indexes(TreePlace(config.root, config.parent)):
                return
        except (OSError, Unreadable):
            pass
        raise self._refusal(config)

    def _indexes(self, directory: TreePlace) -> dict[TreePlace, bytes]:
        names = [name for name, _ in self._listed(*directory) if is_index(name)]
        return {_below(*directory, name): b"" for name in names}

    def _replace_index(self, repository: TreePlace, source: TreePlace, target: TreePlace) -> None:
        status = self._trees.status(source)
        if status is None:
            return
        config = self._content(_below(*repository, _CONFIG)) or b""
        try:
            content = self._checked_index(source, config)
        except Unreadable:
            raise self._refusal(target) from None
        self._finish(source, target, content, status)

    def _checked_index(self, place: TreePlace, config: bytes) -> bytes:
        content = self._content(place, git_index.LARGEST)
        if content is None or git_index.problem_of_index(content, object_size(config)):
            raise Unreadable
        return content

    def _finish(
        self,
        source: TreePlace,
        target: TreePlace,
        content: bytes,
        status: os.stat_result,
        *,
        is_new: bool = True,
    ) -> NoReturn:
        """Do for the program what it wanted to, with the bytes that were looked at."""
        try:
            if is_new:
                self._put(target, content, stat.S_IMODE(status.st_mode), status.st_mtime_ns)
            self._recorder.remove(source)
            with self._trees.parent(source) as parent, contextlib.suppress(FileNotFoundError):
                os.unlink(source.name, dir_fd=parent)
        except OSError:
            raise self._refusal(target) from None
        raise CarriedOut

    def _put(
        self, place: TreePlace, content: bytes, mode: int, modified: int | None = None
    ) -> None:
        self.written[self._trees.text(place)] = hashlib.sha256(content).hexdigest()
        if self._trees.place(self._trees.text(place)) is None:
            self._fill(place, content)
            return
        self._recorder.remove(place)
        self._recorder.arrive(place)
        name = f".{place.name}-{os.urandom(8).hex()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._trees.parent(place) as parent:
            owner = os.fstat(parent)
            with os.fdopen(os.open(name, flags, 0o600, dir_fd=parent), "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), mode)
                file.flush()
                if modified is not None:  # git compares it with the times of the files
                    os.utime(file.fileno(), ns=(modified, modified))
                if os.geteuid() == 0:
                    os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            os.rename(name, place.name, src_dir_fd=parent, dst_dir_fd=parent)

    def _fill(self, place: TreePlace, content: bytes) -> None:
        """A file that the cell cannot write is a mount of its own there, and keeps its inode."""
        directory = self._trees.directory(place.root, place.parent)
        flags = os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(place.name, flags, dir_fd=directory), "wb") as file:
                file.write(content)
        finally:
            os.close(directory)
        self._tell(f"{self._trees.text(place)} was changed as allowed; undo does not reach it")

    def _content(self, place: TreePlace, largest: int = LARGEST) -> bytes | None:
        """A file's content; None where there is no plain file of a reasonable size."""
        try:
            directory = self._trees.directory(place.root, place.parent)
        except OSError:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(place.name, flags, dir_fd=directory), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                content = file.read(largest + 1)
        except OSError:
            return None
        finally:
            os.close(directory)
        return content if len(content) <= largest else None

    def _entries(self, directory: TreePlace) -> Iterator[tuple[str, os.stat_result]]:
        waiting = [""]
        while waiting:
            above = waiting.pop()
            for name, status in self._listed(directory.root, f"{directory.path}/{above}"):
                path = f"{above}{name}"
                yield path, status
                if stat.S_ISDIR(status.st_mode) and path not in _UNSEEN:
                    waiting.append(f"{path}/")

    def _listed(self, root: int, path: str) -> list[tuple[str, os.stat_result]]:
        descriptor = self._trees.directory(root, path.strip("/"))
        try:
            names = os.listdir(f"/proc/self/fd/{descriptor}")
            return [(n, os.stat(n, dir_fd=descriptor, follow_symlinks=False)) for n in names]
        finally:
            os.close(descriptor)

    def _refusal(self, place: TreePlace) -> ChangeRefused:
        path = self._trees.text(place)
        self._tell(f"{path} could make git run programs: writing it was refused")
        return ChangeRefused(path)


def _below(root: int, path: str, name: str) -> TreePlace:
    return TreePlace(root, f"{path}/{name}" if path else name)
