"""Directories that the user trusts: only there do a project's files instruct or start anything.

A directory that was trusted covers what is below it. The list is the user's, outside of every cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
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


def was_declined(directory: Path) -> bool:
    """Whether the user was asked about this directory and said no."""
    return directory.resolve() in _read()[1]


def trusted() -> tuple[Path, ...]:
    """The directories that were trusted, in their order."""
    return _read()[0]


def trust(directory: Path) -> Path:
    """Remember that a directory is trusted; the directory as it is remembered."""
    place = directory.resolve()
    if not place.is_dir():
        raise ConfigurationError(f"{directory} is not a directory.")
    if place == Path(place.anchor):
        raise ConfigurationError("The whole disk cannot be trusted; name a directory.")
    yes, no = _read()
    _write((*(one for one in yes if one != place), place), [one for one in no if one != place])
    return place


def decline(directory: Path) -> None:
    """Remember that the user was asked, and does not trust this directory."""
    yes, no = _read()
    _write(yes, (*no, directory.resolve()))


def distrust(directory: Path) -> bool:
    """Forget that a directory was trusted; whether it was."""
    place = directory.resolve()
    yes, no = _read()
    if place in yes:
        _write([one for one in yes if one != place], no)
    return place in yes


def _read() -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    file = _file()
    try:
        content = json.loads(safe_files.read_bytes(file, LARGEST))
        lists = content["trusted"], content["declined"]
        yes, no = (tuple(map(Path, one)) for one in lists)
    except FileNotFoundError:
        return (), ()
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigurationError(f"Cannot read {file}: {error!r}. Mend or remove it.") from error
    return yes, no


def _write(yes: Iterable[Path], no: Iterable[Path]) -> None:
    file = _file()
    content = {"trusted": [str(one) for one in yes], "declined": [str(one) for one in no]}
    try:
        safe_files.make_folder(file.parent)
        safe_files.write(file, json.dumps(content, indent=1) + "\n")
    except OSError as error:
        raise ConfigurationError(f"Cannot write {file}: {error}.") from error


def _file() -> Path:
    return config_directory() / "trusted.json"
