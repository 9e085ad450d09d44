"""Write web/src/events.ts: the types of events, messages and decisions, as the codec sends them."""

import types
import typing
from dataclasses import fields, is_dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, Literal, Union

from interpreter.protocol import actions, events, live, messages
from interpreter.protocol.json.codec import tagged_kinds

TARGET = Path(__file__).parents[1] / "web" / "src" / "events.ts"
HEAD = """\
// Written by scripts/event_types.py from src/interpreter/protocol; change it there.

/** Bytes, as the codec sends them: in place, or kept elsewhere under a name. */
export type Bytes = { type: "bytes"; base64: string } | { type: "bytes"; kept: string };
"""
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", bytes: "Bytes"}
NAMED = {
    "Action": messages.Action,
    "Part": messages.Part,
    "Event": events.Event,
    "LiveEvent": live.LiveEvent,
}


def typescript() -> str:
    """The whole file."""
    values = [_interface(kind) for kind in sorted(tagged_kinds(), key=lambda kind: kind.__name__)]
    unions = [
        f"export type {name} =\n  | " + "\n  | ".join(kind.__name__ for kind in typing.get_args(of))
        for name, of in NAMED.items()
    ]
    table = f"export const TABLE = {_quoted(messages.TABLE)};"
    answers = f"export type Answer = {_type(actions.Answer)};"
    return "\n".join([HEAD, *values, *(f"{union};\n" for union in unions), answers, table, ""])


def _interface(kind: type) -> str:
    hints = typing.get_type_hints(kind)
    lines = [f"export interface {kind.__name__} {{", f"  type: {_quoted(kind.__name__)};"]
    lines += [f"  {field.name}: {_type(hints[field.name])};" for field in fields(kind)]
    return "\n".join([*lines, "}\n"])


def _type(hint: Any) -> str:
    named = next((name for name, union in NAMED.items() if hint == union), PLAIN.get(hint, ""))
    if named:
        return named
    if is_dataclass(hint):
        return hint.__name__
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " | ".join(map(_quoted, inner))
    if origin is tuple:
        item = _type(inner[0])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if origin in (Union, types.UnionType):
        return _union(inner)
    raise TypeError(f"no TypeScript for {hint!r}")


def _union(kinds: tuple[Any, ...]) -> str:
    """A union of types; one of ours that may be None besides keeps its name."""
    rest = tuple(kind for kind in kinds if kind is not type(None))
    if rest == kinds:
        return " | ".join(map(_type, kinds))
    return f"{_type(reduce(or_, rest))} | null"


def _quoted(text: str) -> str:
    return f'"{text}"'


if __name__ == "__main__":
    TARGET.write_text(typescript(), encoding="utf-8")
