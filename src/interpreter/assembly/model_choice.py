"""The model that the settings name, kept while they name the same one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import Usage
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Capabilities, Model
from interpreter.protocol.values import frozen
from interpreter.session.request.context import Context, Notes
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.models.choice import Choice
    from interpreter.models.embedded.catalogue import CatalogueModel
    from interpreter.models.options import ModelOptions, Patience, Templates

Progress = Callable[[str, int, int], None]
"""Told what is being done, how far it is, and how far it has to go."""


@frozen
class FaceCallbacks:
    """What choosing a model asks of a face: to say something, to ask, to show progress."""

    notice: Callable[[str], None] = lambda text: None
    may_download: Callable[[str], bool] = lambda sentence: False
    progress: Progress = lambda stage, done, total: None


class ModelChoice:
    """Opens models late, and closes the one that is no longer wanted."""

    def __init__(self, face: FaceCallbacks, notes: Notes) -> None:
        self._face = face
        self._notes = notes
        self._chosen: Choice | None = None
        self.small = False
        """Whether the model needs the short form of everything."""
        self.completions: Callable[..., Iterable[Any]] | None = None
        """A function of the caller's own that answers instead of any model."""
        self.context = Context(Capabilities())
        self._drafts = 0
        self._model: Model | None = None
        self._inner: Model | None = None
        self._made_from: object = None
        self._price: Callable[[Usage], float | None] = lambda usage: None

    def model(self, settings: Settings) -> Model:
        """The model of these settings; a new one comes with a new view of the conversation."""
        name, options = self._named(settings)
        self._drafts = drafts_wanted(settings)
        wanted = (name, options, self.completions)
        if wanted != self._made_from or self._model is None:
            self.close()
            self._model = self._opened(name, options)
            self._made_from = wanted
            self.context = Context(self._model.capabilities, self._notes)
            self._price = _pricing(self._model)
        return self._model

    def plain(self, settings: Settings) -> Model:
        """The same, as it is: without what helps a small one to write code."""
        model = self.model(settings)
        return self._inner or model

    @property
    def calls_tools(self) -> bool:
        """Whether the model is offered tools, not asked for code in fences."""
        return getattr(self._model, "dialect", "native") != "fenced"

    def pricing(self, usage: Usage) -> float | None:
        """What a usage of this model costs; None where nobody knows."""
        return self._price(usage)

    def close(self) -> None:
        """Give back connections."""
        if self._model is not None:
            self._model.close()
            self._model = self._inner = None

    def _opened(self, name: str, options: ModelOptions) -> Model:
        if self.completions is not None:
            from interpreter.models.callable import from_function

            return from_function(self.completions, options, name)
        from interpreter.models.names import resolve

        self.small = False
        if name.partition("/")[0] == "embedded":
            self._provide(name, options)
        model = resolve(name, options)
        return self._in_small_form(model) if name.startswith("embedded") else model

    def _in_small_form(self, model: Model) -> Model:
        from interpreter.models.embedded.catalogue import catalogue
        from interpreter.models.embedded.model import EmbeddedModel
        from interpreter.models.small.model import SmallModel

        entry = catalogue().models.get(model.name.partition("/")[2])
        if not isinstance(model, EmbeddedModel) or entry is None or not entry.small:
            return model
        self.small = True
        self._inner = model
        return SmallModel(
            model,
            model.varied,
            model.drafts,
            drafts=lambda: self._drafts,
            together=model.drafts_together,
            notice=self._face.notice,
        )

    def _named(self, settings: Settings) -> tuple[str, ModelOptions]:
        """The model that is asked for, or the best that can be reached, which is said once."""
        options = model_options(settings)
        if settings.model or self.completions is not None:
            return settings.model, options
        if self._chosen is None:
            self._chosen = choose(settings)
            if not self._chosen.download:  # the question before a download says it
                self._face.notice(self._chosen.sentence)
        if not self._chosen.name:
            raise ConfigurationError(self._chosen.sentence)
        if self._chosen.api_base:
            options = replace(options, api_base=self._chosen.api_base)
        return self._chosen.name, options

    def _provide(self, name: str, options: ModelOptions) -> None:
        """Download the file of a built-in model where it is missing, if the user agrees."""
        from interpreter.models.choice import OTHER_WAYS
        from interpreter.models.embedded.catalogue import catalogue
        from interpreter.models.embedded.downloads import fetch, installed
        from interpreter.models.embedded.model import places

        if name.endswith(".gguf"):
            return
        entry, kept = catalogue().get(name), places(options)
        if installed(entry, kept) is not None or options.offline:
            return
        found = self._chosen
        if found and not self._face.may_download(f"{found.sentence} Download it now?"):
            raise ConfigurationError(
                f"{entry.name} is not on this machine. Get it with `interpreter models pull`. "
                f"{OTHER_WAYS}"
            )
        fetch(entry, kept, self._face.progress)


def _pricing(model: Model) -> Callable[[Usage], float | None]:
    if model.capabilities.local:
        return lambda usage: 0.0

    def look_up() -> Callable[[Usage], float | None]:
        from interpreter.models.prices import pricing_of

        file = _if_there(config_directory() / "prices.json")
        return pricing_of(model.name, Path(file) if file else None)

    known = Lazy(look_up)
    return lambda usage: known.get()(usage)


def choose(settings: Settings) -> Choice:
    """The model that these settings name, or the best that can be reached."""
    from importlib.util import find_spec

    from interpreter.models.choice import ChoiceFacts, choose_model
    from interpreter.models.embedded.catalogue import catalogue
    from interpreter.models.embedded.downloads import installed
    from interpreter.models.embedded.model import places
    from interpreter.models.local.servers import find_servers, usual_places

    entry = catalogue().get()
    facts = ChoiceFacts(
        environ=model_options(settings).environ,
        find_servers=lambda: find_servers(usual_places(os.environ)),
        embedded=entry,
        embedded_runs=find_spec("xllamacpp") is not None,
        embedded_is_here=installed(entry, places(model_options(settings))) is not None,
        offline=settings.offline,
        better=_larger_that_fits(entry),
    )
    return choose_model(facts)


def _larger_that_fits(entry: CatalogueModel) -> CatalogueModel | None:
    """The built-in model that this machine carries best, where that is a larger one."""
    from interpreter.models.embedded.catalogue import catalogue
    from interpreter.models.embedded.machine import best_size, this_machine

    known = {model.size: model for model in catalogue().shown()}
    best = best_size(this_machine(), known) if known else 0
    return known[best] if best > entry.size else None


def drafts_wanted(settings: Settings) -> int:
    """How many programs to compare: none where there is no cell in which nothing lasts."""
    nowhere = settings.sandbox == "off" or settings.kernel or settings.approval == "never"
    return 0 if nowhere else settings.drafts


def model_options(settings: Settings) -> ModelOptions:
    from interpreter.models.options import Dialect, Effort, ModelOptions

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
        temperature=settings.temperature,
        reasoning_effort=_one_of(Effort, settings.reasoning_effort, "reasoning_effort"),
        grammar=settings.grammar,
        dialect=_one_of(Dialect, settings.dialect, "dialect"),
        patience=_patience(settings),
        price_file=_if_there(config_directory() / "prices.json"),
        findings_file=str(findings_file()),
        environ=_keys(settings.model),
    )


def _keys(model: str) -> dict[str, str]:
    """The environment over the keys that the user has kept; a local model needs none."""
    if model.startswith(("scripted/", "embedded")):
        return dict(os.environ)
    from interpreter.settings.keys import kept_keys

    return {**kept_keys(), **os.environ}


def _one_of(kind: Any, value: str, name: str) -> Any:
    """A setting that has only a few values; None if it is not set."""
    if value and value not in get_args(kind):
        raise ConfigurationError(f"{name} is one of {', '.join(get_args(kind))}, not {value!r}.")
    return value or None


def _patience(settings: Settings) -> Patience:
    from interpreter.models.options import Patience

    if not settings.model_timeout:
        return Patience()
    seconds = settings.model_timeout
    return Patience(silence_seconds=seconds, local_silence_seconds=seconds)


def findings_file() -> Path:
    """Where the self-tests of models are remembered."""
    return config_directory() / "models.json"


def _if_there(path: Path) -> str | None:
    return str(path) if path.exists() else None


def _templates(settings: Settings) -> Templates:
    """The wordings that are set; the others are the usual ones."""
    from interpreter.models.options import Templates

    wordings = {field.name: getattr(settings, field.name) for field in fields(Templates)}
    given = {name: value for name, value in wordings.items() if value not in ("", None)}
    if settings.execution_instructions == "":  # set to nothing: the model is told nothing
        given["execution_instructions"] = ""
    return Templates(**given)
