"""Runtimes that are made when the first block runs; what they are called is known before."""

from __future__ import annotations

from collections.abc import Callable

from interpreter.protocol.ports import Runtime, Runtimes


class LateRuntimes:
    """Passes everything but the names on to the runtimes that `get` makes or has made."""

    def __init__(self, names: Callable[[], tuple[str, ...]], get: Callable[[], Runtimes]) -> None:
        self._names = names
        self._get = get

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names."""
        return self._get().get(language)

    def names(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._names()

    def close(self) -> None:
        """Close every runtime that was started."""
        self._get().close()
