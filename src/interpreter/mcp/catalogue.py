"""Tools as functions: their signatures and texts for code and model, and how one is found."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.mcp.configuration import as_attribute
from interpreter.mcp.listings import ListedTool
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import drawn, is_mark

LONGEST_LINE = 160
LONGEST_TEXT = 3_000
DEEPEST = 6
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}


@frozen
class ToolFunction:
    """A tool under the name that code calls it by."""

    server: str
    name: str
    tool: ListedTool

    @property
    def full_name(self) -> str:
        """As it is called."""
        return f"tools.{self.server}.{self.name}"

    def signature(self) -> str:
        """Its parameters and what comes back, with types."""
        schema = self.tool.input_schema
        parts = _properties(schema)
        required = _required(schema)
        ordered = sorted(parts, key=lambda name: name not in required)
        shown = [_parameter(name, parts[name], optional=name not in required) for name in ordered]
        back = annotation(self.tool.output_schema) if self.tool.output_schema else "str"
        return f"{self.full_name}({', '.join(shown)}) -> {back}"

    def line(self) -> str:
        """It in one line."""
        first = seen(self.tool.description or self.tool.title).strip().partition("\n")[0]
        return f"{self.signature()}  # {first}"[: LONGEST_LINE * 2]

    def document(self) -> str:
        """What its docstring says."""
        told = [seen(self.tool.description or self.tool.title).strip()]
        for name, part in _properties(self.tool.input_schema).items():
            text = part.get("description")
            if isinstance(text, str) and text.strip():
                told.append(f"{name}: {' '.join(seen(text).split())}")
        return "\n".join(filter(None, told))[:LONGEST_TEXT]


def functions(server: str, tools: Iterable[ListedTool]) -> tuple[ToolFunction, ...]:
    """The tools of a server, each under a name of its own."""
    found: dict[str, ToolFunction] = {}
    for tool in tools:
        name = as_attribute(tool.name)
        name = f"{name}_" if keyword.iskeyword(name) else name
        while name in found:
            name += "_"
        found[name] = ToolFunction(server, name, tool)
    return tuple(found.values())


def search(query: str, among: Iterable[ToolFunction], most: int = 10) -> tuple[ToolFunction, ...]:
    """The tools that fit best: a word in the name counts more than one in the text."""
    words = set(_words(query))
    ranked: list[tuple[float, str, ToolFunction]] = []
    for function in among:
        name = set(_words(f"{function.server} {function.tool.name} {function.tool.title}"))
        text = set(_words(function.tool.description)) | set(_properties(function.tool.input_schema))
        score = sum(3.0 * _fit(word, name) + _fit(word, text) for word in words)
        if score or not words:
            ranked.append((-score, function.full_name, function))
    return tuple(function for *_, function in sorted(ranked, key=lambda one: one[:2])[:most])


def parameters(tool: ListedTool) -> dict[str, Any]:
    """The schema of a tool's arguments as it can be checked before the server sees them."""
    plain = _plain(tool.input_schema, 0)
    plain.setdefault("properties", {})
    known = tool.input_schema.get("additionalProperties")
    return {**plain, "type": "object", "additionalProperties": known is not False}


def seen(text: str) -> str:
    """A text without what nobody sees: the model is to read no more than the user can."""
    return "\n".join(
        "".join(
            one
            for one, shown in zip(line, drawn(line), strict=True)
            if one in " \t" or not is_mark(shown)
        )
        for line in text.split("\n")
    )


def annotation(schema: Any, depth: int = 0) -> str:
    """The type of a value, as Python writes it."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return "Any"
    choices = schema.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= 8:
        shown = (repr(seen(one) if isinstance(one, str) else one) for one in choices)
        return f"Literal[{', '.join(shown)}]"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(dict.fromkeys(_TYPES.get(str(one), "Any") for one in kind))
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"list[{annotation(schema['items'], depth + 1)}]"
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list):
            found = (annotation(one, depth + 1) for one in schema[word][:6])
            return " | ".join(dict.fromkeys(found))
    return _TYPES.get(str(kind), "Any")


def _parameter(name: str, part: Mapping[str, Any], *, optional: bool) -> str:
    default = part.get("default")
    plain = isinstance(default, str | int | float | bool)
    shown = repr(seen(default) if isinstance(default, str) else default) if plain else "None"
    return f"{seen(name)}: {annotation(part)}" + (f" = {shown[:40]}" if optional else "")


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = schema.get("properties")
    found = found if isinstance(found, dict) else {}
    return {name: part if isinstance(part, dict) else {} for name, part in found.items()}


def _required(schema: Mapping[str, Any]) -> list[str]:
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _plain(schema: Any, depth: int) -> dict[str, Any]:
    """The part of a schema that is about types and choices, in a shape that can be relied on."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return {}
    kept: dict[str, Any] = {}
    kind = schema.get("type")
    if isinstance(kind, str) or (isinstance(kind, list) and all(isinstance(k, str) for k in kind)):
        kept["type"] = kind
    if isinstance(schema.get("enum"), list):
        kept["enum"] = schema["enum"]
    if isinstance(schema.get("items"), dict):
        kept["items"] = _plain(schema["items"], depth + 1)
    if isinstance(schema.get("properties"), dict):
        parts = schema["properties"].items()
        kept["properties"] = {name: _plain(part, depth + 1) for name, part in parts}
    if isinstance(schema.get("required"), list):
        kept["required"] = _required(schema)
    return kept


def _words(text: str) -> list[str]:
    return [word.lower() for part in text.split() for word in _PARTS.findall(part)]


def _fit(word: str, words: set[str]) -> float:
    if word in words:
        return 1.0
    return (
        0.5
        if len(word) > 2
        and any(w.startswith(word) or word.startswith(w) for w in words if len(w) > 2)
        else 0.0
    )
