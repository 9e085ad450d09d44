"""The first run without a key: say what was found, ask once, and get the built-in model."""

from __future__ import annotations

import sys
from collections.abc import Callable

from interpreter.models.catalogue import PREFIX, CatalogueModel, catalogue
from interpreter.models.choice import Choice
from interpreter.models.downloads import Places, installed
from interpreter.terminal.models_command import pull

QUESTION = "Download it now? [Y/n] "


def get_ready(choice: Choice, places: Places, confirm: Callable[[str], bool]) -> bool:
    """Say why this model is used and download it if need be; False when the user said no.

    `confirm` is asked only about a model that nobody named: who names it wants it.
    """
    if choice.sentence:
        print(choice.sentence, file=sys.stderr)
    missing = missing_model(choice.name, places)
    if missing is None:
        return bool(choice.name)
    if choice.download and not confirm(QUESTION):
        return False
    pull(missing, places)
    return True


def missing_model(name: str, places: Places) -> CatalogueModel | None:
    """The built-in model of this name, when its file is not on this machine."""
    if name.partition("/")[0] != PREFIX or name.endswith(".gguf"):
        return None
    model = catalogue().get(name)
    return model if installed(model, places) is None else None
