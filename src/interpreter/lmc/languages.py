"""Languages as programs see them: built-in ones to choose from, and classes of one's own."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from interpreter.lmc.chunks import events_of
from interpreter.protocol.errors import UnknownLanguage
from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Runtime, Runtimes, nobody_answers
from interpreter.runtimes.catalog import BUILT_IN, is_present
from interpreter.settings.described_languages import DescribedLanguage


class BaseLanguage:
    """What a language of one's own derives from, or looks like."""

    name = "base"
    file_extension = "sh"
    aliases: Sequence[str] = ()

    def run(self, code: str) -> Iterator[dict[str, Any]]:
        """Run code; yields chunks such as {"type": "console", "format": "output", "content": …}."""
        raise NotImplementedError(f"{type(self).__name__}.run(code) is missing.")

    def stop(self) -> None:
        """Stop the code that is running."""

    def terminate(self) -> None:
        """End the process, if there is one."""


@dataclass(frozen=True)
class BuiltInLanguage:
    """A language that comes with the interpreter."""

    name: str
    aliases: tuple[str, ...] = ()
    file_extension: str = ""


class CustomRuntime:
    """Runs a language of the user's own behind our port."""

    def __init__(self, kind: type[Any] | Any, computer: object) -> None:
        self.language = language_of(kind)
        self._kind = kind
        self._computer = computer
        self._instance: Any = None

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Run a block; an exception of the language is news for the model."""
        try:
            for chunk in self._made().run(source):
                yield from events_of(chunk)
        except GeneratorExit:
            self.interrupt()
            raise
        except Exception as error:  # noqa: BLE001  (anything the user's class raises is its output)
            yield OutputDelta(traceback.format_exc(), "stderr")
            yield ExecutionFinished("failed", f"{type(error).__name__}: {error}")
            return
        yield ExecutionFinished("ok")

    def interrupt(self) -> None:
        """Stop the running block."""
        self._call("stop")

    def restart(self) -> None:
        """End it; the next block makes a new one."""
        self.close()

    def close(self) -> None:
        """End it."""
        self._call("terminate")
        self._instance = None

    def _made(self) -> Any:
        if self._instance is None:
            wants_computer = bool(inspect.signature(self._kind).parameters)
            self._instance = self._kind(self._computer) if wants_computer else self._kind()
        return self._instance

    def _call(self, method: str) -> None:
        action = getattr(self._instance, method, None)
        if action is not None:
            action()


class OwnLanguages:
    """A list of languages that a program changes in any way; its own keep their state in it."""

    def __init__(self, entries: list[Any], computer: object = None) -> None:
        self.entries = entries
        self._computer = computer
        self._chosen: list[Any] | None = None
        self._own: dict[int, tuple[Any, Runtime]] = {}

    @property
    def changed(self) -> bool:
        """Whether the list was changed since it was last chosen from."""
        return self._chosen != self.entries

    def choose(self, inner: Runtimes) -> Runtimes:
        """The runtimes of the list: built-in ones out of `inner`, and those of one's own."""
        self._chosen = list(self.entries)
        own = [entry for entry in self.entries if not is_inside(entry)]
        for gone in self._own.keys() - {id(entry) for entry in own}:
            self._own.pop(gone)[1].close()
        inside = [entry for entry in self.entries if is_inside(entry)]
        return OfferedRuntimes(inner, inside, [self._runtime(entry) for entry in own])

    def close(self) -> None:
        """End those of one's own; the next block makes new ones."""
        for _, runtime in self._own.values():
            runtime.close()

    def _runtime(self, entry: Any) -> Runtime:
        if id(entry) not in self._own:
            runtime = entry if is_runtime(entry) else CustomRuntime(entry, self._computer)
            self._own[id(entry)] = entry, runtime
        return self._own[id(entry)][1]


class OfferedRuntimes:
    """Built-in runtimes that were kept, and others."""

    def __init__(
        self,
        inner: Runtimes,
        built_in: Sequence[BuiltInLanguage | DescribedLanguage],
        own: Sequence[Runtime],
    ) -> None:
        self._inner = inner
        self._built_in = built_in
        self._own = own

    def get(self, language: str) -> Runtime:
        """The runtime of a language; one's own come first."""
        for runtime in self._own:
            if answers_to(runtime.language, language):
                return runtime
        if any(language_named(entry, language) for entry in self._built_in):
            return self._inner.get(language)
        known = ", ".join(self.names())
        raise UnknownLanguage(f"There is no language {language!r} here; there are: {known}.")

    def names(self) -> tuple[str, ...]:
        """The languages that were chosen."""
        own = [runtime.language.name for runtime in self._own]
        return (*(entry.name for entry in self._built_in), *own)

    def close(self) -> None:
        """Close all of them."""
        for runtime in self._own:
            runtime.close()
        self._inner.close()


def is_inside(entry: Any) -> bool:
    """Whether a language runs where the session's code runs, not in our own process."""
    return isinstance(entry, BuiltInLanguage | DescribedLanguage)


def built_in_languages() -> list[Any]:
    """The languages that this machine can run."""
    present = (entry.language for entry in BUILT_IN if is_present(entry))
    return [BuiltInLanguage(lang.name, lang.aliases, lang.suffix.lstrip(".")) for lang in present]


def language_of(kind: Any) -> Language:
    """An entry of `computer.languages`, described."""
    if is_runtime(kind):
        language: Language = kind.language
        return language
    name = str(getattr(kind, "name", "") or getattr(kind, "__name__", "custom"))
    aliases = tuple(str(alias) for alias in getattr(kind, "aliases", ()))
    return Language(name.lower(), aliases, str(getattr(kind, "file_extension", "")))


def is_runtime(entry: Any) -> bool:
    """Whether an entry of `computer.languages` is a runtime already, not a class that makes one."""
    return isinstance(getattr(entry, "language", None), Language)


def language_named(entry: Any, name: str) -> bool:
    """Whether an entry of `computer.languages` goes by this name."""
    return answers_to(language_of(entry), name)


def answers_to(language: Language, name: str) -> bool:
    """Whether a language goes by this name."""
    wanted = name.strip().lower()
    return wanted == language.name.lower() or wanted in (a.lower() for a in language.aliases)
