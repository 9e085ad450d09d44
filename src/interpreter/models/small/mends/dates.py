"""Dates that a table has as text, and a program takes for dates."""

from __future__ import annotations

import ast
import re

from interpreter.models.small.checks.program import WRITES, tables_read
from interpreter.models.small.parsed import editable, if_it_parses

DATES = re.compile(r"^- '(.+?)' dates as text, (\S+) to ", re.MULTILINE)  # all in one form
NO_DATES = re.compile(
    r"Can only use \.dt accessor|unsupported operand type\(s\) for -: 'str' and 'str'"
    r"|operation 'sub' not supported for dtype 'str'"
)


def with_dates(question: str, source: str, error: str) -> str:
    """A program that failed since dates are texts, with dates made of those that it uses; the same
    program where it makes some itself, or would write them into a file in another form."""
    if not NO_DATES.search(error) or "to_datetime" in source or WRITES.search(source):
        return source
    tree = editable(source)
    tables = list(tables_read(tree))
    if len(tables) != 1 or "parse_dates" in source:
        return source
    ((table, end),) = tables
    used = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    lines = source.split("\n")
    lines[end:end] = [
        f"{table}[{name!r}] = pd.to_datetime({table}[{name!r}]{', dayfirst=True' * ('.' in first)})"
        for name, first in dict(DATES.findall(question)).items()
        if name in used and "/" not in first  # whose month it is, nobody can say
    ]
    return if_it_parses("\n".join(lines), source)
