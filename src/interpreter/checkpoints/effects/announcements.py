"""Files that a block names and that are too large to keep, found before it runs."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

_WORDS = re.compile(r"[^\s'\"`(){}\[\],;<>|&=]{1,255}")
_MOST = 500


def too_large_to_keep(source: str, workspace: Path, largest: int) -> Iterator[tuple[str, int]]:
    """Path and size of large files of the workspace that are named in the source."""
    words = {match.group() for match, _ in zip(_WORDS.finditer(source), range(_MOST), strict=False)}
    for word in sorted(words):
        path = workspace / word
        try:
            status = path.lstat()
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(status.st_mode) and status.st_size > largest:
            yield word, status.st_size


def sentence(path: str, size: int) -> str:
    """What is said about such a file."""
    return f"{path}, {readable(size)}, cannot be undone if it is changed in place."


def readable(size: float) -> str:
    """A number of bytes."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.0f} TB"
