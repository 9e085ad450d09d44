"""Answers that have to fit a JSON schema: values that were printed, made to fit where they do."""

from __future__ import annotations

import json
import math
import re
from typing import Any

SCHEMA = re.compile(r"\bschema\b[^\n]*\n(\{.*\})[ \t]*$", re.MULTILINE)
DEEPEST = 8
WORDS = {"true": True, "yes": True, "false": False, "no": False}


class DoesNotFitError(ValueError):
    """A value that a schema has no place for."""


def schema_in(question: str) -> dict[str, Any] | None:
    """The schema that a question gives, where it gives one."""
    found = SCHEMA.search(question)
    try:
        schema = json.loads(found.group(1)) if found else None
    except (ValueError, RecursionError):
        return None
    return schema if isinstance(schema, dict) else None


def fitted(value: Any, schema: Any, depth: int = 0) -> Any:
    """A value as the schema wants it: 42.0 is an integer, too; DoesNotFitError for all others."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return value
    match schema.get("type"):
        case "object":
            return _object(value, schema, depth)
        case "array":
            if not isinstance(value, list | tuple):
                raise DoesNotFitError
            return [fitted(item, schema.get("items"), depth + 1) for item in value]
        case "integer" | "number" as kind:
            return _number(value, kind)
        case "boolean":
            return _truth(value)
        case "string":
            return value if isinstance(value, str) else str(value)
        case _:
            return value


def _object(value: Any, schema: dict[str, Any], depth: int) -> dict[str, Any]:
    parts = schema.get("properties") or {}
    if not isinstance(parts, dict):
        raise DoesNotFitError
    if not isinstance(value, dict):
        if len(parts) != 1:
            raise DoesNotFitError
        ((name, part),) = parts.items()
        return {name: fitted(value, part, depth + 1)}
    if not parts:
        inner = schema.get("additionalProperties")
        return {str(name): fitted(item, inner, depth + 1) for name, item in value.items()}
    given = {str(name).strip().lower().replace(" ", "_"): item for name, item in value.items()}
    found = {name: given[name.lower()] for name in parts if name.lower() in given}
    if any(name not in found for name in schema.get("required", ())):
        raise DoesNotFitError
    return {name: fitted(item, parts[name], depth + 1) for name, item in found.items()}


def _number(value: Any, kind: str) -> int | float:
    try:
        number = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not math.isfinite(number) or (kind == "integer" and number % 1):
        raise DoesNotFitError
    return int(number) if kind == "integer" else number


def _truth(value: Any) -> bool:
    truth = value if isinstance(value, bool) else WORDS.get(str(value).strip().lower())
    if truth is None:
        raise DoesNotFitError
    return truth
