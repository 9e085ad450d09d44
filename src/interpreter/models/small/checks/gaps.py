"""Gaps in tables: rows that are dropped for nothing, and gaps that are not looked at.

`df.dropna()` takes away every row that lacks anything, also in columns that the question is not
about: of a table with one sparse column little is left. `df["a"].dropna(inplace=True)` takes away
nothing, and what SciPy computes of a column with a gap is no number.
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
FILLS = re.compile(r"\b(?:fill\w*|imput\w+|replac\w+|treat\w*|count\w* as)\b", re.IGNORECASE)
TREATED = re.compile(
    r"\.(?:dropna|fillna|notna|notnull|isna|isnull|interpolate|ffill|bfill|query)\(|nan_policy|\bnan"
    r"|isfinite"
)
FILLED = re.compile(r"\.(?:fillna|interpolate|ffill|bfill)\(|Imputer\(")
OF_SCIPY = re.compile(r"\bscipy\b|\bnp\.(?:percentile|quantile|corrcoef|polyfit|cov|median)\(")
NOT_A_NUMBER = re.compile(r"\b[Ii]nput (?:\w+ )?contains NaN|\bcontains? (?:NaN|infs or NaNs)")
ALL_COLUMNS = re.compile(r"\.(?:drop|columns|select_dtypes|iloc|corr|cov|describe|values|to_\w+)\b")


def with_fewer_dropped(question: str, source: str) -> str:
    """A program that drops only rows which lack something that it uses; the same program where it
    does so already, or where it is not known what it uses."""
    gaps = set(INCOMPLETE.findall(question))
    is_plain = "dropna(" in source and gaps and not ALL_COLUMNS.search(source)
    if not is_plain or "\r" in source or SAID.search(question.partition("\n\n")[0]):
        return source
    tree = _tree(source)
    if tree is None:
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


def with_gaps_dropped(question: str, source: str, error: str = "") -> str:
    """A program that takes away the rows which lack something that it uses, where what it computes
    is no number else; the same program where it looks at gaps itself."""
    tree = _tree(source)
    if tree is None or "\r" in source:
        return source
    lines = source.split("\n")
    for at, table, column in _dropped_in_vain(tree):
        if ";" not in lines[at]:
            lines[at] = f"{table} = {table}.dropna(subset=[{column!r}])"
    source = "\n".join(lines)
    words, names = question.partition("\n\n")[0], _names(tree)
    gaps = [name for name in dict.fromkeys(INCOMPLETE.findall(question)) if name in names]
    has_failed = NOT_A_NUMBER.search(error)  # what it leaves out was not enough
    treated = FILLED if has_failed else TREATED
    tables = _tables_read(tree)
    if len(tables) != 1 or not gaps or treated.search(source) or FILLS.search(words):
        return source
    ((table, end),) = tables
    dropped = f"{table} = {table}.dropna(subset={gaps!r})"
    if dropped in lines or not (has_failed or OF_SCIPY.search(source)):
        return source
    lines[end:end] = [dropped]
    return if_it_parses("\n".join(lines), source)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _dropped_in_vain(tree: ast.Module) -> list[tuple[int, str, str]]:
    """Lines such as `df["a"].dropna(inplace=True)`, each with its table and its column."""
    found = []
    for statement in tree.body:
        match statement:
            case ast.Expr(
                ast.Call(
                    ast.Attribute(
                        ast.Subscript(ast.Name(table), ast.Constant(str(column))), "dropna"
                    ),
                    [],
                )
            ) if statement.lineno == statement.end_lineno:
                found.append((statement.lineno - 1, table, column))
    return found


def _tables_read(tree: ast.Module) -> list[tuple[str, int]]:
    """The tables that a program reads, each with the line behind which it is there."""
    found = []
    for statement in tree.body:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(attr=how))) if how.startswith(
                "read_"
            ):
                found.append((name, statement.end_lineno or statement.lineno))
    return found


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
