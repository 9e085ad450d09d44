"""Rows that the profile of a file warns of, and that a program takes as they are: one that holds
the total of the others, and one thing that is spelt in several ways."""

from __future__ import annotations

import ast
import re

from interpreter.models.small.checks.conditions import TOTALS, counts_a_total
from interpreter.models.small.checks.groups import spelt_apart
from interpreter.models.small.checks.impossible import COUNTED
from interpreter.models.small.checks.program import tables_read
from interpreter.models.small.parsed import editable, if_it_parses

WITHOUT = "{table} = {table}[{table}[{column!r}].astype(str).str.strip() != {text!r}]"
ALIKE = "{table}[{column!r}] = {table}[{column!r}].str.strip().str.lower()"
ONE_ROW = "Careful: 1 row(s)"
LOOKS = re.compile(r"\.(?:isin|contains|startswith|endswith|eq|map|replace|query)\(")
TITLE = re.compile(r"^(?!- )(\S[^\n]*?)(?: \(read it with [^\n]*\))?: \d+ rows", re.MULTILINE)


def as_warned(question: str, source: str) -> str:
    """A program that leaves out the row with the total, and counts what is spelt differently once;
    the same program where it does so itself, or nothing of the kind is wanted."""
    tree = editable(source)
    tables = list(tables_read(tree))
    if len(tables) != 1:
        return source
    ((table, end),) = tables
    lines, more = source.split("\n"), []
    if counts_a_total(question, source) and (found := _total_in(question, source)):
        more.append(WITHOUT.format(table=table, column=found[1], text=found[2].strip()))
    is_count = COUNTED.search(question.partition("\n\n")[0])  # of which no spelling is shown
    if (
        is_count
        and not _looks_for_texts(source, tree)
        and (column := spelt_apart(question, source, tree))
    ):
        more.append(ALIKE.format(table=table, column=column))
    lines[end:end] = more
    return if_it_parses("\n".join(lines), source)


def _total_in(question: str, source: str) -> re.Match[str] | None:
    """The one row with a total of which a profile warns, if it is in the file that is read."""
    found = TOTALS.search(question)
    if found is None or not found[0].startswith(ONE_ROW):
        return None
    titles = TITLE.findall(question)
    above = TITLE.findall(question[: found.start()])
    return found if len(titles) == 1 or (above and above[-1] in source) else None


def _looks_for_texts(source: str, tree: ast.Module) -> bool:
    """Whether a program looks for texts, which may not be there any more in small letters."""
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    parts = [part for test in tests for part in ast.walk(test) if isinstance(part, ast.Constant)]
    texts = [part.value for part in parts if isinstance(part.value, str)]
    return bool(LOOKS.search(source)) or any(text != text.lower() for text in texts)
