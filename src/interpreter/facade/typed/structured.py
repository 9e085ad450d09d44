"""Answers as values: a schema for the model, and its JSON checked against a Python type."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from interpreter.protocol.json import answers as json_answers

NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
DATES: dict[Any, str] = {datetime.datetime: "date-time", datetime.date: "date"}


def request(kind: Any) -> str:
    """What is asked of the model, at the end of the question."""
    return json_answers.request(schema_of(kind))


def parse(text: str, kind: Any) -> Any:
    """The value in an answer; ValueError says in one line what is wrong with it."""
    is_object = kind_is_object(kind)
    if hasattr(kind, "model_validate_json"):  # pydantic's ValidationError is a ValueError
        return kind.model_validate_json(json_answers.raw_json(text, is_object=is_object))
    return build(json_answers.json_in(text, is_object=is_object), kind, "the answer")


def kind_is_object(kind: Any) -> bool:
    """Whether a type is written as a JSON object."""
    return dataclasses.is_dataclass(kind) or get_origin(kind) is dict or kind is dict


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of a type."""
    if hasattr(kind, "model_json_schema"):
        made: dict[str, Any] = kind.model_json_schema()
        return made
    if dataclasses.is_dataclass(kind):
        return _object_schema(kind)
    if kind in NAMES:
        return {"type": NAMES[kind]}
    if kind in DATES:
        return {"type": "string", "format": DATES[kind]}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    return _compound_schema(kind)


def _object_schema(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: schema_of(hints[name]) for name in names},
        "required": [field.name for field in dataclasses.fields(kind) if _is_required(field)],
        "additionalProperties": False,
    }
    if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}("):
        schema["description"] = kind.__doc__.strip()
    return schema


def _compound_schema(kind: Any) -> dict[str, Any]:
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one) for one in arguments]}
    if origin in (list, tuple, set, frozenset):
        items = arguments[0] if arguments else Any
        return {"type": "array", "items": schema_of(items)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of((*arguments, Any, Any)[1])}
    if kind is Any:
        return {}
    raise TypeError(f"{kind!r} cannot be asked for; use dataclasses, lists, and plain types.")


def build(data: Any, kind: Any, where: str) -> Any:
    """A value of the type from JSON data; nothing is guessed or converted."""
    if dataclasses.is_dataclass(kind):
        return _build_object(data, kind, where)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(data)
    if kind is Any:
        return data
    if kind in NAMES:
        return _build_plain(data, kind, where)
    if kind in DATES:
        return _converted(kind.fromisoformat, data, where)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _converted(kind, data, where)
    return _build_compound(data, kind, where)


def _build_plain(data: Any, kind: Any, where: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if not isinstance(data, kind) or (kind is not bool and isinstance(data, bool)):
        raise ValueError(f"{where} must be {NAMES[kind]}, not {_short(data)}")
    return data


def _build_object(data: Any, kind: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise ValueError(f"{where} must be an object, not {_short(data)}")
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    missing = [name for name, field in fields.items() if _is_required(field) and name not in data]
    unknown = [name for name in data if name not in fields]
    if missing or unknown:
        what = f"lacks {', '.join(missing)}" if missing else f"has the unknown {unknown[0]!r}"
        raise ValueError(f"{where} {what}")
    values = {name: build(data[name], hints[name], f"{where}.{name}") for name in data}
    return kind(**values)


def _build_compound(data: Any, kind: Any, where: str) -> Any:
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        if data not in arguments:
            raise ValueError(f"{where} must be one of {arguments}, not {_short(data)}")
        return data
    if origin in (Union, types.UnionType):
        return _build_union(data, arguments, where)
    if origin is dict:
        if not isinstance(data, dict):
            raise ValueError(f"{where} must be an object, not {_short(data)}")
        item = (*arguments, Any, Any)[1]
        return {key: build(value, item, f"{where}.{key}") for key, value in data.items()}
    if not isinstance(data, list):
        raise ValueError(f"{where} must be a list, not {_short(data)}")
    return origin(_build_items(data, origin, arguments, where))


def _build_items(data: list[Any], origin: Any, arguments: tuple[Any, ...], where: str) -> list[Any]:
    kinds: tuple[Any, ...] = arguments[:1] * len(data) if arguments else (Any,) * len(data)
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        if len(data) != len(arguments):
            raise ValueError(f"{where} must have {len(arguments)} items, not {len(data)}")
        kinds = arguments
    return [
        build(item, kind, f"{where}[{place}]")
        for place, (item, kind) in enumerate(zip(data, kinds, strict=True))
    ]


def _build_union(data: Any, kinds: tuple[Any, ...], where: str) -> Any:
    problems = []
    for kind in kinds:
        try:
            return build(data, kind, where)
        except ValueError as error:
            problems.append(str(error))
    raise ValueError("; or ".join(problems))


def _converted(convert: Any, data: Any, where: str) -> Any:
    try:
        return convert(data)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error


def _is_required(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def _short(data: Any) -> str:
    text = json.dumps(data, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
