"""From a name and options to a model that speaks chat completions."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from interpreter.models.http.connection import ServerLine, is_local
from interpreter.models.http.provider_errors import Address
from interpreter.models.openai.chat_completions import ChatCompletions, ChatSettings
from interpreter.models.openai.responses import WithScreen, knows_screens
from interpreter.models.options import Dialect, ModelOptions
from interpreter.models.prices import FREE, ModelFacts, facts_about
from interpreter.models.providers import Provider, provider_of
from interpreter.protocol.errors import AuthenticationFailed, ConfigurationError, UnknownModel
from interpreter.protocol.ports import Capabilities

_SEEING = ("vision", "llava", "-vl", "gemma3", "gemma-3", "pixtral", "moondream", "minicpm-v")
_LOCAL_WINDOW = 8_000
_HOSTED_WINDOW = 128_000


def open_model(name: str, options: ModelOptions) -> ChatCompletions:
    """The model of that name."""
    found = provider_of(name, has_base=bool(options.api_base))
    if found is None:
        raise UnknownModel(f"{name!r} names no provider; write it as provider/model.")
    provider, model = found
    base = _base(provider, options)
    local = is_local(base)
    facts = (
        facts_about(_name_in_table(provider, model), _refreshed(options))
        if not local
        else ModelFacts()
    )
    address = Address(
        provider=_title(provider, base),
        url=base,
        model=model or "the loaded model",
        key_name=provider.key_name,
        is_local=local,
        start_hint=provider.start_hint if not options.api_base else "",
    )
    headers = _headers(provider, options, address)
    settings = ChatSettings(
        model=model,
        url=_url(provider, base, model, options),
        dialect=_dialect(provider, facts, options, local=local),
        parameters=_parameters(provider, options),
        templates=options.templates,
        patience=options.patience,
        renumber_calls=provider.renumber_calls,
        seals_calls=provider.seals_calls,
        echo_reasoning=provider.echo_reasoning,
    )
    line = ServerLine(address, headers, options.patience)
    able = capabilities(model, facts, options, local)
    price = FREE if local else facts.price
    if provider.prefix in ("openai", "azure") and knows_screens(model):
        return WithScreen(name, line, settings, able, price)
    return ChatCompletions(name, line, settings, able, price)


def capabilities(model: str, facts: ModelFacts, options: ModelOptions, local: bool) -> Capabilities:
    """What a model can do: what the user says, else what is known, else what is usual."""
    images = options.supports_vision
    if images is None:
        images = bool(facts.images) or any(word in model.lower() for word in _SEEING)
    tools = options.supports_functions
    return Capabilities(
        tools=tools if tools is not None else facts.tools is not False,
        images=images,
        reasoning=bool(facts.reasoning),
        context_window=options.context_window
        or facts.context_window
        or (_LOCAL_WINDOW if local else _HOSTED_WINDOW),
        max_output=options.max_tokens or facts.max_output,
        local=local,
    )


def _dialect(
    provider: Provider, facts: ModelFacts, options: ModelOptions, *, local: bool
) -> Dialect:
    if options.dialect is not None:
        return options.dialect
    if options.supports_functions is False or facts.tools is False:
        return "fenced"
    # A server at an address of the user's own may run anything, small models above all.
    return "mixed" if local or options.api_base else provider.dialect


def _base(provider: Provider, options: ModelOptions) -> str:
    named = next((options.environ[n] for n in provider.base_names if options.environ.get(n)), None)
    base = options.api_base or named or provider.base
    if provider.prefix == "ollama" and not options.api_base and options.environ.get("OLLAMA_HOST"):
        base = _ollama_base(options.environ["OLLAMA_HOST"])
    if not base:
        raise ConfigurationError(
            f"{provider.title} needs --api_base, the address of your resource."
        )
    if options.offline and not options.api_base and not is_local(base):
        raise ConfigurationError(
            f"offline is on, and {provider.title} is not on this machine; choose a local model."
        )
    base = base if "://" in base else f"http://{base}"
    return _with_version(base.rstrip("/"), provider)


def _ollama_base(host: str) -> str:
    host = host if "://" in host else f"http://{host}"
    parts = urlsplit(host)
    name = "127.0.0.1" if parts.hostname in (None, "0.0.0.0") else parts.hostname
    return f"{parts.scheme}://{name}:{parts.port or 11434}/v1"


def _with_version(base: str, provider: Provider) -> str:
    if provider.prefix == "azure" or urlsplit(base).path not in ("", "/"):
        return base
    return f"{base}/v1"


def _url(provider: Provider, base: str, model: str, options: ModelOptions) -> str:
    if provider.prefix == "azure" and "/openai/v1" not in base:
        version = options.api_version or options.environ.get("AZURE_API_VERSION") or "2024-10-21"
        return f"{base}/openai/deployments/{model}/chat/completions?api-version={version}"
    return f"{base.removesuffix('/chat/completions')}/chat/completions"


def _headers(provider: Provider, options: ModelOptions, address: Address) -> dict[str, str]:
    key = options.api_key or options.environ.get(provider.key_name or "", "")
    if not key:
        if provider.is_local or address.is_local or options.api_base:
            return {}
        raise AuthenticationFailed(
            f"{provider.title} needs a key: set {provider.key_name} or --api_key, or choose a "
            "local model such as ollama/NAME."
        )
    if provider.prefix == "azure":
        return {"api-key": key}
    return {"authorization": f"Bearer {key}"}


def _parameters(provider: Provider, options: ModelOptions) -> dict[str, Any]:
    parameters: dict[str, Any] = {"stream": True}
    if not provider.reports_usage_unasked:
        parameters["stream_options"] = {"include_usage": True}
    if options.temperature is not None:
        parameters["temperature"] = options.temperature
    if options.max_tokens is not None:
        own = options.api_base and provider.prefix == "openai"
        parameters["max_tokens" if own else provider.limit_name] = options.max_tokens
    if options.reasoning_effort is not None:
        effort = options.reasoning_effort
        by_style = {"reasoning": {"effort": effort}, "reasoning_effort": effort}
        parameters[provider.effort_style] = by_style[provider.effort_style]
    if provider.caches_prompt:
        parameters |= {"cache_prompt": True, "timings_per_token": True}
    return {**parameters, **options.extra}


def _title(provider: Provider, base: str) -> str:
    return provider.title if base == provider.base else f"the server at {urlsplit(base).netloc}"


def _name_in_table(provider: Provider, model: str) -> str:
    return model if provider.prefix == "openai" else f"{provider.prefix}/{model}"


def _refreshed(options: ModelOptions) -> Path | None:
    return Path(options.price_file) if options.price_file else None
