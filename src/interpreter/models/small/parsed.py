"""Programs as trees; a model also writes what is none."""

from __future__ import annotations

import ast

NO_PROGRAM = (SyntaxError, ValueError, RecursionError, MemoryError)


def parsed(source: str) -> ast.Module:
    """The tree of a program; an empty one where the text is none."""
    try:
        return ast.parse(source)
    except NO_PROGRAM:
        return ast.Module([], [])


def editable(source: str) -> ast.Module:
    """The same of a program whose lines are where its tree says; other marks end lines, too."""
    return parsed("" if "\r" in source or "\f" in source else source)


def if_it_parses(better: str, source: str) -> str:
    """An edited program, or the one that it was made of where it is none any more."""
    try:
        compile(better, "program", "exec")
    except NO_PROGRAM:
        return source
    return better
