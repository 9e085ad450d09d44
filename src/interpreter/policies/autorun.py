"""The guard after each block: what runs by itself later must not change unseen."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from interpreter.policies.places import is_autorun
from interpreter.protocol.values import frozen

_WATCHED = (
    *(".envrc", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile"),
    *(".gitconfig", ".gitmodules", ".gitattributes", ".npmrc", ".yarnrc", ".yarnrc.yml"),
    *(".pre-commit-config.yaml", ".mcp.json", ".tool-versions", ".mise.toml", "lefthook.yml"),
    *(
        "sitecustomize.py",
        "usercustomize.py",
        "package.json",
        ".git/config",
        ".git/config.worktree",
    ),
    *(".devcontainer.json", ".git/info/attributes", ".git", "HEAD"),  # HEAD: a bare repository
)
_WATCHED_DIRECTORIES = (
    ".git/hooks",
    ".vscode",
    ".idea",
    ".husky",
    ".githooks",
    ".devcontainer",
    "hooks",
)
_GIT_RUNS = re.compile(
    rb"(?im)^\s*(?:hookspath|fsmonitor|sshcommand|pager|editor|askpass|process|clean|smudge|textconv"
    rb"|command|driver|program|path|helper|external|gpg.*|proxycommand|uploadpack)\s*=.*"
    rb"|^\s*\[(?:alias|include).*"
)
_MARKS = (".git/HEAD", "pyvenv.cfg")
_LARGEST = 1 << 20
_MOST = 500

Change = Literal["added", "changed", "removed"]


@frozen
class Flag:
    """A file that runs by itself and is not what it was. `path` is relative to the workspace."""

    path: str
    change: Change
    can_revert: bool = True


@frozen
class _State:
    """A file as it was: its content and mode, or where a link leads."""

    mode: int
    content: bytes | None


@frozen
class Changed:
    """What a block did to a file: was it there before, and where is what it held, if kept."""

    path: str
    is_new: bool = False
    before: Path | None = None


class AutorunGuard:
    """Keeps what the watched files were before a block, and puts them back."""

    def __init__(self, workspace: Path) -> None:
        self._root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._before: dict[str, _State] = {}

    def begin(self) -> None:
        """A block is about to run."""
        self._before = self._watched()

    def end(self, changes: Iterable[Changed] = ()) -> tuple[Flag, ...]:
        """The block has ended; `changes` are what it is known to have done, anywhere below."""
        after, known = self._watched(), list(changes)
        flags = [*self._compared(after)]
        new = tuple(self._new_places(known))
        for changed in known:
            path = changed.path
            if path in after or path in self._before or not is_autorun(path):
                continue
            if _is_in_git(path) or not path.startswith(new):
                flags += self._deeper(changed)
        return tuple(sorted(flags, key=lambda flag: flag.path))

    def _new_places(self, changes: list[Changed]) -> Iterator[str]:
        """Repositories and environments that the block made: nobody uses what is in them yet."""
        new = [change.path for change in changes if change.is_new]
        for path in new:
            mark = next((m for m in _MARKS if path.endswith(f"/{m}")), None)
            root = path.removesuffix(mark) if mark else ""
            made = {other[len(root) :].split("/")[0] for other in new if other.startswith(root)}
            if root and set(self._names(root)) <= made:
                yield root

    def _deeper(self, changed: Changed) -> Iterator[Flag]:
        """A flag for a file that was not looked at before the block."""
        now, old = self._state(changed.path), None
        if now is None:
            return
        if changed.before is not None and changed.before.stat().st_size <= _LARGEST:
            old = self._before[changed.path] = _State(now.mode, changed.before.read_bytes())
        if changed.is_new and _essence(changed.path, now) != _essence(changed.path, None):
            yield Flag(changed.path, "added")
        elif not changed.is_new and _essence(changed.path, now) != _essence(changed.path, old):
            yield Flag(changed.path, "changed", can_revert=old is not None)

    def revert(self, flags: Iterable[Flag]) -> tuple[str, ...]:
        """Put files back as they were before the block; the paths that could not be."""
        failed = []
        for flag in flags:
            try:
                if flag.can_revert:
                    self._put_back(flag)
                else:
                    failed.append(flag.path)
            except OSError:
                failed.append(flag.path)
        return tuple(failed)

    def close(self) -> None:
        """Let go of the workspace."""
        os.close(self._root)

    def _compared(self, after: dict[str, _State]) -> Iterator[Flag]:
        for path in {*self._before, *after}:
            old, new = self._before.get(path), after.get(path)
            if _essence(path, old) == _essence(path, new):
                continue
            change: Change = "added" if old is None else "removed" if new is None else "changed"
            known = old is None or old.content is not None
            if change != "removed":
                yield Flag(path, change, can_revert=known)

    def _watched(self) -> dict[str, _State]:
        found: dict[str, _State] = {}
        paths = list(_WATCHED)
        for directory in _WATCHED_DIRECTORIES:
            paths += [f"{directory}/{name}" for name in self._names(directory)]
        for path in (*paths, *(name for name in self._names(".") if name.endswith(".pth"))):
            state = self._state(path)
            if state is not None:
                found[path] = state
        return found

    def _names(self, directory: str) -> list[str]:
        with contextlib.suppress(OSError), _opened(self._root, directory) as fd:
            return sorted(os.listdir(fd))[:_MOST]  # noqa: PTH208 (it is a descriptor)
        return []

    def _state(self, path: str) -> _State | None:
        parent, _, name = path.rpartition("/")
        with contextlib.suppress(OSError), _opened(self._root, parent or ".") as fd:
            found = os.lstat(name, dir_fd=fd)
            if stat.S_ISLNK(found.st_mode):
                return _State(found.st_mode, os.fsencode(os.readlink(name, dir_fd=fd)))
            if stat.S_ISREG(found.st_mode):
                return _State(found.st_mode, _content(fd, name, found.st_size))
        return None

    def _put_back(self, flag: Flag) -> None:
        old = self._before.get(flag.path)
        parent, _, name = flag.path.rpartition("/")
        with _opened(self._root, parent or ".") as fd:
            if old is not None and old.content is None:
                raise OSError("too large to have been kept")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)
            if old is not None and old.content is not None:
                _write(fd, name, old.mode, old.content)


class _opened:
    """A directory below another, by a way that has no links in it."""

    def __init__(self, root: int, path: str) -> None:
        self._fd = os.dup(root)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        for part in path.split("/"):
            if part in ("", "."):
                continue
            try:
                below = os.open(part, flags, dir_fd=self._fd)
            finally:
                os.close(self._fd)
            self._fd = below

    def __enter__(self) -> int:
        return self._fd

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _content(directory: int, name: str, size: int) -> bytes | None:
    if size > _LARGEST:
        return None
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=directory), "rb") as file:
        content = file.read(_LARGEST + 1)
    return content if len(content) <= _LARGEST else None


def _write(directory: int, name: str, mode: int, content: bytes) -> None:
    if stat.S_ISLNK(mode):
        os.symlink(content, name, dir_fd=directory)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, stat.S_IMODE(mode), dir_fd=directory), "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), stat.S_IMODE(mode))


def _is_in_git(path: str) -> bool:
    return "/.git/" in f"/{path}"


def _essence(path: str, state: _State | None) -> object:
    """The part of a file that makes something run; of most files that is all of it."""
    if path.endswith(".sample") and "/.git/hooks/" in f"/{path}":
        return None
    if f"/{path}".endswith("/.git/config"):
        return _GIT_RUNS.findall(state.content or b"") if state is not None else []
    if path != "package.json":
        return state
    if state is None:
        return {}
    with contextlib.suppress(ValueError, AttributeError, RecursionError):
        return json.loads(state.content or b"").get("scripts", {})
    return state
