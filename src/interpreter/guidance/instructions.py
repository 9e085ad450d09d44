"""Instructions for the model that stand in files: the user's own, and those of a project.

A project's are `AGENTS.md` (or `CLAUDE.md` where that is all there is), from the root of the
repository down to the working directory: what stands nearer comes later. Those of directories below
are told when something there is first touched.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path, PurePosixPath

from interpreter.protocol import safe_files
from interpreter.protocol.values import frozen

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")
MOST_BYTES = 32_768  # of the whole chain
MOST_LEVELS = 40


@frozen
class Instructions:
    """One file that instructs."""

    path: Path
    text: str
    cut: int = 0
    """How many bytes of it were left out."""


def root_of(directory: Path) -> Path:
    """The repository that a directory belongs to; itself where there is none.

    Directories of somebody else's, and those where everybody can write, are not looked into.
    """
    place = directory.resolve()
    above = takewhile(lambda one: _is_like(one, place), (place, *place.parents[:MOST_LEVELS]))
    return next((one for one in above if (one / ".git").exists()), place)


def _is_like(above: Path, place: Path) -> bool:
    """Whether nobody can put a file above a place who could not put it there."""
    try:
        status, own = above.stat(), place.stat()
    except OSError:
        return False
    open_to_all = status.st_mode & stat.S_IWOTH
    return above == place or (status.st_uid == own.st_uid and not open_to_all)


def chain(directory: Path) -> tuple[Instructions, ...]:
    """What instructs in a directory, from its repository's root down to it."""
    place, root = directory.resolve(), root_of(directory)
    down = [one for one in (place, *place.parents) if one == root or root in one.parents]
    return _within_limits(file for one in reversed(down) if (file := file_in(one)) is not None)


def file_in(directory: Path) -> Path | None:
    """The file that instructs in this very directory."""
    files = (directory / name for name in NAMES)
    return next((file for file in files if safe_files.is_file(file)), None)


def read(file: Path) -> tuple[Instructions, ...]:
    """What one file says, if it is there."""
    return _within_limits([file] if safe_files.is_file(file) else [])


def nested(
    workspace: Path, touched: Iterable[str], known: frozenset[Path]
) -> tuple[Instructions, ...]:
    """What instructs below the workspace, where these paths are, and was not told yet."""
    found: dict[Path, None] = {}
    for path in touched:
        parts = PurePosixPath(path).parts
        if ".." in parts or PurePosixPath(path).is_absolute():
            continue
        for depth in range(1, min(len(parts), MOST_LEVELS)):
            file = file_in(workspace.joinpath(*parts[:depth]))
            if file is not None and file not in known:
                found[file] = None
    return _within_limits(found)


def shown(instructions: Iterable[Instructions], directory: Path) -> str:
    """The instructions as the model reads them, each under the name of its file."""
    return "\n\n".join(_shown(one, directory.resolve()) for one in instructions)


def _shown(one: Instructions, directory: Path) -> str:
    name = one.path.relative_to(directory) if directory in one.path.parents else one.path
    cut = f"\n[{one.cut:,} bytes more are in the file]" if one.cut else ""
    return f"Instructions from {name}:\n{one.text.strip()}{cut}"


def _within_limits(files: Iterable[Path]) -> tuple[Instructions, ...]:
    """The files' texts: the nearest count most, so that the farthest are cut first."""
    left = MOST_BYTES
    found: list[Instructions] = []
    for file in reversed(tuple(files)):
        try:
            start = safe_files.read_start(file, left)
            size = file.stat().st_size
        except OSError:
            continue
        left -= len(start)
        text = start.decode("utf-8", "ignore")
        found.append(Instructions(file, text, max(0, size - len(start))))
    return tuple(reversed(found))
