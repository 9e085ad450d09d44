"""Whether a value is what a JSON schema promised: as much of it as servers use, and no fetching."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

MOST_STEPS = 100_000
DEEPEST = 60
_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class _Check:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._steps = 0

    def faults(self, value: Any, schema: Any, place: str, depth: int) -> Iterator[str]:
        self._steps += 1
        if not isinstance(schema, dict) or depth > DEEPEST or self._steps > MOST_STEPS:
            if schema is False:
                yield f"{place} must not be there"
            return
        if isinstance(schema.get("$ref"), str):
            yield from self.faults(value, self._local(schema["$ref"]), place, depth + 1)
        if not _is_kind(value, schema.get("type")):
            yield f"{place} is no {schema['type']}"
            return
        if isinstance(schema.get("enum"), list) and value not in schema["enum"]:
            yield f"{place} is none of its values"
        if "const" in schema and value != schema["const"]:
            yield f"{place} is not {schema['const']!r}"
        yield from self._inside(value, schema, place, depth)
        yield from self._combined(value, schema, place, depth)

    def _inside(
        self, value: Any, schema: Mapping[str, Any], place: str, depth: int
    ) -> Iterator[str]:
        parts = schema.get("properties")
        parts = parts if isinstance(parts, dict) else {}
        if isinstance(value, dict):
            wanted = schema.get("required")
            for name in wanted if isinstance(wanted, list) else ():
                if name not in value:
                    yield f"{place} has no {name!r}"
            for name, one in value.items():
                below = parts.get(name, schema.get("additionalProperties", True))
                yield from self.faults(one, below, f"{place}.{name}", depth + 1)
        if isinstance(value, list):
            for at, one in enumerate(value):
                yield from self.faults(one, schema.get("items", True), f"{place}[{at}]", depth + 1)

    def _combined(
        self, value: Any, schema: Mapping[str, Any], place: str, depth: int
    ) -> Iterator[str]:
        for word in ("allOf", "anyOf", "oneOf"):
            choices = schema.get(word)
            if not isinstance(choices, list) or not choices:
                continue
            found = [next(self.faults(value, one, place, depth + 1), "") for one in choices]
            if word == "allOf":
                yield from filter(None, found)
            elif all(found):
                yield f"{place} fits none of {word}"

    def _local(self, reference: str) -> Any:
        """A part of the same schema; one that is elsewhere promises nothing, and is not fetched."""
        if not reference.startswith("#"):
            return True
        part: Any = self._root
        for name in filter(None, reference.removeprefix("#").split("/")):
            key = name.replace("~1", "/").replace("~0", "~")
            part = part.get(key) if isinstance(part, dict) else None
        return True if part is None else part


def fault_in(value: Any, schema: Mapping[str, Any]) -> str:
    """What is wrong with a value, in a few words; empty if it is as promised."""
    return next(_Check(schema).faults(value, schema, "it", 0), "")


def _is_kind(value: Any, kind: Any) -> bool:
    if isinstance(kind, list):
        return any(_is_kind(value, one) for one in kind)
    if not isinstance(kind, str) or kind not in _KINDS:
        return True
    if isinstance(value, bool) and kind in ("number", "integer"):
        return False
    if kind == "integer" and isinstance(value, float):
        return math.isfinite(value) and value == int(value)
    return isinstance(value, _KINDS[kind])
