"""Pipes and sockets among the files of a cell: whoever can write no file still reaches programs of
the user by them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable

MOST = 300_000  # files and directories: half a second


def ways_out(places: Iterable[Path]) -> tuple[Path, ...]:
    """All that is no file, directory or link, and directories that nobody can look into;
    SandboxUnavailable where there is too much to see."""
    found, waiting, seen = [], [str(place) for place in places], 0
    while waiting:
        directory = waiting.pop()
        try:
            with os.scandir(directory) as entries:
                inside = list(entries)
        except OSError:  # it is closed to us, or one file that was granted
            found += [] if Path(directory).is_file() else [Path(directory)]
            continue
        waiting += [one.path for one in inside if one.is_dir(follow_symlinks=False)]
        found += [Path(one.path) for one in inside if _is_special(one)]
        seen += len(inside)
        if seen > MOST:
            raise SandboxUnavailable("There are too many files to look for sockets among them.")
    return tuple(found)


def _is_special(entry: os.DirEntry[str]) -> bool:
    is_plain = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
    return not is_plain and not entry.is_symlink()
