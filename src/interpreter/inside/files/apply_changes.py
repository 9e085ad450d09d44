"""Brings what was tried in a copy of the workspace into the workspace: run in the cell, as a block.

Its argument is a directory with a list, `changes.json`, and the files that came, by number.
"""

import json
import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    """Carry the list out, in the working directory."""
    staged = Path(sys.argv[1])
    for kind, name, mode in json.loads((staged / "changes.json").read_text()):
        path = Path(name)
        if kind == "remove":
            remove(path)
        elif kind == "mkdir":
            make_directory(path, mode)
        else:
            replace(staged / kind, path)


def remove(path: Path) -> None:
    """Take a name away; a directory only when nothing is left in it."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    elif not any(path.iterdir()):
        path.rmdir()


def make_directory(path: Path, mode: int) -> None:
    """Make a directory, or give it its mode."""
    if path.is_symlink() or not path.is_dir():
        remove(path)
        path.mkdir()
    path.chmod(mode)


def replace(source: Path, path: Path) -> None:
    """Put a file in the place of whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    # In a repository only files by the names of git's own may be written.
    unfinished = path.with_name(f"{path.name}.{'lock' if '.git' in path.parts else 'kept'}")
    unfinished.unlink(missing_ok=True)
    if source.is_symlink() or source.is_file():
        shutil.copy2(source, unfinished, follow_symlinks=False)
    else:
        os.mkfifo(unfinished)
    unfinished.replace(path)


if __name__ == "__main__":
    main()
