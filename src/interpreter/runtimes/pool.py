"""The runtimes of one session: one per language, by any of its names, started when needed."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from interpreter.protocol.errors import RuntimeFailure, UnknownLanguage
from interpreter.protocol.ports import Language, Launch, Runtime
from interpreter.runtimes.catalog import BUILT_IN, Factory, Which, is_present, load


@dataclass(frozen=True, slots=True)
class Registered:
    """A language added by the caller: its names, and what makes its runtime."""

    language: Language
    make: Factory


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """What the runtimes of a session are made with.

    `settings` hands a built-in language its own options (PythonOptions, ShellOptions, …) by name.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    registered: tuple[Registered, ...] = ()
    which: Which = shutil.which


DEFAULTS = PoolOptions()


class RuntimePool:
    """Makes, keeps and closes runtimes. Names are case-insensitive; aliases share one runtime."""

    def __init__(self, launch: Launch, exchange: Path, options: PoolOptions = DEFAULTS) -> None:
        self._launch = launch
        self._exchange = exchange
        self._options = options
        self._lock = threading.Lock()
        self._runtimes: dict[str, Runtime] = {}

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names; it starts with its first block."""
        name = self._canonical(language)
        with self._lock:
            if name not in self._runtimes:
                self._runtimes[name] = self._make(name)
            return self._runtimes[name]

    def names(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        own = [entry.language.name for entry in self._options.registered]
        built_in = [e.language.name for e in BUILT_IN if is_present(e, self._options.which)]
        return tuple(dict.fromkeys((*own, *built_in)))

    def warm(self, language: str) -> None:
        """Start a language in the background; what goes wrong shows when it is first used."""
        warm = getattr(self.get(language), "warm", None)
        if warm is not None:
            threading.Thread(target=_quietly, args=(warm,), name="warm", daemon=True).start()

    def close(self) -> None:
        """Close every runtime that was started."""
        with self._lock:
            runtimes, self._runtimes = self._runtimes, {}
        for runtime in runtimes.values():
            runtime.close()

    def _canonical(self, language: str) -> str:
        wanted = language.strip().lower()
        known = [e.language for e in self._options.registered]
        known += [e.language for e in BUILT_IN if is_present(e, self._options.which)]
        for one in known:
            if wanted == one.name or wanted in one.aliases:
                return one.name
        raise UnknownLanguage(
            f"There is no language {language!r} here; there are: {', '.join(self.names())}."
        )

    def _make(self, name: str) -> Runtime:
        for entry in self._options.registered:
            if entry.language.name == name:
                return entry.make(self._launch, self._exchange)
        entry_point = next(entry for entry in BUILT_IN if entry.language.name == name)
        factory = load(entry_point.make)
        options = self._options.settings.get(name)
        extra = () if options is None else (options,)
        runtime: Runtime = factory(self._launch, self._exchange, *extra)
        return runtime


def _quietly(warm: object) -> None:
    assert callable(warm)
    with contextlib.suppress(RuntimeFailure):  # the first block starts it again and reports
        warm()
