"""The part of JSON Schema that our requests need: the same text checks them and documents them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
NUMBER = re.compile(r"-?\d{1,15}")


def text(most: int = 200, **more: Any) -> Schema:
    """A short text."""
    return {"type": "string", "maxLength": most, **more}


def whole(least: int = 0, most: int = 1_000_000_000, **more: Any) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": least, "maximum": most, **more}


def one_of(*words: str, **more: Any) -> Schema:
    """One of a few words."""
    return {"type": "string", "enum": list(words), **more}


def fields(*needed: str, **properties: Schema) -> Schema:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(needed),
        "additionalProperties": False,
    }


def listed(items: Schema, most: int = 100_000) -> Schema:
    """A list of one kind of thing."""
    return {"type": "array", "items": items, "maxItems": most}


def or_null(schema: Schema) -> Schema:
    """The same, or nothing."""
    return {**schema, "type": [schema["type"], "null"]}


def problem(value: Any, schema: Schema, where: str = "The body") -> str:
    """What is wrong with a value, as a sentence; empty when nothing is."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        return f"{where} must be of type {' or '.join(kinds)}."
    if "enum" in schema and value not in schema["enum"] and value is not None:
        return f"{where} must be one of {', '.join(schema['enum'])}."
    if isinstance(value, str) and not (
        schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
    ):
        return f"{where} is too short or too long."
    if isinstance(value, int | float) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    ):
        return f"{where} is too small or too large."
    return _problem_inside(value, schema, where)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, KINDS[kind])


def _problem_inside(value: Any, schema: Schema, where: str) -> str:
    found: list[str] = []
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            return f"{where} has too many items."
        found = [problem(item, schema.get("items", {}), f"An item of {where}") for item in value]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found = [
            f"{name!r} is missing." for name in schema.get("required", ()) if name not in value
        ]
        for name, item in value.items():
            if name in known:
                found.append(problem(item, known[name], repr(name)))
            elif schema.get("additionalProperties", True) is False:
                found.append(f"{name!r} is not known here.")
    return next(filter(None, found), "")


def from_text(given: str, schema: Schema) -> Any:
    """What a text in an address stands for; the text itself where it is not of that type."""
    if schema["type"] == "integer" and NUMBER.fullmatch(given):
        return int(given)
    if schema["type"] == "boolean" and given in ("true", "false"):
        return given == "true"
    return given
