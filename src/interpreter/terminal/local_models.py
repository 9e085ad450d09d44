"""Models on this machine: `interpreter models`, and the choice that `--local` offers."""

from __future__ import annotations

import os
import sys
from typing import Any

from interpreter.models.catalogue import catalogue
from interpreter.models.downloads import installed
from interpreter.models.embedded import places
from interpreter.models.local_servers import find_servers, usual_places
from interpreter.models.machine import this_machine
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import ConfigurationError
from interpreter.terminal.local_menu import Entry, Menu, local_menu
from interpreter.terminal.models_command import models_command
from interpreter.terminal.piped import someone_is_there


def command(arguments: list[str]) -> int:
    """List, get and remove the built-in models."""
    return models_command(arguments, _places())


def choose_local() -> dict[str, Any]:
    """The settings of the local model that the user picks; of the first where nobody can."""
    kept = _places()
    built_in = [(model, installed(model, kept) is not None) for model in catalogue().shown()]
    menu = local_menu(built_in, find_servers(usual_places(os.environ)), this_machine())
    if not menu.entries:
        raise ConfigurationError("No local model is known; see interpreter models list.")
    entry = _asked(menu) if someone_is_there() else menu.entries[0]
    chosen = {"model": entry.name, "api_base": entry.api_base, "context_window": entry.context}
    return {name: value for name, value in chosen.items() if value}


def _asked(menu: Menu) -> Entry:
    print("\n".join(menu.lines()), file=sys.stderr)
    while True:
        print("Which one? (a number, or a part of the name) ", end="", file=sys.stderr, flush=True)
        try:
            entry = menu.choose(input())
        except EOFError as error:
            raise ConfigurationError("No local model was chosen.") from error
        if entry is not None:
            return entry


def _places() -> Any:
    return places(ModelOptions(environ=dict(os.environ)))
