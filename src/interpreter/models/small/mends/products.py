"""Totals of products, such as prices times units, that are made of totals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

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
    tree = editable(source)
    lines = [line.encode() for line in source.split("\n")]
    found = sorted(_totals(tree), key=lambda one: one.col_offset, reverse=True)
    for node in found:  # from the right, so that places stay right
        if columns := _multiplied(node):
            line = lines[node.lineno - 1]
            product = f"({' * '.join(columns)}).sum()".encode()
            lines[node.lineno - 1] = line[: node.col_offset] + product + line[node.end_col_offset :]
    return if_it_parses(b"\n".join(lines).decode(), source)


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
    is_plain = one == other and node.lineno == node.end_lineno
    return (ast.unparse(left), ast.unparse(right)) if is_plain else ()


def _totals(tree: ast.Module) -> Iterator[ast.expr]:
    """Values that are to be one number: printed, or called a total."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value) if TOTAL.search(name) and name[-1] != "s":
                yield value
            case ast.Call(ast.Name("print" | "round"), parts):
                yield from parts
