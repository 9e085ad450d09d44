"""Languages as programs see them: built-in ones to choose from, and classes of one's own."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from interpreter import lmc
from interpreter.protocol.errors import UnknownLanguage
from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Runtime, Runtimes, nobody_answers


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
class BuiltIn:
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
                yield from lmc.events_of(chunk)
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


class ChosenRuntimes:
    """The runtimes of `computer.languages`: built-in ones that were kept, and custom ones."""

    def __init__(self, inner: Runtimes, chosen: Sequence[Any], computer: object) -> None:
        self._inner = inner
        self._built_in = [entry for entry in chosen if isinstance(entry, BuiltIn)]
        others = [entry for entry in chosen if not isinstance(entry, BuiltIn)]
        self._custom: list[Runtime] = [
            entry if is_runtime(entry) else CustomRuntime(entry, computer) for entry in others
        ]

    def get(self, language: str) -> Runtime:
        """The runtime of a language; custom ones come first."""
        for runtime in self._custom:
            if answers_to(runtime.language, language):
                return runtime
        if any(language_named(entry, language) for entry in self._built_in):
            return self._inner.get(language)
        known = ", ".join(self.names())
        raise UnknownLanguage(f"There is no language {language!r} here; there are: {known}.")

    def names(self) -> tuple[str, ...]:
        """The languages that were chosen."""
        custom = [runtime.language.name for runtime in self._custom]
        return (*(entry.name for entry in self._built_in), *custom)

    def close(self) -> None:
        """Close all of them."""
        self.close_custom()
        self._inner.close()

    def close_custom(self) -> None:
        """Close those that are not built in."""
        for runtime in self._custom:
            runtime.close()


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
