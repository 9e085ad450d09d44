"""Model names as people write them, and who answers to them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from interpreter.models.findings import applied, remembered
from interpreter.models.options import ModelOptions
from interpreter.models.providers import PROVIDERS, provider_of
from interpreter.protocol.errors import PluginError, UnknownModel
from interpreter.protocol.ports import Model

GROUP = "interpreter.models"

Opener = Callable[[str, ModelOptions], Model]
"""What an entry point names: opens the model of a name."""

_CHAT = "interpreter.models.openai.opening:open_model"
BUILT_IN = {
    **dict.fromkeys(PROVIDERS, _CHAT),
    "anthropic": "interpreter.models.anthropic.opening:open_model",
    "embedded": "interpreter.models.embedded.model:open_model",
    "litellm": "interpreter.models.litellm_bridge:open_model",
    "scripted": "interpreter.models.scripted:open_model",
}
"""The prefixes that need no search; pyproject.toml registers the same ones."""


def resolve(name: str, options: ModelOptions) -> Model:
    """The model that a name means; UnknownModel or ConfigurationError says what to write."""
    name = name.strip()
    if not name:
        raise UnknownModel("No model is named; use --model, for example gpt-… or ollama/NAME.")
    if options.findings_file:
        options = applied(options, remembered(Path(options.findings_file), name))
    return _opener(name, options)(name, options)


def _opener(name: str, options: ModelOptions) -> Opener:
    prefix = name.partition("/")[0]
    if prefix in BUILT_IN:
        return _load(BUILT_IN[prefix])
    if prefix.startswith("claude") and not options.api_base:
        return _load(BUILT_IN["anthropic"])
    plugin = _plugin(prefix)
    if plugin is not None:
        return plugin
    if provider_of(name, has_base=bool(options.api_base)) is not None:
        return _load(_CHAT)
    return _load(BUILT_IN["litellm"])


def _plugin(prefix: str) -> Opener | None:
    from importlib import metadata  # noqa: PLC0415 - slow, and no built-in name needs it

    for entry in metadata.entry_points(group=GROUP, name=prefix):
        try:
            return cast(Opener, entry.load())
        except Exception as error:
            who = entry.dist.name if entry.dist else entry.value
            raise PluginError(f"The plug-in {who} for {prefix}/… is broken: {error}") from error
    return None


def _load(place: str) -> Opener:
    module, _, attribute = place.partition(":")
    return cast(Opener, getattr(import_module(module), attribute))
