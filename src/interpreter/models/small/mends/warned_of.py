"""Rows that the profile of a file warns of, and that a program takes as they are: one that holds
the total of the others, and one thing that is spelt in several ways."""

from __future__ import annotations

import ast

from interpreter.models.small.checks.conditions import TOTALS, counts_a_total
from interpreter.models.small.checks.groups import spelt_apart
from interpreter.models.small.checks.impossible import COUNTED
from interpreter.models.small.checks.program import if_it_parses, tables_read

WITHOUT = "{table} = {table}[{table}[{column!r}].astype(str).str.strip() != {text!r}]"
ALIKE = "{table}[{column!r}] = {table}[{column!r}].str.strip().str.lower()"


def as_warned(question: str, source: str) -> str:
    """A program that leaves out the row with the total, and counts what is spelt differently once;
    the same program where it does so itself, or nothing of the kind is wanted."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    tables = list(tables_read(tree))
    if len(tables) != 1 or "\r" in source:
        return source
    ((table, end),) = tables
    lines, more = source.split("\n"), []
    if counts_a_total(question, source) and (found := TOTALS.search(question)):
        more.append(WITHOUT.format(table=table, column=found[1], text=found[2].strip()))
    is_count = COUNTED.search(question.partition("\n\n")[0])  # of which no spelling is shown
    if is_count and (column := spelt_apart(question, source, tree)):
        more.append(ALIKE.format(table=table, column=column))
    lines[end:end] = more
    return if_it_parses("\n".join(lines), source)
