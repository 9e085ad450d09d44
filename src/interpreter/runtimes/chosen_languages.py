"""Some of the languages: those that the settings name."""

from __future__ import annotations

from interpreter.protocol.errors import UnknownLanguage
from interpreter.protocol.ports import Runtime, Runtimes
from interpreter.runtimes.catalog import BUILT_IN


class OnlyThese:
    """Runtimes of which only some may be used."""

    def __init__(self, inner: Runtimes, wanted: tuple[str, ...]) -> None:
        self._inner = inner
        self._wanted = {_usual_name(name) for name in wanted}

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names."""
        if _usual_name(language) not in self._wanted:
            known = ", ".join(self.names())
            raise UnknownLanguage(f"{language!r} is not among the chosen languages: {known}.")
        return self._inner.get(language)

    def names(self) -> tuple[str, ...]:
        """The languages that are chosen and can be run here."""
        return tuple(name for name in self._inner.names() if _usual_name(name) in self._wanted)

    def close(self) -> None:
        """Close every runtime that was started."""
        self._inner.close()


def _usual_name(name: str) -> str:
    wanted = name.strip().lower()
    for entry in BUILT_IN:
        if wanted in (entry.language.name, *entry.language.aliases):
            return entry.language.name
    return wanted
