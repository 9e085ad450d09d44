"""Which parts of the disk a cell sees, as an ordered list of mounts."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from interpreter.protocol import safe_files
from interpreter.protocol.git.config import LARGEST, Unreadable, settings_in
from interpreter.protocol.git.places import (
    MARKS,
    is_git_name,
    is_index,
    may_make_directory,
    may_write,
)
from interpreter.protocol.system.self_running import HOME
from interpreter.protocol.values import frozen
from interpreter.sandboxes.confinement import SECRETS_IN_HOME, Confinement

Kind = Literal["read", "write", "mask"]

SYSTEM = ("/usr", "/opt", "/etc", "/nix", "/gnu", "/home/linuxbrew/.linuxbrew")
MERGED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
CACHES = ("/var/lib/dpkg", "/var/cache/fontconfig")
_NEVER_WRITTEN = ("hooks", "config")  # though git may make them where there are none
_NAMES_PLACES = re.compile(rb"hookspath|include", re.IGNORECASE)
_INCLUDES = re.compile(r"include\.path|includeif\..*\.path", re.DOTALL)
_BARE = MARKS - {"commondir"}
_MOST_DIRECTORIES = 20_000
_LONGEST_LINE = 4096
_LONGEST_CONFIG = 1 << 16
_WORKTREE = re.compile(r"""^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$""", re.MULTILINE)


@frozen
class Mount:
    """One place: shown read-only, shown writable, or hidden behind something empty."""

    kind: Kind
    path: Path


def system_mounts() -> Iterator[Mount]:
    """Programs and libraries."""
    for name in (*SYSTEM, *MERGED, *CACHES):
        path = Path(name)
        if path.is_dir() and not path.is_symlink():
            yield Mount("read", path)


def secrets_of_the_system(place: str = "/etc") -> Iterator[Mount]:
    """What not everybody may read; it matters when we run as root, who owns it."""
    waiting = [place]
    while waiting:
        with os.scandir(waiting.pop()) as entries:  # most are links, and have no mode of their own
            found = [entry for entry in entries if not entry.is_symlink()]
        for entry in found:
            is_directory = entry.is_dir(follow_symlinks=False)
            mode = entry.stat(follow_symlinks=False).st_mode
            if not mode & (stat.S_IXOTH if is_directory else stat.S_IROTH):
                yield Mount("mask", Path(entry.path))
            elif is_directory:
                waiting.append(entry.path)


def secrets_of_the_kernel(place: str = "/proc") -> Iterator[Mount]:
    """The same of what the kernel tells about itself; not of processes, which are the cell's."""
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name.isdecimal() or entry.is_symlink():
                continue
            if not entry.stat(follow_symlinks=False).st_mode & stat.S_IROTH:
                yield Mount("mask", Path(entry.path))


def secrets_of(home: Path, hidden: Iterable[Path]) -> Iterator[Mount]:
    """Keys, histories and browser data under a home that is shown, and what is ours."""
    for path in (*(home / name for name in SECRETS_IN_HOME), *hidden):
        if path.exists():
            yield Mount("mask", path.resolve())


def pinned(path: Path, inside: Path) -> Iterator[Mount]:
    """Mount the directories on the way, as a mount point cannot be renamed away."""
    for parent in reversed(path.relative_to(inside).parents[:-1]):
        yield Mount("write", inside / parent)


def git_mounts(workspace: Path) -> Iterator[Mount]:
    """`.git` as a mount of its own, and all that git need not write for its work read-only."""
    git = workspace / ".git"
    if git.is_symlink():
        git = git.resolve()
        if not git.is_dir() or not git.is_relative_to(workspace):
            return
        yield from pinned(git, workspace)
    if git.is_file():
        yield Mount("read", git)
        repository = repository_of_worktree(git) or repository_of_submodule(git)
        if repository is not None:
            yield Mount("read", repository)
        return
    if not git.is_dir():
        return
    yield Mount("write", git)
    for path in (*_sealed(git), *_sealed(git, "info")):
        yield from pinned(path, git)
        yield Mount("read", path)
    for path in _named_in_configuration(git, workspace):
        yield from pinned(path, workspace)
        yield Mount("read", path)


def granted_mounts(place: Path) -> Iterator[Mount]:
    """A place that may be written; the repositories in it read-only, as no journal guards them."""
    yield Mount("write", place)
    found: list[Mount] = []
    for git in git_directories(place):
        found += (*pinned(git, place), Mount("read", git))
        repository = git.is_file() and (repository_of_worktree(git) or repository_of_submodule(git))
        found += [Mount("read", repository)] if repository else []
    yield from dict.fromkeys(found)


def git_directories(place: Path) -> Iterator[Path]:
    """Git directories, and files that stand for one, below a place; links are not followed."""
    for number, (above, directories, files) in enumerate(os.walk(place)):
        if number >= _MOST_DIRECTORIES:
            return
        if {*directories, *files} >= _BARE:
            directories.clear()
            yield Path(above)
            continue
        yield from (Path(above, name) for name in (*directories, *files) if is_git_name(name))
        directories[:] = [name for name in directories if not is_git_name(name)]


def git_directory_around(place: Path) -> Path | None:
    """The git directory that a place is, or lies in."""
    for path in (place, *place.parents):
        if is_git_name(path.name) or all((path / mark).exists() for mark in _BARE):
            return path
    return None


def _sealed(git: Path, below: str = "") -> list[Path]:
    """What is in a git directory that code must not write."""
    directory = git / below
    if directory.is_symlink() or not directory.is_dir():
        return []
    found = []
    for path in sorted(directory.iterdir()):
        name = str(path.relative_to(git))
        may = may_make_directory(name) if path.is_dir() else is_index(name) or may_write(name)
        if not path.is_symlink() and (not may or name in _NEVER_WRITTEN):
            found.append(path)
    return found


def _named_in_configuration(git: Path, workspace: Path) -> list[Path]:
    """Hooks and further settings that the configuration names in the workspace itself."""
    try:
        content = safe_files.read_bytes(git / "config", LARGEST)
        if not _NAMES_PLACES.search(content):
            return []
        settings = settings_in(content)
    except (OSError, Unreadable):
        return []
    hooks = [workspace / value for key, value in settings if key == "core.hookspath"]
    included = [git / value for key, value in settings if _INCLUDES.fullmatch(key)]
    places = (path.resolve() for path in (*hooks, *included))
    return [p for p in places if p.exists() and workspace in p.parents and git not in p.parents]


def repository_of_worktree(git: Path) -> Path | None:
    """The repository that a `.git` file belongs to, if that knows of it, too.

    The file alone proves nothing: code that ran here may have written it, to be shown anything.
    """
    try:
        place = _git_directory(git)
        knows = _first_line(place / "gitdir")
        common = _first_line(place / "commondir")
        repository = Path(place, common).resolve(strict=True)
        if Path(place, knows).resolve() != git.resolve() or not place.is_dir():
            return None
    except (OSError, ValueError):
        return None
    return repository if (repository / "HEAD").is_file() and repository.name == ".git" else None


def repository_of_submodule(git: Path) -> Path | None:
    """The repository of a submodule, inside the one around it, if its configuration says so, too.

    That lies where code in the workspace cannot write, unlike the file.
    """
    try:
        place = _git_directory(git).resolve(strict=True)
        content = safe_files.read_start(place / "config", _LONGEST_CONFIG)
        found = _WORKTREE.search(content.decode("utf-8", "replace"))
        if found is None or Path(place, found[1]).resolve() != git.parent.resolve():
            return None
    except (OSError, ValueError):
        return None
    is_repository = (place / "HEAD").is_file() and (place / "objects").is_dir()
    return place if is_repository and "modules" in place.parts else None


def _git_directory(git: Path) -> Path:
    """Where a `.git` file points to."""
    return Path(git.parent, _first_line(git).removeprefix("gitdir:").strip())


def _first_line(file: Path) -> str:
    real = file.parent.resolve() / file.name
    return safe_files.read_start(real, _LONGEST_LINE).decode("utf-8", "replace").strip()


def workspace_mounts(workspace: Path, confinement: Confinement) -> Iterator[Mount]:
    """The workspace, with the interpreters that live in it protected from it."""
    if confinement.level == "read-only":
        yield Mount("read", workspace)
        return
    yield Mount("write", workspace)
    yield from git_mounts(workspace)
    for place in confinement.programs:
        if place.is_relative_to(workspace) and place != workspace:
            yield from pinned(place, workspace)
            yield Mount("read", place)


def home_mounts(home: Path) -> Iterator[Mount]:
    """What runs by itself at the next login, read-only in a workspace that is the home."""
    for name in HOME:
        path = home / name.rstrip("/")
        if path.exists() and not path.is_symlink():
            yield from pinned(path, home)
            yield Mount("read", path)


def mounts(
    workspace: Path, home: Path, confinement: Confinement, *, as_root: bool = False
) -> list[Mount]:
    """All that a cell sees besides /dev, /proc and its own /tmp; later ones cover earlier ones."""
    view = list(system_mounts())
    if as_root:
        view += (*secrets_of_the_system(), *secrets_of_the_kernel())
    if confinement.level == "trusted":
        view.append(Mount("read", home))
    programs = (path.resolve() for path in confinement.programs if path.is_dir())
    # Of a program in ~/bin, the place that it lives in would be the home.
    view += (Mount("read", path) for path in programs if not home.is_relative_to(path))
    view += (Mount("read", path) for path in confinement.read)
    for path in confinement.write:
        view += granted_mounts(path)
    inside = [*workspace_mounts(workspace, confinement)]
    if workspace == home and confinement.level != "read-only":
        inside += home_mounts(home)
    masks = [m for m in secrets_of(home, confinement.hidden) if _is_shown(m.path, view + inside)]
    for mask in masks if confinement.level != "read-only" else ():
        if mask.path.is_relative_to(workspace):
            inside += pinned(mask.path, workspace)
    # A place in the workspace that is mounted twice would uncover what is mounted below it.
    return [*view, *dict.fromkeys(inside), *masks]


def protected(view: Iterable[Mount], workspace: Path) -> tuple[Path, ...]:
    """The places of a workspace that are read-only or hidden."""
    closed = (mount.path for mount in view if mount.kind != "write")
    return tuple(dict.fromkeys(path for path in closed if path.is_relative_to(workspace)))


def _is_shown(path: Path, view: list[Mount]) -> bool:
    """Whether a mount that is neither a mask nor the system's brings this path into the cell."""
    return any(m.kind != "mask" and path.is_relative_to(m.path) for m in view)
