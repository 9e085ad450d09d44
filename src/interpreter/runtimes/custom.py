"""The runtimes of languages that a profile describes."""

from __future__ import annotations

from pathlib import Path

from interpreter.protocol.ports import Language, Launch, Runtime
from interpreter.runtimes.pool import Registered
from interpreter.runtimes.process.one_shot import OneShot, OneShotProgram
from interpreter.runtimes.process.repl import ProcessRepl, Repl
from interpreter.settings.described_languages import DescribedLanguage


def registered(entry: DescribedLanguage) -> Registered:
    """A described language as a pool takes it: a REPL if it can be, else it runs files."""
    language = Language(entry.name, entry.aliases, entry.suffix)

    def make(launch: Launch, exchange: Path) -> Runtime:
        if entry.sentinel or entry.prompt:
            repl = Repl(entry.command, entry.sentinel, entry.prompt, entry.env)
            return ProcessRepl(launch, exchange, language, repl)
        return OneShot(launch, exchange, language, OneShotProgram(entry.command, entry.env))

    return Registered(language, make)
