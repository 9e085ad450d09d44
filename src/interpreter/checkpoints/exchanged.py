"""Files in the exchange directory, where the cell can write too: nothing there is believed.

A block could put a link or a pipe where we are about to write or to read: without care we would
write into a file of the user's, hand one out, or wait for ever.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO


def put(path: Path, text: str) -> None:
    """Make a file with this text under its name at once; whatever was there is gone."""
    draft = path.with_name(f"{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        draft.unlink()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(draft, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def opened(path: Path) -> BinaryIO:
    """A file that is really there, for reading; FileNotFoundError for anything else."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.fdopen(os.open(path, flags), "rb")
    except OSError as error:
        raise FileNotFoundError(error.errno, "no file of ours", str(path)) from error
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise FileNotFoundError(f"{path} is no file of ours")


def is_file(path: Path) -> bool:
    """Whether a file is there, and no link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def remove(path: Path) -> None:
    """Let nothing be there, unless it is a directory, which was never ours."""
    with contextlib.suppress(FileNotFoundError, IsADirectoryError, PermissionError):
        path.unlink()
