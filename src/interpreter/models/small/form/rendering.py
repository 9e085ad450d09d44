"""Code that shows a value of the session in the form that was asked for.

A table that was printed is a picture of one: what was asked for as JSON or CSV is written by the
value itself, which is still there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from interpreter.models.small.form.printed import PLAIN_NOW
from interpreter.models.small.parsed import editable, if_it_parses, parsed

RECORDS = (
    "value = {value}\n"
    "print(value.to_json(orient='records') if getattr(value, 'ndim', 0) == 2 else "
    "value.to_json() if hasattr(value, 'to_json') else value)"
)
BRACES = re.compile(r"\{([A-Za-z_]\w*)(?:[:!][^{}]*)?\}")
QUOTES = (b"'", b'"')
NUMERIC = re.compile(r"int|float")
A_PATH = re.compile(r":\\|\A\\\\")
PATTERN = re.compile(r"\\[dDsSwW]|\[\^[^\]]+\]|\[[^\]]*(?:a-z|A-Z|0-9)[^\]]*\]")
MORE_THAN_TABLES = re.compile(
    r"\b(?:rename|move|unlink|remove|rmtree|mkdir|append|copy\w*|system|run|to_sql|execute)\("
    r"|\bopen\([^)\n]*['\"]a"
)
RENDERED = "# The same value, in the form that was asked for.\n"
FORMS = {
    **dict.fromkeys(("json", "yaml", "toml", "xml", "dictionary", "table"), RECORDS),
    "csv": (
        "value = {value}\n"
        "value = value.reset_index() if getattr(value, 'ndim', 0) == 1 else value\n"
        "plain = getattr(getattr(value, 'index', None), 'name', None) is None\n"
        "print(value.to_csv(index=not plain).strip() if hasattr(value, 'to_csv') else value)"
    ),
}


class _Text(ast.Constant):
    """A text in a program."""

    value: str


def rendering(source: str, kind: str) -> str:
    """Code that shows what a block printed last in a form; empty where it printed no such value."""
    if kind not in FORMS:
        return ""
    match parsed(source).body[-1:]:
        case [ast.Expr(ast.Call(ast.Name("print"), [value], []))]:
            pass
        case [ast.Expr(value)]:
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
    there = set(PLAIN_NOW.findall(variables))
    if not keys or not all(key in there for key in keys):
        return ""
    return RENDERED + "print({" + ", ".join(f"{key!r}: {key}" for key in keys) + "})"


def in_places(places: Sequence[tuple[str, str]], variables: str) -> str:
    """Code that shows the variables that are called as the places of a text to be filled in, or as
    the words before them; empty where one is missing."""
    there = set(PLAIN_NOW.findall(variables))
    found = [next((name for name in names if name in there), "") for names in places]
    if not found or not all(found):
        return ""
    named = zip(places, found, strict=True)
    shown = (f"print({f'{label or name}:'!r}, {variable})" for (label, name), variable in named)
    return RENDERED + "\n".join(shown)


def with_braces_filled(source: str, output: str) -> str:
    """A program whose texts are f-strings where it printed `{total}` instead of a value of that
    name; the same program where it did not."""
    nodes = list(ast.walk(editable(source)))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    stored = {node.id for node in nodes if isinstance(node, ast.Name)}
    lines = [line.encode() for line in source.split("\n")]
    for node in sorted(filter(_is_text, nodes), key=lambda one: -one.col_offset):
        names = BRACES.findall(node.value)
        line = lines[node.lineno - 1]
        forgot = names and stored.issuperset(names) and f"{{{names[0]}" in output
        if (
            forgot
            and id(node) not in inner
            and line[node.col_offset : node.col_offset + 1] in QUOTES
        ):
            lines[node.lineno - 1] = line[: node.col_offset] + b"f" + line[node.col_offset :]
    return if_it_parses(b"\n".join(lines).decode(), source)


def with_patterns(source: str) -> str:
    """A program that says of a pattern that it is one: pandas takes it for a plain text else, and
    replaces nothing. Programs that do more than write tables stay as they are, and texts of which
    numbers could be made without: nothing had to be replaced in them, and a sign might be."""
    if ".str.replace(" not in source or MORE_THAN_TABLES.search(source):
        return source
    nodes = list(ast.walk(editable(source)))
    lines = [line.encode() for line in source.split("\n")]
    numbers = {id(part) for node in nodes for part in _made_numbers(node)}
    found = [one for one in nodes if _replaces_literally(one) and id(one) not in numbers]
    for node in sorted(filter(_replaces_literally, found), key=lambda one: -one.end_col_offset):
        number, at = node.end_lineno - 1, node.end_col_offset - 1
        lines[number] = lines[number][:at] + b", regex=True" + lines[number][at:]
    return if_it_parses(b"\n".join(lines).decode(), source)


class _Call(ast.Call):
    """A call in a program, which ends somewhere."""

    end_lineno: int
    end_col_offset: int


def _replaces_literally(node: ast.AST) -> TypeGuard[_Call]:
    match node:
        case ast.Call(
            ast.Attribute(ast.Attribute(attr="str"), "replace"), [ast.Constant(str(text)), _], []
        ):
            return bool(PATTERN.search(text) and not A_PATH.search(text)) and _is_pattern(text)
        case _:
            return False


def _made_numbers(node: ast.AST) -> Iterator[ast.AST]:
    """What is made a number as a whole."""
    match node:
        case ast.Call(ast.Attribute(made, "astype"), [kind], []) if NUMERIC.search(
            ast.unparse(kind)
        ):
            yield from ast.walk(made)


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _is_text(node: ast.AST) -> TypeGuard[_Text]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
