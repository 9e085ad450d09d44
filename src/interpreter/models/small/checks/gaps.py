"""Gaps in tables: rows that are dropped for nothing.

`df.dropna()` takes away every row that lacks anything, also in columns that the question is not
about: of a table with one sparse column little is left.
"""

from __future__ import annotations

import ast
import re

from interpreter.models.small.checks.slips import if_it_parses
from interpreter.models.small.hints import COLUMN, INCOMPLETE

SAID = re.compile(  # whoever speaks of gaps says which rows are meant
    r"\b(?:missing|nulls?|nan|n/?a|incomplete|complete|empty|gaps?|blanks?|listwise|drop\w*|any)\b",
    re.I,
)
ALL_COLUMNS = re.compile(r"\.(?:drop|columns|select_dtypes|iloc|corr|cov|describe|values|to_\w+)\b")


def with_fewer_dropped(question: str, source: str) -> str:
    """A program that drops only rows which lack something that it uses; the same program where it
    does so already, or where it is not known what it uses."""
    gaps = set(INCOMPLETE.findall(question))
    is_plain = "dropna(" in source and gaps and not ALL_COLUMNS.search(source)
    if not is_plain or "\r" in source or SAID.search(question.partition("\n\n")[0]):
        return source
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    used = [name for name in dict.fromkeys(COLUMN.findall(question)) if name in _names(tree)]
    calls = _bare_calls(tree)
    if not used or not calls or gaps <= set(used):
        return source
    lines = [line.encode() for line in source.split("\n")]
    for call in sorted(calls, key=lambda one: one.col_offset, reverse=True):
        more = f"subset={used!r}{', ' if call.keywords else ''}".encode()
        at = (call.func.end_col_offset or 0) + 1
        number = (call.func.end_lineno or 1) - 1
        lines[number] = lines[number][:at] + more + lines[number][at:]
    return if_it_parses(b"\n".join(lines).decode(), source)


def _names(tree: ast.AST) -> set[str]:
    """The texts and attributes of a program, among which its columns are."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)):
                found.add(text)
            case ast.Attribute(attr=name):
                found.add(name)
    return found


def _bare_calls(tree: ast.Module) -> list[ast.Call]:
    """`table.dropna()` of tables that were read as a whole, and of which nothing was chosen yet."""
    tables: set[str] = set()
    calls = []
    for statement in tree.body:
        for node in ast.walk(statement):
            match node:
                case ast.Call(ast.Attribute(ast.Name(name), "dropna"), []) if name in tables:
                    if all(one.arg == "inplace" for one in node.keywords):
                        calls.append(node)
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(attr=how))):
                keeps_all = how.startswith("read_") or (
                    how in ("dropna", "copy") and name in tables
                )
                (tables.add if keeps_all else tables.discard)(name)
            case ast.Assign([ast.Name(name)]):
                tables.discard(name)
    return calls
