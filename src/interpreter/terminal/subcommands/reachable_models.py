"""Which models can be reached: on this machine, and by the keys that are there."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interpreter.models.embedded.catalogue import PREFIX, catalogue
from interpreter.models.embedded.downloads import installed
from interpreter.models.embedded.model import places
from interpreter.models.local.servers import find_servers, usual_places
from interpreter.models.options import ModelOptions
from interpreter.settings.keys import kept_keys

KEYS = {
    "OPENAI_API_KEY": "openai/…",
    "ANTHROPIC_API_KEY": "anthropic/…",
    "OPENROUTER_API_KEY": "openrouter/…",
    "GEMINI_API_KEY": "gemini/…",
    "GROQ_API_KEY": "groq/…",
}


def reachable_models() -> Iterator[str]:
    """Names, and the beginnings of names where a key opens a whole catalogue."""
    kept = places(ModelOptions(environ=dict(os.environ)))
    built_in = (model.name for model in catalogue().shown() if installed(model, kept))
    yield from (f"{PREFIX}/{name}" for name in built_in)
    for server in find_servers(usual_places(os.environ)):
        yield from (f"{server.kind.prefix}/{model.name}" for model in server.models)
    keys = {**kept_keys(), **os.environ}
    yield from (name for key, name in KEYS.items() if keys.get(key))
