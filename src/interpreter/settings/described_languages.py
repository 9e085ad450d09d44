"""A language that a profile describes: names, a command, and whether it runs files or is a REPL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen


@frozen
class DescribedLanguage:
    """An entry of a profile. With a `sentinel` or a `prompt` it is a REPL, else it runs files."""

    name: str
    command: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    suffix: str = ""
    sentinel: str = ""
    prompt: str = ""
    env: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Its name, as settings are listed."""
        return self.name


def described_language(entry: Mapping[str, Any]) -> DescribedLanguage:
    """A profile's entry, checked; ConfigurationError says what is wrong with it."""
    unknown = set(entry) - {"name", "command", "aliases", "suffix", "sentinel", "prompt", "env"}
    if unknown:
        raise ConfigurationError(f"A language has no setting {sorted(map(str, unknown))[0]!r}.")
    name, command = entry.get("name"), _words(entry.get("command"))
    if not isinstance(name, str) or not name or not command:
        raise ConfigurationError("A language needs a name and a command.")
    sentinel = str(entry.get("sentinel", ""))
    if sentinel and "{token}" not in sentinel:
        raise ConfigurationError(f"The sentinel of {name!r} must print {{token}}.")
    env = entry.get("env", {})
    if not isinstance(env, Mapping):
        raise ConfigurationError(f"The env of {name!r} must be a mapping of names to values.")
    return DescribedLanguage(
        name.lower(),
        command,
        tuple(alias.lower() for alias in _words(entry.get("aliases", ()))),
        str(entry.get("suffix", "")),
        sentinel,
        str(entry.get("prompt", "")),
        {str(key): str(value) for key, value in env.items()},
    )


def described(languages: Iterable[str | DescribedLanguage]) -> tuple[DescribedLanguage, ...]:
    """Those of a setting that are more than a name."""
    return tuple(one for one in languages if isinstance(one, DescribedLanguage))


def chosen_names(languages: Iterable[str | DescribedLanguage]) -> tuple[str, ...]:
    """The names that alone may be used; empty: all. Describing a language chooses nothing else."""
    languages = tuple(languages)
    named = [one for one in languages if isinstance(one, str)]
    more = [name for one in described(languages) for name in (one.name, *one.aliases)]
    return (*named, *more) if named else ()


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(str(word) for word in value) if isinstance(value, list | tuple) else ()
