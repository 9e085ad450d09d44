"""The arguments of a call, brought under the names of parameters and checked against a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from interpreter.protocol.calls import Arguments
from interpreter.protocol.messages import Face

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
    "bytes": (bytes, Face),
}
"""JSON schema's own, and `bytes`: bytes, a picture or a table."""


class Unfit(ValueError):
    """The arguments do not fit; the text tells the caller why."""


def bound(schema: Mapping[str, Any], value: Any, *, texts: bool = False) -> Arguments:
    """The arguments by name; `texts` is for a caller who has only texts, as a shell has."""
    if not isinstance(value, dict) or value.keys() != {"positional", "named"}:
        raise Unfit("A call has positional and named arguments.")
    positional, named = value["positional"], value["named"]
    if not isinstance(positional, list) or not isinstance(named, dict):
        raise Unfit("A call has positional and named arguments.")
    properties: Mapping[str, Any] = schema.get("properties", {})
    ordered = _in_order(properties, positional)
    if twice := sorted(ordered.keys() & named.keys()):
        raise Unfit(f"{twice[0]} is given twice.")
    arguments = {**ordered, **named}
    if texts:
        arguments = {n: _meant(properties.get(n, {}), text) for n, text in arguments.items()}
    _check(schema, properties, arguments)
    return arguments


def _in_order(properties: Mapping[str, Any], positional: list[Any]) -> Arguments:
    arguments: Arguments = {}
    left = list(positional)
    for name, schema in properties.items():
        if not left:
            break
        if schema.get("variadic"):
            arguments[name], left = left, []
        else:
            arguments[name] = left.pop(0)
    if left:
        raise Unfit(f"It takes {len(properties)} arguments, not {len(positional)}.")
    return arguments


def _meant(schema: Mapping[str, Any], text: Any) -> Any:
    """What a text stands for where the schema wants something else."""
    if not isinstance(text, str) or _fits(schema, text):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _check(schema: Mapping[str, Any], properties: Mapping[str, Any], arguments: Arguments) -> None:
    missing = [name for name in schema.get("required", ()) if name not in arguments]
    if missing:
        raise Unfit(f"{', '.join(missing)} must be given.")
    for name, value in arguments.items():
        if name in properties:
            if not _fits(properties[name], value):
                raise Unfit(f"{name} is to be {_wanted(properties[name])}, not {_shown(value)}.")
        elif not schema.get("additionalProperties"):
            raise Unfit(f"There is no {name!r}; there are: {', '.join(properties) or 'none'}.")


def _fits(schema: Any, value: Any) -> bool:
    """What a schema says about types, lists of choices and what is inside; the rest is for the
    function itself to mind."""
    if not isinstance(schema, Mapping):
        return True
    if "enum" in schema and value not in schema["enum"]:
        return False
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else list(wanted or ())
    if names and not any(_is_a(value, name) for name in names):
        return False
    if isinstance(value, list):
        return all(_fits(schema.get("items"), item) for item in value)
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        return all(_fits(inner.get(key), item) for key, item in value.items())
    return True


def _is_a(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


def _wanted(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(repr, schema['enum']))}"
    wanted, items = schema.get("type") or "object", schema.get("items")
    inner = f" of {items.get('type')}" if isinstance(items, Mapping) else ""
    return (wanted if isinstance(wanted, str) else " or ".join(wanted)) + inner


def _shown(value: Any) -> str:
    return repr(value) if len(repr(value)) <= 40 else f"a {type(value).__name__}"
