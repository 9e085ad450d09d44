"""The models that can be had without a provider: what they are, and where their files come from."""

from __future__ import annotations

import os
import tomllib
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from interpreter.models.options import Dialect
from interpreter.protocol.errors import ConfigurationError, UnknownModel
from interpreter.protocol.values import frozen

DATA = Path(__file__).with_name("catalogue.toml")
PREFIX = "embedded"
ANOTHER = "REPLOOP_CATALOGUE"


@frozen
class Sampling:
    """How a model is asked to speak."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024


@frozen
class Wheels:
    """A file cut into packages of the Python index; `{n}` counts them from 1."""

    requirement: str
    member: str
    count: int
    part: int
    """The size of every part but the last."""


@frozen
class CatalogueModel:
    """One model: its file, what that is checked against, and how it is best used."""

    name: str
    file: str
    size: int
    licence: str
    context: int
    kv_bytes: int
    """Bytes of memory that one token of context takes."""
    sha256: str = ""
    dialect: Dialect = "fenced"
    small: bool = False
    """Whether it needs the form made for small models."""
    hidden: bool = False
    sampling: Sampling = Sampling()
    ollama: tuple[str, ...] = ()
    huggingface: str = ""
    wheels: Wheels | None = None


@frozen
class Catalogue:
    """All models, by name."""

    default: str
    models: dict[str, CatalogueModel] = field(default_factory=dict)

    def get(self, name: str = "") -> CatalogueModel:
        """A model by its name, with or without `embedded/`; no name means the default."""
        short = name.removeprefix(PREFIX).removeprefix("/") or self.default
        if short in self.models:
            return self.models[short]
        known = ", ".join(model.name for model in self.shown())
        raise UnknownModel(f"There is no built-in model {short!r}; there are: {known}.")

    def shown(self) -> tuple[CatalogueModel, ...]:
        """The models that a user should see."""
        return tuple(model for model in self.models.values() if not model.hidden)


@cache
def catalogue() -> Catalogue:
    """The catalogue that is shipped, or the one that REPLOOP_CATALOGUE names."""
    return read(Path(os.environ.get(ANOTHER) or DATA))


def read(path: Path) -> Catalogue:
    """A catalogue from a file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        models = [_model(entry) for entry in content["model"]]
        return Catalogue(content["default"], {model.name: model for model in models})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"Cannot read the model catalogue {path}: {error}.") from error


def _model(entry: dict[str, Any]) -> CatalogueModel:
    nested = {"sampling": Sampling, "wheels": Wheels, "ollama": tuple}
    values = {
        key: _made(nested[key], value) if key in nested else value for key, value in entry.items()
    }
    return CatalogueModel(**values)


def _made(kind: type, value: Any) -> Any:
    return tuple(value) if kind is tuple else kind(**value)
