"""The model that the settings name, kept while they name the same one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from interpreter.protocol.ports import Capabilities, Model
from interpreter.session.context import Context
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.models.options import ModelOptions, Templates

DEMO = "scripted/demo"


class ModelChoice:
    """Opens models late, and closes the one that is no longer wanted."""

    def __init__(self) -> None:
        self.completions: Callable[..., Iterable[Any]] | None = None
        """A function of the caller's own that answers instead of any model."""
        self.context = Context(Capabilities())
        self._model: Model | None = None
        self._made_from: object = None

    def model(self, settings: Settings) -> Model:
        """The model of these settings; a new one comes with a new view of the conversation."""
        name, options = settings.model or DEMO, _options(settings)
        wanted = (name, options, self.completions)
        if wanted != self._made_from or self._model is None:
            self.close()
            self._model = self._opened(name, options)
            self._made_from = wanted
            self.context = Context(self._model.capabilities)
        return self._model

    def close(self) -> None:
        """Give back connections."""
        if self._model is not None:
            self._model.close()
            self._model = None

    def _opened(self, name: str, options: ModelOptions) -> Model:
        if self.completions is not None:
            from interpreter.models.callable import from_function

            return from_function(self.completions, options, name)
        from interpreter.models.names import resolve

        return resolve(name, options)


def _options(settings: Settings) -> ModelOptions:
    from interpreter.models.options import ModelOptions

    return ModelOptions(
        supports_functions=settings.supports_functions,
        supports_vision=settings.supports_vision,
        offline=settings.offline,
        templates=_templates(settings),
        api_base=settings.api_base or None,
        api_key=settings.api_key or None,
        api_version=settings.api_version or None,
        context_window=settings.context_window or None,
        max_tokens=settings.max_tokens or None,
        temperature=settings.temperature or None,
        environ=dict(os.environ),
    )


def _templates(settings: Settings) -> Templates:
    """The wordings that are set; the others are the usual ones."""
    from interpreter.models.options import Templates

    wordings = {field.name: getattr(settings, field.name) for field in fields(Templates)}
    given = {name: value for name, value in wordings.items() if value not in ("", None)}
    if settings.execution_instructions == "":  # set to nothing: the model is told nothing
        given["execution_instructions"] = ""
    return Templates(**given)
