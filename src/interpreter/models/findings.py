"""What a self-test found out about a model, remembered for the next time."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from interpreter.models.options import Dialect, ModelOptions
from interpreter.protocol.values import frozen


@frozen
class Findings:
    """What a model can really do; None where the test could not tell."""

    dialect: Dialect | None = None
    images: bool | None = None
    context_window: int | None = None


def applied(options: ModelOptions, findings: Findings) -> ModelOptions:
    """The options, with what was found where the user says nothing."""
    told = options.dialect is not None or options.supports_functions is not None
    return replace(
        options,
        dialect=options.dialect if told else findings.dialect,
        supports_vision=_first(options.supports_vision, findings.images),
        context_window=_first(options.context_window, findings.context_window),
    )


def remembered(path: Path, name: str) -> Findings:
    """What is known about a model of that name; nothing if it was never tested."""
    row = _read(path).get(name)
    if not isinstance(row, dict):
        return Findings()
    return Findings(**{key: row.get(key) for key in ("dialect", "images", "context_window")})


def remember(path: Path, name: str, findings: Findings) -> None:
    """Keep what was found."""
    rows = {**_read(path), name: asdict(findings)}
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(rows, indent=1), "utf-8")
    part.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        rows = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):  # never written, or spoilt: the test can be run again
        return {}
    return rows if isinstance(rows, dict) else {}


def _first(one: Any, other: Any) -> Any:
    return one if one is not None else other
