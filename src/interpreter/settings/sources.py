"""Where each setting comes from: default, file, profile, environment, flag; the later ones win."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_type_hints

from interpreter.protocol.errors import ConfigurationError, why_unreadable
from interpreter.protocol.values import frozen
from interpreter.settings.own import ProfileParts
from interpreter.settings.paths import config_directory
from interpreter.settings.profiles import Confirm, nobody_confirms, with_profile
from interpreter.settings.settings import Settings, changed, key_lines

Source = Literal["default", "file", "profile", "environment", "flag"]
PREFIX = "INTERPRETER_"
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
SECRET = frozenset({"api_key"})
TYPES = get_type_hints(Settings)
NAMES = tuple(field.name for field in fields(Settings))


@frozen
class Sourced:
    """Settings, and for each one who said so."""

    settings: Settings
    sources: Mapping[str, Source]


def settings_file() -> Path:
    """The file that `interpreter config set` writes."""
    return config_directory() / "settings.yaml"


def gather(
    flags: Mapping[str, Any],
    *,
    profile: str = "",
    confirm: Confirm = nobody_confirms,
    own: ProfileParts | None = None,
) -> Sourced:
    """The settings of one start of the program; a profile from elsewhere must be confirmed."""
    sources: dict[str, Source] = dict.fromkeys(NAMES, "default")
    settings = Settings()
    file = settings_file()
    if values := read_file(file):
        lines = key_lines(file.read_text(encoding="utf-8"))
        settings = changed(settings, values, source=str(file), lines=lines)
        sources.update(dict.fromkeys(values, "file"))
    before, settings = settings, with_profile(settings, profile, confirm, own)
    for name in NAMES:
        if getattr(before, name) != getattr(settings, name):
            sources[name] = "profile"
    settings = _with(settings, from_environment(os.environ), sources, "environment", "environment")
    settings = _with(settings, flags, sources, "flag", "command line")
    return Sourced(settings, sources)


def _with(
    settings: Settings,
    values: Mapping[str, Any],
    sources: dict[str, Source],
    source: Source,
    named: str,
) -> Settings:
    settings = changed(settings, values, source=named)
    sources.update(dict.fromkeys(values, source))
    return settings


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The settings that variables such as INTERPRETER_MODEL give.

    A key is none of them: INTERPRETER_API_KEY is what our own server asks for, and no provider's.
    """
    return {
        name: parse(name, environment[PREFIX + name.upper()], PREFIX + name.upper())
        for name in NAMES
        if name not in SECRET and environment.get(PREFIX + name.upper())
    }


def parse(name: str, text: str, source: str = "config") -> Any:
    """A setting from text; ConfigurationError when it is not of its type."""
    if name not in TYPES:
        raise ConfigurationError(f"{source}: there is no setting {name!r}.")
    kinds = get_args(TYPES[name]) if isinstance(TYPES[name], UnionType) else (TYPES[name],)
    for kind in kinds:
        value = _as(kind, text)
        if value is not None:
            return value
    if type(None) in kinds and text.lower() in ("", "none", "auto"):
        return None
    named = [getattr(kind, "__name__", str(kind)) for kind in kinds if kind is not type(None)]
    wanted = " or ".join(named)
    raise ConfigurationError(f"{source}: {name!r} must be of type {wanted}, not {text!r}.")


def _as(kind: Any, text: str) -> Any:
    if kind is bool:
        return True if text.lower() in TRUE else False if text.lower() in FALSE else None
    if kind is str:
        return text
    if kind not in (int, float):
        return (
            tuple(filter(None, map(str.strip, text.split(",")))) if "tuple" in str(kind) else None
        )
    try:
        return kind(text)
    except ValueError:
        return None


def read_file(path: Path) -> dict[str, Any]:
    """What the settings file says; nothing where there is none."""
    if not path.exists():
        return {}
    import yaml  # noqa: PLC0415  (most people have no such file)

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = why_unreadable(error)
        raise ConfigurationError(f"Cannot read the settings {path}: {reason}.") from error
    if not isinstance(content, dict):
        raise ConfigurationError(f"The settings {path} are not a mapping.")
    return {str(name): tuple(v) if isinstance(v, list) else v for name, v in content.items()}


def write_setting(name: str, value: Any | None) -> Path:
    """Keep a setting in the file; with None it is forgotten."""
    import yaml  # noqa: PLC0415

    path = settings_file()
    values = read_file(path)
    if value is None:
        values.pop(name, None)
    else:
        changed(Settings(), {name: value}, source="config")
        values[name] = list(value) if isinstance(value, tuple) else value
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        draft.write_text(yaml.safe_dump(values, sort_keys=True), encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise ConfigurationError(f"Cannot write the settings {path}: {error}.") from error
    return path
