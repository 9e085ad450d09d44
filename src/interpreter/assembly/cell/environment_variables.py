"""The variables that code finds: what the settings give it, and what this program has set."""

from __future__ import annotations

import os
import re
from pathlib import Path

from interpreter.policies.secrets import is_secret_variable
from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.settings import Settings

LONGEST = 4096
_PLAIN = re.compile(r"[A-Za-z]\w*")
_NOT_OURS = re.compile(r"(?:LD|DYLD|PYTHON|NODE|BASH|SHELL|XDG|PIP|NPM|GIT|INTERPRETER|REPLOOP)\w*")


def given_variables(settings: Settings) -> dict[str, str]:
    """The variables of `env`; a name alone stands for the variable that we have."""
    named: dict[str, str | None] = {}
    for name, sign, value in (entry.partition("=") for entry in settings.env):
        if not _PLAIN.fullmatch(name):
            raise ConfigurationError(f"env: {name!r} is no name of a variable.")
        named[name] = value if sign else os.environ.get(name)
    return {**set_by_program(), **{k: v for k, v in named.items() if v is not None}}


def set_by_program() -> dict[str, str]:
    """What this program has put into its environment since it began, if it is no secret."""
    try:
        found = Path("/proc/self/environ").read_bytes()
    except OSError:  # only Linux tells how a program was started
        return {}
    entries = (entry.partition("=") for entry in os.fsdecode(found).split("\0"))
    before = {name: value for name, _, value in entries}
    return {
        name: value
        for name, value in os.environ.items()
        if before.get(name) != value and _may_be_seen(name, value)
    }


def _may_be_seen(name: str, value: str) -> bool:
    plain = _PLAIN.fullmatch(name) and not _NOT_OURS.fullmatch(name.upper())
    return bool(plain) and len(value) <= LONGEST and not is_secret_variable(name, value)
