"""The models that can be had without a provider: what they are, and where their files come from."""

from __future__ import annotations

import os
import tomllib
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from interpreter.models.options import Dialect
from interpreter.protocol.errors import ConfigurationError
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
class Npm:
    """A file in a package of npm, taken as data: its members in the order in which they join."""

    package: str
    members: tuple[str, ...]
    size: int
    """Of the package, as it is downloaded."""


@frozen
class CatalogueFile:
    """One file, where it comes from, and what it is checked against."""

    name: str
    file: str
    size: int
    licence: str
    sha256: str = ""
    huggingface: str = ""
    path: str = ""
    """Where it is in that repository, if not by its own name."""
    wheels: Wheels | None = None
    npm: Npm | None = None


@frozen
class CatalogueModel(CatalogueFile):
    """One language model: its file, and how it is best used."""

    context: int = 0
    kv_bytes: int = 0
    """Bytes of memory that one token of context takes."""
    dialect: Dialect = "fenced"
    small: bool = False
    """Whether it needs the form made for small models."""
    hidden: bool = False
    sampling: Sampling = Sampling()
    ollama: tuple[str, ...] = ()


@frozen
class Catalogue:
    """All models, by name."""

    default: str
    models: dict[str, CatalogueModel] = field(default_factory=dict)
    voice: tuple[CatalogueFile, ...] = ()
    """What listening and speaking need."""

    def get(self, name: str = "") -> CatalogueModel:
        """A model by its name, with or without `embedded/`; no name means the default."""
        short = name.removeprefix(PREFIX).removeprefix("/") or self.default
        if short in self.models:
            return self.models[short]
        known = ", ".join(model.name for model in self.shown())
        raise ConfigurationError(f"There is no built-in model {short!r}; there are: {known}.")

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
        models = [CatalogueModel(**_values(entry)) for entry in content["model"]]
        voice = tuple(CatalogueFile(**_values(entry)) for entry in content.get("voice", ()))
        return Catalogue(content["default"], {model.name: model for model in models}, voice)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"Cannot read the model catalogue {path}: {error}.") from error


def _values(entry: dict[str, Any]) -> dict[str, Any]:
    values = dict(entry)
    if "sampling" in entry:
        values["sampling"] = Sampling(**entry["sampling"])
    if "wheels" in entry:
        values["wheels"] = Wheels(**entry["wheels"])
    if "ollama" in entry:
        values["ollama"] = tuple(entry["ollama"])
    if "npm" in entry:
        values["npm"] = Npm(**{**entry["npm"], "members": tuple(entry["npm"]["members"])})
    return values
