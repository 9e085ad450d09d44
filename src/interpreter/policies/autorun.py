"""The guard's second look: what runs by itself, compared before and after each block.

The file journal decides at each call of a program. This comparison finds what it cannot see: a call
whose words another thread changed in between, and everything where there is no journal.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from interpreter.protocol.git import index as git_index
from interpreter.protocol.git.config import Unreadable, object_size, questionable
from interpreter.protocol.git.places import (
    MARKS,
    is_git_name,
    is_index,
    may_make_directory,
    may_write,
)
from interpreter.protocol.safe_files import NEVER, is_settled
from interpreter.protocol.system.self_running import (
    may_hold,
    parts_that_run,
    runs_in_part,
    runs_itself,
    watched_among,
)
from interpreter.protocol.values import frozen

_LARGEST = 1 << 20
_MOST_DIRECTORIES = 20_000
_MOST_BEHIND_A_LINK = 500  # files; what is shared by more is hardly a handful of settings
_NOT_ENTERED = frozenset({"node_modules"})
_NOT_BELOW = frozenset({"site-packages", "dist-packages"})  # a `.pth` runs here, and nothing deeper
_GIT_ENTERED = frozenset({"hooks", "info", "rebase-merge"})
_OWN = (".git/HEAD", "pyvenv.cfg")
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Change = Literal["added", "changed"]


@frozen
class FlaggedFile:
    """A file that runs by itself and is not what it was. `path` is relative to the workspace."""

    path: str
    change: Change
    can_revert: bool = True


@frozen
class _State:
    """A file as it was: its content, or where a link leads, and what tells it from another."""

    mode: int
    content: bytes | None
    identity: tuple[int, int, int]
    settled: bool
    """Whether it was old enough when it was read that a later change must show in its time."""


@frozen
class _Listing:
    """A directory as it was read, and when its entries last changed."""

    inode: int
    changed: int
    directories: tuple[str, ...]
    """Paths of those in it that are looked at, too."""
    watched: tuple[str, ...]


class AutorunGuard:
    """Keeps what the places were before a block, and puts them back."""

    def __init__(self, workspace: Path) -> None:
        self._top = f"{workspace.resolve()}/"
        self._root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._listings: dict[str, _Listing] = {}
        self._known: frozenset[str] = frozenset()
        self._before: dict[str, _State] = {}
        self._led_to: tuple[str, ...] = ()
        self._latest: dict[str, _State] | None = None

    def begin(self, *, alone: bool = True) -> None:
        """A block is about to run. What changed since `rest` is the user's own doing, unless
        programs of the code went on meanwhile: then it counts as this block's."""
        if alone or not self._known:
            self._latest = None
            self.rest()

    def rest(self) -> None:
        """All is decided: this is how things are."""
        self._before = self._look() if self._latest is None else self._latest
        self._known, self._latest = frozenset(self._listings), None
        links = [path for path, state in self._before.items() if stat.S_ISLNK(state.mode)]
        self._led_to = tuple(self._targets(links))
        self._before |= self._behind_links()

    def end(self, settled: Mapping[str, str] | None = None) -> tuple[FlaggedFile, ...]:
        """What is not as it was; `settled` are files that may be what these digests tell."""
        after, may = self._look() | self._behind_links(), settled or {}
        self._latest = after
        own = tuple(self._new_places())
        flags: list[FlaggedFile] = []
        for path, now in after.items():
            if may.get(path) == hashlib.sha256(now.content or b"").hexdigest():
                continue
            if path.startswith(own) and not _is_in_git(path):
                continue
            flags += _compared(path, self._before.get(path), now)
        return tuple(sorted(flags, key=lambda flag: flag.path))

    def revert(self, flags: Iterable[FlaggedFile]) -> tuple[str, ...]:
        """Put files back as they were before the block; the paths that could not be."""
        failed, self._latest = [], None
        for flag in flags:
            try:
                if not flag.can_revert:
                    raise OSError("too large to have been kept")
                self._put_back(flag.path)
            except OSError:
                failed.append(flag.path)
        return tuple(failed)

    def close(self) -> None:
        """Let go of the workspace, once: its descriptor may be somebody else's after that."""
        root, self._root = self._root, -1
        if root >= 0:
            os.close(root)

    def _new_places(self) -> Iterator[str]:
        """Repositories and environments that the block made: nobody uses what is in them yet."""
        for path in self._listings.keys() - self._known:
            with contextlib.suppress(OSError), _opened(self._root, path) as here:
                if path != "." and any(_exists(here, mark) for mark in _OWN):
                    yield f"{path}/"

    def _look(self) -> dict[str, _State]:
        """All places, by path; directories that have not changed are not read again."""
        found: dict[str, _State] = {}
        listings: dict[str, _Listing] = {}
        waiting = ["."]
        while waiting and len(listings) < _MOST_DIRECTORIES:
            path = waiting.pop()
            try:  # in few steps: a project has thousands of directories, and each block waits
                listing = listings[path] = self._unchanged(path) or self._listed(path)
                waiting += listing.directories
                if listing.watched:
                    found.update(self._states(path, listing.watched))
            except OSError:
                continue
        self._listings = listings
        return found

    def _targets(self, links: Iterable[str]) -> Iterator[str]:
        """What links at such places lead to in the workspace: it runs by itself as they do."""
        for link in links:
            real = os.path.realpath(self._top + link)
            if real.startswith(self._top) and not _is_in_git(real):
                yield real.removeprefix(self._top)

    def _behind_links(self) -> dict[str, _State]:
        """The files that links led to when all was decided, as they are now."""
        found: dict[str, _State] = {}
        for target in self._led_to:
            parent, _, name = target.rpartition("/")
            with contextlib.suppress(OSError):
                found.update(self._states(parent or ".", (name,)))
            for above, directories, names in os.walk(self._top + target):
                del directories[_MOST_BEHIND_A_LINK:], names[_MOST_BEHIND_A_LINK:]
                if len(found) > _MOST_BEHIND_A_LINK:
                    break
                with contextlib.suppress(OSError):
                    found.update(self._states(above.removeprefix(self._top), tuple(names)))
        return found

    def _unchanged(self, path: str) -> _Listing | None:
        """What was read before, if nothing has come or gone. That no link is on the way is known:
        the directory above has just been looked at."""
        old = self._listings.get(path)
        if old is None:
            return None
        status = os.stat(path, dir_fd=self._root, follow_symlinks=False)
        same = status.st_ctime_ns == old.changed and status.st_ino == old.inode
        return old if same else None

    def _listed(self, path: str) -> _Listing:
        with _opened(self._root, path) as here:
            status = os.fstat(here)
            with os.scandir(here) as entries:
                read = [(e.name, e.is_dir(follow_symlinks=False), e.is_symlink()) for e in entries]
        look = _in_repository if _is_repository(path, {n for n, _, _ in read}) else _in_project
        directories, watched = look(path, read)
        below = tuple(_joined(path, name) for name in directories)
        changed = status.st_ctime_ns if is_settled(status.st_ctime_ns) else NEVER
        return _Listing(status.st_ino, changed, below, tuple(watched))

    def _states(self, path: str, names: tuple[str, ...]) -> Iterator[tuple[str, _State]]:
        with _opened(self._root, path) as here:
            for name in names:
                state = self._state(_joined(path, name), here, name)
                if state is not None:
                    yield _joined(path, name), state

    def _state(self, path: str, here: int, name: str) -> _State | None:
        try:
            status = os.lstat(name, dir_fd=here)
            identity = (status.st_ino, status.st_ctime_ns, status.st_size)
            old = self._before.get(path)
            if old is not None and old.identity == identity and old.settled:
                return old
            if stat.S_ISLNK(status.st_mode):
                content: bytes | None = os.fsencode(os.readlink(name, dir_fd=here))
            elif stat.S_ISREG(status.st_mode) and _is_index(path):
                content = _problem_of_index(here, name)
            elif stat.S_ISREG(status.st_mode):
                content = _content(here, name)
            else:
                return None
        except OSError:
            return None
        return _State(status.st_mode, content, identity, is_settled(status.st_ctime_ns))

    def _put_back(self, path: str) -> None:
        old = self._before.get(path)
        parent, _, name = path.rpartition("/")
        with _opened(self._root, parent or ".") as here:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=here)
            if old is not None and not _is_index(path):  # which git makes anew
                _write(here, name, old)


Entry = tuple[str, bool, bool]
"""A name, whether it is a directory, and whether it is a link."""


def _is_repository(path: str, names: set[str]) -> bool:
    if is_git_name(path.rpartition("/")[2]):
        return True
    return "HEAD" in names and (names >= MARKS - {"commondir"} or "commondir" in names)


def _in_repository(path: str, entries: list[Entry]) -> tuple[list[str], list[str]]:
    """Of a git directory: all that git need not write, and links."""
    directories = [name for name, is_directory, _ in entries if is_directory]
    may = {n: may_make_directory(n) if is_dir else may_write(n) for n, is_dir, _ in entries}
    watched = [name for name, _, is_link in entries if is_link or not may[name]]
    return [name for name in directories if name in _GIT_ENTERED or not may[name]], watched


def _in_project(path: str, entries: list[Entry]) -> tuple[list[str], list[str]]:
    if _is_in_git(f"{path}/"):
        inside = f"{path}/".lower().rpartition(".git/")[2]
        watched = [
            name
            for name, is_dir, link in entries
            if link or not (is_dir or may_write(inside + name)) or runs_in_part(f"{path}/{name}")
        ]
        return [name for name, is_directory, _ in entries if is_directory], watched
    is_bottom = path.rpartition("/")[2] in _NOT_BELOW
    below = [name for name, is_dir, _ in entries if is_dir and name not in _NOT_ENTERED]
    directories = [] if is_bottom else below
    files = [name for name, is_directory, is_link in entries if not (is_directory or is_link)]
    links = [name for name, _, is_link in entries if is_link and may_hold(_joined(path, name))]
    git = [name for name, is_directory, _ in entries if is_git_name(name) and not is_directory]
    return directories, [*{*watched_among(path, files), *links, *git}]


def _compared(path: str, old: _State | None, now: _State) -> Iterator[FlaggedFile]:
    if old is now:  # it was not even touched
        return
    if old is not None and (old.content is None or now.content is None):
        if old.identity != now.identity:
            yield FlaggedFile(path, "changed", can_revert=old.content is not None)
    elif runs_in_part(path) and stat.S_ISREG(now.mode):
        was = parts_that_run(path, old.content or b"") if old is not None else frozenset()
        if not parts_that_run(path, now.content or b"") <= was:
            yield FlaggedFile(path, "added" if old is None else "changed")
    elif _essence(path, old, now) != _essence(path, now, now):
        yield FlaggedFile(path, "added" if old is None else "changed")


def _essence(path: str, state: _State | None, now: _State) -> object:
    """The part of a file that makes something run; of most files that is all of it."""
    content = state.content or b"" if state is not None else b""
    if _is_index(path) and stat.S_ISREG(now.mode):
        return content
    if path.endswith("/config") and stat.S_ISREG(now.mode):
        with contextlib.suppress(Unreadable):
            return questionable(b"", content)
    return (stat.S_IFMT(state.mode), state.mode & 0o111, content) if state is not None else None


def _is_index(path: str) -> bool:
    """Of a repository: in a directory that runs by itself, an `index` is a file like others."""
    return is_index(path.rpartition("/")[2]) and not runs_itself(path)


def _is_in_git(path: str) -> bool:
    return "/.git/" in f"/{path.lower()}"


def _joined(path: str, name: str) -> str:
    return name if path == "." else f"{path}/{name}"


def _exists(here: int, path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path, dir_fd=here, follow_symlinks=False).st_mode)
    except OSError:
        return False


class _opened:
    """A directory below another, by a way that has no links in it."""

    def __init__(self, root: int, path: str) -> None:
        self._fd = os.dup(root)
        for part in path.split("/"):
            if part in ("", "."):
                continue
            try:
                below = os.open(part, _DIRECTORY, dir_fd=self._fd)
            finally:
                os.close(self._fd)
            self._fd = below

    def __enter__(self) -> int:
        return self._fd

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _problem_of_index(directory: int, name: str) -> bytes:
    """Instead of the content of an index, what makes it dangerous: mostly nothing."""
    content = _content(directory, name, git_index.LARGEST) or b""
    config = _content(directory, "config") if _exists(directory, "config") else None
    try:
        return git_index.problem_of_index(content, object_size(config or b"")).encode()
    except Unreadable:
        return b"it cannot be read"


def _content(directory: int, name: str, largest: int = _LARGEST) -> bytes | None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=directory), "rb") as file:
        content = file.read(largest + 1)
    return content if len(content) <= largest else None


def _write(directory: int, name: str, old: _State) -> None:
    content = old.content or b""
    if stat.S_ISLNK(old.mode):
        os.symlink(content, name, dir_fd=directory)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, stat.S_IMODE(old.mode), dir_fd=directory), "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), stat.S_IMODE(old.mode))
