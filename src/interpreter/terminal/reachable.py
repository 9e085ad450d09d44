"""Which models can be reached: by the keys that are there, and by the servers that answer."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interpreter.settings.keys import kept_keys
from interpreter.settings.settings import Settings

OLLAMA = "http://127.0.0.1:11434"
SECONDS = 2.0
KEYS = {
    "OPENAI_API_KEY": "openai/…",
    "ANTHROPIC_API_KEY": "anthropic/…",
    "OPENROUTER_API_KEY": "openrouter/…",
    "GEMINI_API_KEY": "gemini/…",
    "GROQ_API_KEY": "groq/…",
}


def reachable_models(settings: Settings) -> Iterator[str]:
    """Names, and the beginnings of names where a key opens a whole catalogue."""
    if settings.api_base:
        yield from _listed(f"{settings.api_base.rstrip('/')}/models", "data", "id", "openai/")
    host = os.environ.get("OLLAMA_HOST") or OLLAMA
    address = host if "://" in host else f"http://{host}"
    yield from _listed(f"{address}/api/tags", "models", "name", "ollama/")
    keys = {**kept_keys(), **os.environ}
    yield from (name for key, name in KEYS.items() if keys.get(key))


def _listed(address: str, group: str, field: str, prefix: str) -> Iterator[str]:
    """The models that a server lists; none when it does not answer or answers nonsense."""
    import httpx  # noqa: PLC0415  (slow to import, and rarely asked for)

    try:
        rows = httpx.get(address, timeout=SECONDS).json()[group]
        yield from (prefix + str(row[field]) for row in rows)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        return
