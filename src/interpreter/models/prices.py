"""What tokens cost, from a table that ships with the package and can be refreshed by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import Usage
from interpreter.protocol.values import frozen

_MILLION = 1_000_000
_LARGEST_TABLE = 50_000_000


@frozen
class Price:
    """Dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None

    def cost(self, usage: Usage, *, written: int = 0) -> float:
        """What a request cost; `written` is the part of the input that was put into a cache."""
        fresh = usage.input - usage.cached - written
        cached = self.input if self.cached is None else self.cached
        write = self.input if self.cache_write is None else self.cache_write
        parts = fresh * self.input + usage.cached * cached + written * write
        return (parts + usage.output * self.output) / _MILLION


FREE = Price(0.0, 0.0)
"""What a model on this machine costs, whatever its name."""


def priced(usage: Usage | None, price: Price | None) -> Usage | None:
    """The usage with what it cost, where the price is known."""
    if usage is None or price is None or usage.dollars is not None:
        return usage
    return replace(usage, dollars=price.cost(usage))


@frozen
class ModelFacts:
    """What is known about a model from the table."""

    price: Price | None = None
    context_window: int | None = None
    max_output: int | None = None
    tools: bool | None = None
    images: bool | None = None
    reasoning: bool | None = None


@lru_cache(maxsize=4)
def table(refreshed: Path | None = None) -> dict[str, dict[str, Any]]:
    """The shipped table, with the rows of a refreshed one over it."""
    shipped = resources.files("interpreter.models").joinpath("prices.json").read_text("utf-8")
    rows: dict[str, dict[str, Any]] = json.loads(shipped)
    if refreshed is not None and refreshed.is_file():
        try:
            rows.update(json.loads(refreshed.read_text("utf-8")))
        except ValueError as error:
            raise ConfigurationError(f"{refreshed} is no price table; delete it.") from error
    return rows


def facts_about(model: str, refreshed: Path | None = None) -> ModelFacts:
    """What the table says about a model, by its whole name, its last part, or without its date."""
    rows = table(refreshed)
    for name in _spellings(model):
        if name in rows:
            return _facts(rows[name])
    return ModelFacts()


def pricing_of(model: str, refreshed: Path | None = None) -> Callable[[Usage], float | None]:
    """What a usage of that model costs, or would cost; None where the price is not known."""
    price = facts_about(model, refreshed).price
    return lambda usage: price.cost(usage) if price is not None else None


def refresh(source: Path, target: Path) -> int:
    """Write a new table from a price map in LiteLLM's public format; how many models it has."""
    try:
        if source.stat().st_size > _LARGEST_TABLE:
            raise ConfigurationError(f"{source} is too large for a price table.")
        rows = compact(json.loads(source.read_text("utf-8")))
    except OSError as error:
        raise ConfigurationError(
            f"Cannot read the price map {source}: {error.strerror}."
        ) from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise ConfigurationError(f"{source} is no price map: {error}") from error
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(rows, separators=(",", ":")), "utf-8")
    table.cache_clear()
    return len(rows)


def compact(prices: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows and columns of a price map that we use."""
    rows = {}
    for name, row in prices.items():
        if isinstance(row, dict) and row.get("mode") in ("chat", "responses"):
            rows[name] = {key: value for key, value in _columns(row).items() if value is not None}
    return rows


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "in": _per_million(row.get("input_cost_per_token")),
        "out": _per_million(row.get("output_cost_per_token")),
        "cached": _per_million(row.get("cache_read_input_token_cost")),
        "write": _per_million(row.get("cache_creation_input_token_cost")),
        "window": _whole(row.get("max_input_tokens") or row.get("max_tokens")),
        "reply": _whole(row.get("max_output_tokens")),
        "tools": _yes(row.get("supports_function_calling")),
        "images": _yes(row.get("supports_vision")),
        "reasons": _yes(row.get("supports_reasoning")),
    }


def _facts(row: dict[str, Any]) -> ModelFacts:
    price = None
    if "in" in row and "out" in row:
        price = Price(row["in"], row["out"], row.get("cached"), row.get("write"))
    return ModelFacts(
        price,
        row.get("window"),
        row.get("reply"),
        bool(row.get("tools")),
        bool(row.get("images")),
        bool(row.get("reasons")),
    )


def _spellings(model: str) -> tuple[str, ...]:
    bare = model.rpartition("/")[2]
    undated = bare
    parts = bare.rsplit("-", 1)
    if len(parts) == 2 and parts[1].isdigit() and len(parts[1]) == 8:
        undated = parts[0]
    return (model, bare, bare.partition(":")[0], undated, f"{undated}-latest")


def _per_million(value: Any) -> float | None:
    return round(value * _MILLION, 6) if isinstance(value, int | float) else None


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _yes(value: Any) -> int | None:
    return 1 if value else None
