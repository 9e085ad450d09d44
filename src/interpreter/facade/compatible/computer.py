"""`interpreter.computer`: the machine that code runs on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from interpreter import lmc
from interpreter.assembly import SessionFactory
from interpreter.assembly.computer.desktop import accounts
from interpreter.facade.compatible.computer_parts import Ai, Ask, Docs, Files, Skills
from interpreter.facade.compatible.display import shown
from interpreter.lmc.languages import (
    OwnLanguages,
    built_in_languages,
    language_named,
    language_of,
)
from interpreter.protocol.errors import ConfigurationError, UnknownLanguage
from interpreter.protocol.events import (
    ActionStarted,
    DisplayShown,
    Event,
    ExecutionFinished,
    OutputDelta,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import Runtimes

ON_THE_DESKTOP = ("browser", "display", "mouse", "keyboard", "clipboard", "os", "vision", "mail",
                  "calendar", "contacts", "sms")  # fmt: skip


SETTINGS = ("offline", "verbose", "debug", "emit_images", "save_skills", "max_output")


class Computer:
    """Runs code by hand, in the same REPLs that the model uses."""

    def __init__(
        self, factory: Callable[[], SessionFactory], ask: Ask, skills_path: Callable[[], Path]
    ) -> None:
        self.offline = False
        self.verbose = False
        self.debug = False
        self.emit_images = True
        self.save_skills = True
        self.import_computer_api = False
        self.import_skills = False
        self.max_output = 2800
        self.system_message = ""
        """What the model is told of the computer, when `import_computer_api` is set."""
        self.api_base = ""
        self._languages = OwnLanguages(built_in_languages(), self)
        self.terminal = Terminal(self)
        self.files, self.docs = Files(), Docs()
        self.ai = Ai(ask)
        self._desktop = Lazy(lambda: _desktop_parts(ask))
        self.skills = Skills(skills_path, self._events, lambda: self.save_skills)
        self._factory = factory
        self._interrupt = Interrupt()

    @property
    def languages(self) -> list[Any]:
        """What can be run: built-in languages and classes of one's own; change it in any way."""
        return self._languages.entries

    @languages.setter
    def languages(self, languages: list[Any]) -> None:
        entries = [_entry(one) if isinstance(one, str) else one for one in languages]
        self._languages.entries = entries

    def __getattr__(self, name: str) -> Any:
        if name in ON_THE_DESKTOP:
            return getattr(self._desktop.get(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def run(
        self, language: str, code: str, stream: bool = False, display: bool = False
    ) -> list[dict[str, Any]] | Iterator[dict[str, Any]]:
        """Run code; its console and picture messages, or with `stream` its chunks."""
        if not any(language_named(entry, language) for entry in self.languages):
            known = ", ".join(language_of(entry).name for entry in self.languages)
            raise UnknownLanguage(f"There is no language {language!r} here; there are: {known}.")
        chunks = self._chunks(Code(language, code), display=display)
        return chunks if stream else lmc.merged(chunks)

    def exec(self, code: str) -> list[dict[str, Any]]:
        """Run a shell command."""
        return lmc.merged(self._chunks(Code("shell", code), display=False))

    def stop(self) -> None:
        """Stop the code that is running; what it holds stays. Callable from any thread."""
        self._interrupt.request()

    def terminate(self) -> None:
        """End every REPL; the next block starts a new one."""
        self._factory().restart_runtimes()
        self.end_own_languages()

    def end_own_languages(self) -> None:
        """End the languages that are not built in, and let go of the desktop."""
        self._languages.close()
        if self._desktop.made is not None:
            self._desktop.made.close()
            self._desktop = Lazy(lambda: _desktop_parts(self.ai.chat))

    def screenshot(self, *args: Any, **options: Any) -> Any:
        """A picture of the screen."""
        return self.display.screenshot(*args, **options)

    view = screenshot

    def to_dict(self) -> dict[str, Any]:
        """The settings that can be written as JSON."""
        return {name: getattr(self, name) for name in SETTINGS}

    def load_dict(self, values: dict[str, Any]) -> None:
        """Set what `to_dict` gave."""
        for name in SETTINGS:
            if name in values:
                setattr(self, name, values[name])

    def choose(self, inner: Runtimes) -> Runtimes:
        """The runtimes of `languages`, as the factory asks for them."""
        return self._languages.choose(inner)

    @property
    def languages_changed(self) -> bool:
        """Whether the list was changed since the factory last asked."""
        return self._languages.changed

    def _chunks(self, action: Code, *, display: bool) -> Iterator[dict[str, Any]]:
        writer = lmc.ChunkWriter(confirmations=False)
        events = self._events(action)
        with closing(shown(events) if display else events) as events:
            for chunk in writer.chunks(events):
                if chunk["type"] == "image" and not self.emit_images:
                    continue
                if "content" in chunk:
                    yield {key: value for key, value in chunk.items() if key != "role"}

    def _events(self, action: Code) -> Generator[Event, None, None]:
        factory = self._factory()
        if self.languages_changed:
            factory.choose_runtimes(self.choose)
        self._interrupt.clear()
        yield ActionStarted(action)
        printed = False
        with closing(factory.run(action, self._interrupt)) as events:
            for event in events:
                printed = printed or isinstance(event, OutputDelta | DisplayShown)
                if isinstance(event, ExecutionFinished) and event.outcome != "ok" and not printed:
                    yield OutputDelta(event.summary, "stderr")
                yield event


class Terminal:
    """`computer.terminal`: the same, by the name it has inside Open Interpreter."""

    def __init__(self, computer: Computer) -> None:
        self.run = computer.run
        self.stop = computer.stop
        self.terminate = computer.terminate
        self._computer = computer

    @property
    def languages(self) -> list[Any]:
        """The languages, as `computer.languages` has them."""
        return self._computer.languages

    @languages.setter
    def languages(self, languages: list[Any]) -> None:
        self._computer.languages = languages

    def sudo_install(self, package: str) -> None:
        """Nothing here asks for the password of an administrator."""
        raise ConfigurationError(f"Install {package} yourself: sudo is not part of this version.")

    def get_language(self, language: str) -> Any:
        """The entry of a language by name or alias, or None."""
        return next((one for one in self.languages if language_named(one, language)), None)


def _desktop_parts(ask: Ask) -> Any:
    from interpreter.desktop.api.parts import DesktopParts  # noqa: PLC0415  (few programs need it)

    return DesktopParts(ask, accounts=accounts)


def _entry(name: str) -> Any:
    """A language that a profile gives by its name."""
    known = built_in_languages()
    found = next((one for one in known if language_named(one, name)), None)
    if found is None:
        names = ", ".join(one.name for one in known)
        raise UnknownLanguage(f"There is no language {name!r} here; there are: {names}.")
    return found
