"""The models that can be chosen here: by keys, from local servers, and built-in ones."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Literal

from interpreter.protocol.values import frozen
from interpreter.settings.settings import Settings

Source = Literal["default", "used", "key", "local", "builtin"]
LOOK_AGAIN = 10.0  # seconds for which what was found holds


@frozen
class ListedModel:
    """A model by its name, why it is in the list, and whether it can answer at once."""

    name: str
    source: Source
    ready: bool = True
    note: str = ""


class ReachableModels:
    """What this machine can reach, as far as it knows; it looks around every few seconds at most.

    No server is looked for at the port `but`, which is our own.
    """

    def __init__(self, settings: Settings, but: int) -> None:
        self._settings = settings
        self._but = but
        self._lock = threading.Lock()
        self._found: tuple[ListedModel, ...] = ()
        self._until = 0.0

    def get(self) -> tuple[ListedModel, ...]:
        """The models; it takes a moment when somebody has to look."""
        with self._lock:
            if time.monotonic() > self._until:
                self._found = (*self._with_keys(), *self._served(), *_built_in(self._settings))
                self._until = time.monotonic() + LOOK_AGAIN
            return self._found

    def _with_keys(self) -> Iterator[ListedModel]:
        from interpreter.assembly.model_choice import model_options
        from interpreter.models.choice import KEYS

        known = {} if self._settings.offline else model_options(self._settings).environ
        for variable, name in KEYS.items():
            if known.get(variable):
                yield ListedModel(name, "key", note=f"{variable} is set")

    def _served(self) -> Iterator[ListedModel]:
        from interpreter.models.choice import can_chat
        from interpreter.models.local.servers import find_servers, usual_places

        doors = [door for door in usual_places(os.environ) if door[1] != self._but]
        for server in find_servers(doors):
            for model in filter(can_chat, server.models):
                name = f"{server.kind.prefix}/{model.name}"
                yield ListedModel(name, "local", note=f"{server.kind.title}, on this machine")


def _built_in(settings: Settings) -> Iterator[ListedModel]:
    from interpreter.assembly.model_choice import model_options
    from interpreter.models.embedded.catalogue import PREFIX, catalogue
    from interpreter.models.embedded.downloads import installed
    from interpreter.models.embedded.model import places

    runs, kept = find_spec("xllamacpp") is not None, places(model_options(settings))
    for entry in catalogue().shown():
        ready = runs and installed(entry, kept) is not None
        note = f"{entry.size / 1e9:.1f} GB, " + ("on this machine" if ready else "not downloaded")
        yield ListedModel(f"{PREFIX}/{entry.name}", "builtin", ready, note)
