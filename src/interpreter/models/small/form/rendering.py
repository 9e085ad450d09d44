"""Code that shows a value of the session in the form that was asked for.

A table that was printed is a picture of one: what was asked for as JSON or CSV is written by the
value itself, which is still there.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from interpreter.models.small.form.printed import VALUE_NOW

RECORDS = (
    "value = {value}\n"
    "print(value.to_json(orient='records') if getattr(value, 'ndim', 0) == 2 else "
    "value.to_json() if hasattr(value, 'to_json') else value)"
)
RENDERED = "# The same value, in the form that was asked for.\n"
FORMS = {
    **dict.fromkeys(("json", "yaml", "dictionary", "table"), RECORDS),
    "csv": (
        "value = {value}\n"
        "value = value.reset_index() if getattr(value, 'ndim', 0) == 1 else value\n"
        "plain = getattr(getattr(value, 'index', None), 'name', None) is None\n"
        "print(value.to_csv(index=not plain).strip() if hasattr(value, 'to_csv') else value)"
    ),
}


def rendering(source: str, kind: str) -> str:
    """Code that shows what a block printed last in a form; empty where it printed no such value."""
    if kind not in FORMS:
        return ""
    try:
        last = ast.parse(source).body[-1]
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError):
        return ""
    match last:
        case ast.Expr(ast.Call(ast.Name("print"), [value], [])):
            pass
        case ast.Expr(value):
            pass
        case _:
            return ""
    match value:
        case ast.Call(ast.Attribute(itself, "to_string" | "to_markdown" | "to_dict")):
            value = itself
    if not _is_a_value(value):
        return ""
    return RENDERED + FORMS[kind].format(value=ast.unparse(value))


def _is_a_value(node: ast.expr) -> bool:
    """Whether it is a variable, a part of it, or made of it by its own methods."""
    while True:
        match node:
            case ast.Name():
                return True
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return False


def with_keys(keys: Sequence[str], variables: str) -> str:
    """Code that shows the variables that are called as the keys of an answer; empty where one is
    missing."""
    there = {name for name, _ in VALUE_NOW.findall(variables)}
    if not keys or not all(key in there for key in keys):
        return ""
    return RENDERED + "print({" + ", ".join(f"{key!r}: {key}" for key in keys) + "})"
