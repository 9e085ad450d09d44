"""The settings in a git configuration, read by git itself, which here runs nothing."""

from __future__ import annotations

import os
import subprocess

from interpreter.protocol.git.places import is_harmless
from interpreter.protocol.system.host_programs import system_program

LARGEST = 1 << 20
QUESTION = "settings of git:\n"
"""What the reason of a question begins with that goes on with lines of a git configuration."""
_PATIENCE = 20.0  # seconds
Setting = tuple[str, str]


class Unreadable(ValueError):
    """Git would not read it, or there is no git to ask."""


def settings_in(content: bytes) -> list[Setting]:
    """Names and values in the order of the file; a name without a value has an empty one."""
    if not content.strip():
        return []
    if len(content) > LARGEST:
        raise Unreadable
    nothing = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": os.devnull}
    command = [system_program("git"), "config", "--file", "-", "--no-includes", "--null", "--list"]
    try:
        done = subprocess.run(
            command,
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=nothing,
            cwd="/",
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unreadable from error
    lines = os.fsdecode(done.stdout).split("\0")[:-1]
    return [(key, value) for key, _, value in (line.partition("\n") for line in lines)]


def object_size(content: bytes) -> int:
    """How long the names of objects are, in bytes, where this is the configuration."""
    if b"objectformat" not in content.lower():
        return 20
    formats = [value for key, value in settings_in(content) if key == "extensions.objectformat"]
    return 32 if formats and formats[-1].lower() != "sha1" else 20


def questionable(before: bytes, after: bytes) -> list[str]:
    """What the user should see before `after` takes the place of `before`, as lines."""
    old, new = (
        [setting for setting in settings_in(content) if not is_harmless(*setting)]
        for content in (before, after)
    )
    if old == new:
        return []
    added = [f"{key} = {value}" for key, value in _without(new, old)]
    removed = [f"without {key} = {value}" for key, value in _without(old, new)]
    return [*added, *removed] or [f"{key} = {value}" for key, value in new]


def _without(settings: list[Setting], others: list[Setting]) -> list[Setting]:
    left = list(others)
    found = []
    for setting in settings:
        if setting in left:
            left.remove(setting)
        else:
            found.append(setting)
    return found
