"""A profile applied to an interpreter that exists: every attribute can be set, every class used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.described_languages import DescribedLanguage, described
from interpreter.settings.profile_scripts import execute
from interpreter.settings.profiles import Confirm, nobody_confirms, read
from interpreter.settings.settings import Settings, changed

IGNORED = ("version", "wtf")


def apply_profile(interpreter: Any, name: str, confirm: Confirm = nobody_confirms) -> None:
    """Set what the profile says; one in Python runs with `interpreter` in scope."""
    profile = read(name, confirm)
    values = _at_home(interpreter, profile.values)
    if "languages" in values:
        entries = changed(Settings(), {"languages": values.pop("languages")}, source=profile.source)
        _use_languages(interpreter.computer, entries.languages)
    _set(interpreter, values, profile.source)
    if "system_message" in profile.values:
        interpreter.runs_templates = False
    if profile.script:
        execute(profile.script, profile.source, interpreter)


def _use_languages(computer: Any, languages: tuple[str | DescribedLanguage, ...]) -> None:
    """Those that are named alone, or all; those that are described in any case."""
    named = [one for one in languages if isinstance(one, str)]
    computer.languages = [*(named or computer.languages), *described(languages)]


def _at_home(interpreter: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with those of `llm` that are the interpreter's own, as its vision profile has."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        group, _, name = key.partition(".")
        if group == "llm" and name and not hasattr(interpreter.llm, name):
            flat[name] = value
        elif key == "llm" and isinstance(value, Mapping):
            flat |= _at_home(interpreter, {f"llm.{name}": one for name, one in value.items()})
        else:
            flat[key] = value
    return flat


def _set(target: Any, values: Mapping[str, Any], source: str) -> None:
    for key, value in values.items():
        group, _, rest = key.partition(".")
        if rest:
            _set(target, {group: {rest: value}}, source)
        elif key in IGNORED:
            continue
        elif not hasattr(target, key):
            raise ConfigurationError(f"{source}: there is no setting {key!r}.")
        elif isinstance(value, Mapping):
            _set(getattr(target, key), value, source)
        else:
            setattr(target, key, value)
