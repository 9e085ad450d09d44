"""`interpreter models`: the built-in models and their files, self-tests, and prices."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from interpreter.assembly.model_choice import findings_file, model_options
from interpreter.models.check import Check
from interpreter.models.embedded.catalogue import Catalogue, CatalogueModel, catalogue
from interpreter.models.embedded.downloads import Places, fetch, fetch_all, installed, remove
from interpreter.models.embedded.machine import (
    Machine,
    best_size,
    fits,
    memory_for,
    speed,
    this_machine,
)
from interpreter.models.embedded.model import places as embedded_places
from interpreter.models.findings import remember
from interpreter.models.names import resolve
from interpreter.models.prices import refresh
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.visible import visible
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings
from interpreter.settings.sources import NAMES, gather
from interpreter.terminal.arguments import parse
from interpreter.terminal.subcommands.local_menu import size_text

USAGE = (
    "usage: interpreter models "
    "[list | pull [NAME | voice] | rm NAME | check NAME [FLAG …] | prices FILE]"
)
VOICE = "voice"  # the name for all files that listening and speaking need
WIDTH = 30
EVERY = 0.1  # seconds between two drawings of the bar


class Bar:
    """A progress bar on stderr; where that is no terminal, a line every tenth of the way."""

    def __init__(self, write: Callable[[str], object] | None = None) -> None:
        self._write = write or sys.stderr.write
        self._live = write is None and sys.stderr.isatty()
        self._drawn = 0.0
        self._tenth = ("", -1)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far it is."""
        if self._live:
            self._draw(stage, done, total)
        elif (stage, 10 * done // max(1, total)) != self._tenth:
            self._tenth = (stage, 10 * done // max(1, total))
            self._write(f"{stage}: {size_text(done)} of {size_text(total)}\n")

    def _draw(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._drawn < EVERY and done < total:
            return
        self._drawn = now
        full = WIDTH * done // max(1, total)
        bar = "#" * full + "." * (WIDTH - full)
        end = "\n" if done >= total else ""
        self._write(f"\r{stage:11} [{bar}] {size_text(done)} of {size_text(total)}  {end}")
        sys.stderr.flush()


def models_command(arguments: list[str], places: Places | None = None) -> int:
    """Do one thing with models; the exit code."""
    known, places = catalogue(), places or usual_places()
    match arguments:
        case [] | ["list"]:
            return _list(known, places)
        case ["pull" | "rm" as what, "voice"]:
            return _voice(what, known, places)
        case ["pull", *rest] if len(rest) <= 1:
            return _pull(known.get(*rest), places)
        case ["rm", name]:
            return _remove(known.get(name), places)
        case ["check", name, *flags]:
            return _check(name, flags)
        case ["prices", file]:
            return _prices(Path(file))
        case ["-h" | "--help"]:
            print(USAGE)
            return 0
    raise ConfigurationError(USAGE)


def usual_places() -> Places:
    """Where model files are kept here."""
    return embedded_places(model_options(Settings()))


def _check(name: str, flags: list[str]) -> int:
    """Ask a model to do each thing once, and remember what it can do."""
    given = {key: value for key, value in parse(flags).items() if key in NAMES}
    settings = gather({**given, "model": name}).settings
    check = Check(name, model_options(settings), resolve)
    for step in check.steps():
        print(f"{'yes' if step.passed else 'no ':3}  {step.title}  {visible(step.detail)}".rstrip())
    print(check.verdict)
    remember(findings_file(), name, check.findings)
    return int(not check.is_usable)


def _prices(file: Path) -> int:
    """Take prices from a price map in LiteLLM's public format."""
    print(f"{refresh(file, config_directory() / 'prices.json')} models have a price now.")
    return 0


def pull(model: CatalogueModel, places: Places) -> Path:
    """Get a model's file and show how far it is."""
    return fetch(model, places, Bar())


def _list(known: Catalogue, places: Places) -> int:
    machine, shown = this_machine(), known.shown()
    for model in shown:
        path = installed(model, places)
        state = f"at {path}" if path else "not downloaded"
        mark = "*" if model.name == known.default else " "
        size, fit = size_text(model.size), _fit(model, machine)
        print(f"{mark} {model.name:20} {size:>8}  {model.licence}  {fit}  {state}")
    if known.voice:
        print(f"  {_voice_line(known, places)}")
    print("* is the default. Use one with: interpreter --model embedded/NAME")
    fitting = best_size(machine, (model.size for model in shown))
    best = next(model for model in shown if model.size == fitting)
    cores = f"{machine.cores} core{'s' if machine.cores > 1 else ''}"
    print(
        f"Best for this machine: {best.name}, the largest that fits {size_text(machine.free)} of "
        f"free memory and writes about as fast as one reads on {cores} (larger ones err less)."
    )
    return 0


def _fit(model: CatalogueModel, machine: Machine) -> str:
    """What a model takes and gives here, by an estimate."""
    needed = size_text(memory_for(model.size))
    if not fits(machine, model.size):
        return f"needs {needed} of memory, too big for {size_text(machine.memory)}"
    return f"{needed} of memory, about {speed(machine, model.size):.0f} tokens/s"


def _pull(model: CatalogueModel, places: Places) -> int:
    print(pull(model, places))
    return 0


def _voice_line(known: Catalogue, places: Places) -> str:
    size = size_text(sum(file.size for file in known.voice))
    here = all(installed(file, places) for file in known.voice)
    state = f"at {places.directory}" if here else "not downloaded"
    return f"{VOICE:20} {size:>8}  {known.voice[0].licence}  {state}, to listen and to speak"


def _voice(what: str, known: Catalogue, places: Places) -> int:
    if what == "rm":
        freed = sum(remove(file, places) for file in known.voice)
        print(f"{size_text(freed)} freed." if freed else f"{VOICE} was not downloaded by us.")
        return 0
    for path in fetch_all(known.voice, places, Bar()):
        print(path)
    return 0


def _remove(model: CatalogueModel, places: Places) -> int:
    freed = remove(model, places)
    left = installed(model, places)
    print(f"{size_text(freed)} freed." if freed else f"{model.name} was not downloaded by us.")
    if left:
        print(f"Another program's copy stays at {left}.")
    return 0
