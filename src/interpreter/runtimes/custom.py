"""A language by configuration: names, a command, and whether it runs files or is a REPL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.ports import Language, Launch, Runtime
from interpreter.protocol.values import frozen
from interpreter.runtimes.one_shot import OneShot, Program
from interpreter.runtimes.pool import Registered
from interpreter.runtimes.process_repl import ProcessRepl, Repl


@frozen
class CustomLanguage:
    """An entry of a profile. With a `sentinel` or a `prompt` it is a REPL, else it runs files."""

    name: str
    command: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    suffix: str = ""
    sentinel: str = ""
    prompt: str = ""
    env: Mapping[str, str] = field(default_factory=dict)

    def registered(self) -> Registered:
        """What a pool takes."""
        language = Language(
            self.name.lower(), tuple(alias.lower() for alias in self.aliases), self.suffix
        )
        return Registered(language, lambda launch, exchange: self._make(language, launch, exchange))

    def _make(self, language: Language, launch: Launch, exchange: Path) -> Runtime:
        if self.sentinel or self.prompt:
            repl = Repl(self.command, self.sentinel, self.prompt, self.env)
            return ProcessRepl(launch, exchange, language, repl)
        return OneShot(launch, exchange, language, Program(self.command, self.env))


def custom_language(entry: Mapping[str, Any]) -> CustomLanguage:
    """A profile's entry, checked; ConfigurationError says what is wrong with it."""
    unknown = set(entry) - {"name", "command", "aliases", "suffix", "sentinel", "prompt", "env"}
    if unknown:
        raise ConfigurationError(f"A language has no setting {sorted(unknown)[0]!r}.")
    name, command = entry.get("name"), _words(entry.get("command"))
    if not isinstance(name, str) or not name or not command:
        raise ConfigurationError("A language needs a name and a command.")
    sentinel = str(entry.get("sentinel", ""))
    if sentinel and "{token}" not in sentinel:
        raise ConfigurationError(f"The sentinel of {name!r} must print {{token}}.")
    return CustomLanguage(
        name,
        command,
        _words(entry.get("aliases", ())),
        str(entry.get("suffix", "")),
        sentinel,
        str(entry.get("prompt", "")),
        {str(key): str(value) for key, value in dict(entry.get("env", {})).items()},
    )


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(str(word) for word in value) if isinstance(value, list | tuple) else ()
