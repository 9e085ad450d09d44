"""The directories that sessions work in: below a user's root, and never through a link."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen
from interpreter.server.errors import Refused
from interpreter.settings.settings import Settings

MOVED = "The workspace has become a link to elsewhere."


@frozen
class FixedSettings(Settings):
    """Settings whose workspace was chosen once and for all, by a path without links.

    Code of another session above it may put a link in its place at any moment, and the walls would
    be built around what that leads to.
    """

    def directory(self) -> Path:
        """The workspace, which is where it was."""
        place = Path(self.workspace)
        if place.resolve() != place:
            raise ConfigurationError(MOVED)
        return place


def fixed(settings: Settings) -> FixedSettings:
    """The same, for a workspace that is chosen once."""
    return FixedSettings(**{one.name: getattr(settings, one.name) for one in fields(settings)})


def unmoved(directory: str) -> str:
    """A workspace that is still where it was."""
    if Path(directory).resolve() != Path(directory):
        raise Refused(403, "forbidden", MOVED)
    return directory


def below(root: Path, workspace: str) -> Path:
    """A directory below the root of a user, where links lead nowhere else."""
    directory = (root / workspace).resolve() if "\0" not in workspace else Path("/")
    if not directory.is_relative_to(root.resolve()):
        raise Refused(403, "forbidden", "A workspace must be below your own directory.")
    if directory.exists() and not directory.is_dir():
        raise Refused(409, "conflict", "There is a file of that name.")
    return directory
