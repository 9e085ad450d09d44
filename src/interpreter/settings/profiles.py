"""Profiles: settings in a YAML file, by name or path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import profile_directory
from interpreter.settings.settings import Settings, changed

DEFAULT = "default"
IGNORED = {"version"}  # accepted, since the profiles of Open Interpreter have it


def with_profile(settings: Settings, name: str = "") -> Settings:
    """Settings with a profile laid over them; without a name, the default one where it exists."""
    path = _find(name or DEFAULT)
    if not name and not path.exists():
        return settings
    values = dict(_flat(_read(path)))
    return changed(settings, values, source=f"profile {path}")


def _find(name: str) -> Path:
    if "/" in name or name.endswith((".yaml", ".yml")):
        return Path(name).expanduser()
    return profile_directory() / f"{name}.yaml"


def _read(path: Path) -> Mapping[str, Any]:
    import yaml  # noqa: PLC0415  (slow to import, and most sessions have no profile)

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(f"Cannot read the profile {path}: {reason}.") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigurationError(f"The profile {path} is not a mapping of settings.")
    return content


def _flat(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The settings of a profile; those of the model may stand under `llm`."""
    for key, value in content.items():
        name = str(key).removeprefix("llm.")
        if name == "llm" and isinstance(value, dict):
            yield from _flat(value)
        elif name not in IGNORED:
            yield name, value
