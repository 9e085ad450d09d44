"""The runtimes of one session: one per language, by any of its names, started when needed."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.protocol.errors import PluginError, RuntimeFailure, UnknownLanguage
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Forethoughtful, Language, Launch, Runtime
from interpreter.protocol.values import frozen
from interpreter.runtimes.catalog import BUILT_IN, TAKEN, BuiltIn, Factory, Which, is_present, load

PLUGINS = "interpreter.runtimes"

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@frozen
class Registered:
    """A language added by the caller: its names, and what makes its runtime."""

    language: Language
    make: Factory


@frozen
class PoolOptions:
    """What the runtimes of a session are made with.

    `settings` hands a built-in language its own options (PythonOptions, DrivenOptions, NodeOptions)
    by name; `registered` languages come before the built-in ones of the same name; kernels are
    looked for in `kernel_directories`.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    registered: tuple[Registered, ...] = ()
    kernel_directories: tuple[Path, ...] = ()
    which: Which = shutil.which


DEFAULTS = PoolOptions()


class RuntimePool:
    """Makes, keeps and closes runtimes. Names are case-insensitive; aliases share one runtime."""

    def __init__(self, launch: Launch, exchange: Path, options: PoolOptions = DEFAULTS) -> None:
        self._launch = launch
        self._exchange = exchange
        self._options = options
        self._which = cache(options.which)
        self._lock = threading.RLock()
        self._runtimes: dict[str, Runtime] = {}
        self._kernels = Lazy(self._find_kernels)

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names; it starts with its first block."""
        with self._lock:
            if language in self._runtimes:
                return self._runtimes[language]
        found, make = self._find(language)
        with self._lock:
            if found.name not in self._runtimes:
                self._runtimes[found.name] = make()
            return self._runtimes[found.name]

    def canonical(self, language: str) -> str:
        """The name proper of a language by any of its names; unknown ones stay as they are."""
        if language in self._runtimes:
            return language
        try:
            return self._find(language.strip().lower())[0].name
        except UnknownLanguage:
            return language

    def names(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return tuple(dict.fromkeys(language.name for language, _ in self._known()))

    def warm(self, language: str) -> None:
        """Start a language in the background; what goes wrong shows when it is first used."""
        warm = getattr(self.get(language), "warm", None)
        if warm is not None:
            threading.Thread(target=_quietly, args=(warm,), name="warm", daemon=True).start()

    def before_next(self, language: str, source: str) -> Path | None:
        """Run source before the next block of a language; the file in which it will have printed,
        or None where that language cannot do so."""
        runtime = self.get(language)
        return runtime.before_next(source) if isinstance(runtime, Forethoughtful) else None

    def close(self) -> None:
        """Close every runtime that was started."""
        with self._lock:
            runtimes, self._runtimes = self._runtimes, {}
        for runtime in runtimes.values():
            runtime.close()

    def _find(self, name: str) -> tuple[Language, Callable[[], Runtime]]:
        wanted = name.strip().lower()
        for language, make in self._known():
            if wanted == language.name or wanted in language.aliases:
                return language, make
        from importlib.metadata import entry_points  # noqa: PLC0415  (slow, and rarely needed)

        plugins = tuple(entry_points(group=PLUGINS, name=wanted))
        if plugins:
            return Language(wanted), lambda: self._plugged_in(plugins[0])
        raise UnknownLanguage(
            f"There is no language {name!r} here; there are: {', '.join(self.names())}."
        )

    def _known(self) -> Iterator[tuple[Language, Callable[[], Runtime]]]:
        for own in self._options.registered:
            yield own.language, lambda own=own: own.make(self._launch, self._exchange)  # type: ignore[misc]
        for entry in BUILT_IN:
            if is_present(entry, self._which):
                yield entry.language, lambda entry=entry: self._built_in(entry)  # type: ignore[misc]
        yield from self._kernels.get()

    def _find_kernels(self) -> list[tuple[Language, Callable[[], Runtime]]]:
        from interpreter.runtimes.kernel import kernelspecs  # noqa: PLC0415  (only where there are any)

        found = kernelspecs.kernel_languages(self._options.kernel_directories)
        return [
            (
                language,
                lambda language=language, command=command: kernelspecs.kernel(  # type: ignore[misc]
                    self._launch, self._exchange, language, command
                ),
            )
            for name, (language, command) in found.items()
            if name not in TAKEN
        ]

    def _built_in(self, entry: BuiltIn) -> Runtime:
        factory = load(entry.make)
        options = self._options.settings.get(entry.language.name)
        given: tuple[Any, ...] = (self._launch, self._exchange)
        if entry.over:
            given = (self.get(entry.over),)
        elif options is not None:
            given = (*given, options)
        runtime: Runtime = factory(*given)
        return runtime

    def _plugged_in(self, plugin: EntryPoint) -> Runtime:
        try:
            runtime: Runtime = plugin.load()(self._launch, self._exchange)
        except Exception as error:
            maker = plugin.dist.name if plugin.dist else plugin.value
            raise PluginError(
                f"The language {plugin.name!r} of the package {maker!r} is broken: {error!r}"
            ) from error
        return runtime


def _quietly(warm: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeFailure):  # the first block starts it again and reports
        warm()
