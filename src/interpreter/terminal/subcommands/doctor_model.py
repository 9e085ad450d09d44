"""What `interpreter doctor` says about the model: which one it would be, and if it is reached."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from interpreter.settings.settings import Settings
from interpreter.terminal.subcommands.finding import Finding

SECONDS = 5.0
ANTHROPIC = "https://api.anthropic.com"
NO_MODEL = "interpreter config key PROVIDER, or ollama serve, or pip install 'reploop[local]'"


def model_findings(settings: Settings) -> Iterator[Finding]:
    """The model that a conversation would begin with now."""
    if settings.api_base:
        yield _server(settings.model, settings.api_base)
        return
    from interpreter.assembly.model_choice import choose  # noqa: PLC0415  (asks servers)
    from interpreter.models.choice import Choice  # noqa: PLC0415

    choice = Choice(settings.model) if settings.model else choose(settings)
    if not choice.name:
        yield Finding("model", "missing", choice.sentence, NO_MODEL)
    elif choice.download:
        yield Finding("model", "degraded", choice.sentence, "interpreter models pull")
    elif base := choice.api_base or _base_of(choice.name):
        yield _server(choice.name, base)
    else:
        yield Finding("model", "ok", choice.name)


def _base_of(name: str) -> str:
    """Where a hosted model is served; empty for one that runs here."""
    from interpreter.models.providers import provider_of  # noqa: PLC0415

    if name.startswith(("anthropic/", "claude")):
        return ANTHROPIC
    found = provider_of(name, has_base=False)
    if found is None:
        return ""
    names = (os.environ.get(variable, "") for variable in found[0].base_names)
    return next(filter(None, names), found[0].base)


def _server(model: str, url: str) -> Finding:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "127.0.0.1", port), timeout=SECONDS):
            return Finding("model", "ok", f"{model or 'a model'}: {parts.hostname}:{port} answers")
    except (OSError, ValueError) as error:
        fix = "start that server, or interpreter --local, or interpreter config set api_base URL"
        return Finding("model", "missing", f"{model or 'a model'} at {url}: {error}", fix)
