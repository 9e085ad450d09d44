"""Directories that the user trusts: only there do a project's files instruct or start anything.

A directory that was trusted covers what is below it. The list is the user's, outside of every cell.
"""

from __future__ import annotations

import json
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import config_directory

LARGEST = 1_000_000


def is_trusted(directory: Path) -> bool:
    """Whether the user said so of this directory, or of one above it."""
    place = directory.resolve()
    known = set(trusted())
    return any(above in known for above in (place, *place.parents))


def trusted() -> tuple[Path, ...]:
    """The directories that were trusted, in their order."""
    file = _file()
    try:
        content = json.loads(safe_files.read_bytes(file, LARGEST))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"Cannot read {file}: {error}. Mend or remove it.") from error
    if not isinstance(content, list):
        raise ConfigurationError(f"{file} is not a list of directories. Mend or remove it.")
    return tuple(Path(one) for one in content if isinstance(one, str))


def trust(directory: Path) -> Path:
    """Remember that a directory is trusted; the directory as it is remembered."""
    place = directory.resolve()
    if not place.is_dir():
        raise ConfigurationError(f"{directory} is not a directory.")
    if place == Path(place.anchor):
        raise ConfigurationError("The whole disk cannot be trusted; name a directory.")
    _write([*(one for one in trusted() if one != place), place])
    return place


def distrust(directory: Path) -> bool:
    """Forget that a directory was trusted; whether it was."""
    place = directory.resolve()
    before = trusted()
    if place in before:
        _write([one for one in before if one != place])
    return place in before


def _write(directories: list[Path]) -> None:
    file = _file()
    try:
        safe_files.make_folder(file.parent)
        safe_files.write(file, json.dumps([str(one) for one in directories], indent=1) + "\n")
    except OSError as error:
        raise ConfigurationError(f"Cannot write {file}: {error}.") from error


def _file() -> Path:
    return config_directory() / "trusted.json"
