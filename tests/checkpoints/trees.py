"""A directory as a value: what must be the same after an undo."""

import os
import stat
from pathlib import Path


def read_tree(root: Path):
    """Kind, mode, content, links and times of everything below a directory."""
    found, inodes = {}, {}
    for directory, directories, files in os.walk(root):
        for name in (*directories, *files):
            path = Path(directory) / name
            status = path.lstat()
            key = str(path.relative_to(root))
            first = inodes.setdefault((status.st_dev, status.st_ino), key)
            content = _content(path, status)
            found[key] = (stat.filemode(status.st_mode), content, first, status.st_mtime_ns)
    return found


def _content(path: Path, status: os.stat_result):
    if stat.S_ISLNK(status.st_mode):
        return str(path.readlink())
    if stat.S_ISREG(status.st_mode):
        return path.read_bytes()
    return None
