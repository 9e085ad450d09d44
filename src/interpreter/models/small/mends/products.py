"""Totals of products, such as prices times units, that are made of totals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from interpreter.models.small.checks.program import Edit, edited
from interpreter.models.small.parsed import editable, if_it_parses

PRICE = re.compile(r"price|rate\b|_per_|\bper\b|each\b|fee\b", re.IGNORECASE)
TOTAL = re.compile(r"total|sum|cost|worth|revenue|spent|overall|amount", re.IGNORECASE)
OF_PARTS = re.compile(
    r"\b(?:average|mean|shares?|proportion\w*|percent\w*|fractions?|each|every|per|multipl\w+|times"
    r"|split\w*|divid\w+|distribut\w+|allocat\w+|apportion\w*|assign\w*|among|according"
    r"|weight(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)


def with_products_summed(question: str, source: str) -> str:
    """`total = df["a"] * df["b"].sum()`, which multiplies each row by the sum of all, is written
    `total = (df["a"] * df["b"]).sum()`, where nobody asks for shares or averages."""
    if ".sum()" not in source or OF_PARTS.search(question.partition("\n\n")[0]):
        return source
    return if_it_parses(edited(source, _summed(editable(source))), source)


def _summed(tree: ast.Module) -> Iterator[Edit]:
    for node in _totals(tree):
        if columns := _multiplied(node):
            yield node, f"({' * '.join(columns)}).sum()"


def _multiplied(node: ast.expr) -> tuple[str, ...]:
    """The two columns of a table whose products are to be summed: `df["n"] * df["price"].sum()`,
    and the sum of one times the average price; nothing for all others."""
    match node:
        case ast.BinOp(
            ast.Subscript(ast.Name(one), ast.Constant(str())) as left,
            ast.Mult(),
            ast.Call(
                ast.Attribute(ast.Subscript(ast.Name(other), ast.Constant(str())) as right, "sum")
            ),
        ):
            pass
        case ast.BinOp(
            ast.Call(
                ast.Attribute(ast.Subscript(ast.Name(one), ast.Constant(str())) as left, "sum")
            ),
            ast.Mult(),
            ast.Call(
                ast.Attribute(
                    ast.Subscript(ast.Name(other), ast.Constant(str(name))) as right, "mean"
                )
            ),
        ) if PRICE.search(name):
            pass
        case _:
            return ()
    return (ast.unparse(left), ast.unparse(right)) if one == other else ()


def _totals(tree: ast.Module) -> Iterator[ast.expr]:
    """Values that are to be one number: printed, or called a total."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value) if TOTAL.search(name) and name[-1] != "s":
                yield value
            case ast.Call(ast.Name("print" | "round"), parts):
                yield from parts
