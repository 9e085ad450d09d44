"""From a name and options to a Claude model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interpreter.models.anthropic.messages_api import AnthropicMessages, MessagesSettings
from interpreter.models.http.connection import ServerLine, is_local
from interpreter.models.http.provider_errors import Address
from interpreter.models.openai.opening import capabilities
from interpreter.models.options import ModelOptions
from interpreter.models.prices import FREE, facts_about
from interpreter.protocol.errors import AuthenticationFailed, ConfigurationError

_BASE = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_USUAL_REPLY = 16_000
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "max"}


def open_model(name: str, options: ModelOptions) -> AnthropicMessages:
    """The Claude model of that name, such as `claude-…` or `anthropic/claude-…`."""
    model = name.removeprefix("anthropic/")
    base = (options.api_base or options.environ.get("ANTHROPIC_BASE_URL") or _BASE).rstrip("/")
    if options.offline and not options.api_base and not is_local(base):
        raise ConfigurationError(
            "offline is on, and Anthropic is not on this machine; choose a local model."
        )
    refreshed = Path(options.price_file) if options.price_file else None
    facts = facts_about(model, refreshed)
    local = is_local(base)
    address = Address("Anthropic", base, model, "ANTHROPIC_API_KEY", is_local=local)
    able = capabilities(model, facts, options, local=local)
    settings = MessagesSettings(
        model=model,
        url=f"{base.removesuffix('/v1')}/v1/messages",
        parameters=_parameters(options, able.max_output),
        templates=options.templates,
        patience=options.patience,
    )
    line = ServerLine(address, _headers(options), options.patience)
    return AnthropicMessages(name, line, settings, able, FREE if local else facts.price)


def _headers(options: ModelOptions) -> dict[str, str]:
    key = options.api_key or options.environ.get("ANTHROPIC_API_KEY", "")
    if not key:
        raise AuthenticationFailed(
            "Anthropic needs a key: set ANTHROPIC_API_KEY or --api_key, or choose a local model "
            "such as ollama/NAME."
        )
    return {"x-api-key": key, "anthropic-version": options.api_version or _VERSION}


def _parameters(options: ModelOptions, largest_reply: int | None) -> dict[str, Any]:
    usual = min(_USUAL_REPLY, largest_reply or _USUAL_REPLY)
    parameters: dict[str, Any] = {
        "max_tokens": options.max_tokens or usual,
        "stream": True,
        "cache_control": {"type": "ephemeral"},
    }
    effort = options.reasoning_effort
    if effort is not None and effort != "none":
        parameters["thinking"] = {"type": "adaptive"}
        parameters["output_config"] = {"effort": _EFFORTS[effort]}
    elif options.temperature is not None:
        parameters["temperature"] = options.temperature
    return {**parameters, **options.extra}
