"""All settings in one frozen value, and how a profile, the environment and flags make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from interpreter.protocol.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Settings:
    """What a session is built from. Nothing inside writes it back."""

    model: str = ""
    """The model by name; empty: the best that can be reached."""
    api_base: str = ""
    api_key: str = ""
    api_version: str = ""
    context_window: int = 0
    max_tokens: int = 0
    temperature: float = 0.0
    auto_run: bool = False
    """Run without asking."""
    system_message: str = ""
    custom_instructions: str = ""
    max_steps: int = 100
    keep_history: bool = True
    """Keep the session in the database."""
    workspace: str = ""
    """The directory code works in; empty: the current one."""

    sandbox: str = "workspace"
    """How code is confined: read-only, workspace, trusted, off."""

    def directory(self) -> Path:
        """The workspace as a path."""
        return Path(self.workspace).expanduser().resolve() if self.workspace else Path.cwd()


_TYPES = get_type_hints(Settings)
_NAMES = {field.name for field in fields(Settings)}


def changed(settings: Settings, values: Mapping[str, Any], *, source: str) -> Settings:
    """Settings with some values replaced, each checked; `source` names them in an error."""
    for name, value in values.items():
        if name not in _NAMES:
            raise ConfigurationError(f"{source}: there is no setting {name!r}.")
        if not _fits(value, _TYPES[name]):
            kind = _TYPES[name].__name__
            raise ConfigurationError(f"{source}: {name!r} must be of type {kind}, not {value!r}.")
    return replace(settings, **values)


def _fits(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
