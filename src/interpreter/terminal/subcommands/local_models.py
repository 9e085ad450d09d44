"""Models on this machine: `interpreter models`, and the choice that `--local` offers."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

from interpreter.models.embedded.catalogue import catalogue
from interpreter.models.embedded.downloads import installed
from interpreter.models.embedded.machine import this_machine
from interpreter.models.embedded.model import places
from interpreter.models.local.servers import find_servers, usual_places
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import data_directory
from interpreter.terminal.input.piped import someone_is_there
from interpreter.terminal.subcommands.local_menu import Entry, Menu, local_menu, size_text
from interpreter.terminal.subcommands.models import models_command, pull


def command(arguments: list[str]) -> int:
    """List, get and remove the built-in models."""
    return models_command(arguments, _places())


def choose_local() -> dict[str, Any]:
    """The settings of the local model that the user picks, which is remembered.

    Where nobody can pick, it is the one that was picked before, or else the first.
    """
    kept = _places()
    built_in = [(model, installed(model, kept) is not None) for model in catalogue().shown()]
    menu = local_menu(built_in, find_servers(usual_places(os.environ)), this_machine())
    if not menu.entries:
        raise ConfigurationError("No local model is known; see interpreter models list.")
    usual = menu.named(_remembered()) or menu.entries[0]
    entry = _asked(menu, usual) if someone_is_there() else usual
    if entry.download:
        _agree_to_download(entry)
        pull(catalogue().get(entry.name), kept)
    _remember(entry.name)
    chosen = {"model": entry.name, "api_base": entry.api_base, "context_window": entry.context}
    return {"offline": True, **{name: value for name, value in chosen.items() if value}}


def _agree_to_download(entry: Entry) -> None:
    """Ask before a large download; where nobody can be asked, only if that was agreed before."""
    if os.environ.get("REPLOOP_DOWNLOAD"):
        return
    question = f"{entry.title} is not on this machine: download {size_text(entry.download)}? [y/n] "
    if someone_is_there():
        print(question, end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise ConfigurationError(
        f"{entry.title} is not on this machine and was not downloaded. "
        f"Get it with: interpreter models pull {entry.title}"
    )


def _asked(menu: Menu, usual: Entry) -> Entry:
    print("\n".join(menu.lines()), file=sys.stderr)
    question = f"Which one? (a number, or a part of the name; Enter for {usual.title}) "
    while True:
        print(question, end="", file=sys.stderr, flush=True)
        try:
            answer = input()
        except EOFError as error:
            raise ConfigurationError("No local model was chosen.") from error
        entry = menu.choose(answer) if answer.strip() else usual
        if entry is not None:
            return entry


def _remembered() -> str:
    """The name that was picked last time; empty when there was none, or it cannot be read."""
    try:
        return _memory().read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def _remember(name: str) -> None:
    """Keep the name for the next time; a disk that is full is no reason to stop."""
    with contextlib.suppress(OSError):
        _memory().parent.mkdir(parents=True, exist_ok=True)
        _memory().write_text(f"{name}\n", encoding="utf-8")


def _memory() -> Path:
    return data_directory() / "local-model"


def _places() -> Any:
    return places(ModelOptions(environ=dict(os.environ)))
