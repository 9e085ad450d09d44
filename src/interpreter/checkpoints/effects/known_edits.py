"""Edits that are known before a block runs: all that it does is to write fixed text to files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from interpreter.checkpoints.effects.differences import content, text_of, unified

_MOST_LINES = 24
_HEREDOC = re.compile(r"\s*cat\s*>\s*([\w./-]+)\s*<<\s*(['\"])(\w+)\2\n(.*?)^\3\s*", re.M | re.S)
Written = tuple[str, str]


def known_edits(language: str, source: str, workspace: Path) -> str:
    """A diff of the files that a block is known to write anew; empty where it may do more."""
    written = {"python": _python, "shell": _shell}.get(language, _nothing)(source)
    lines: list[str] = []
    for name, after in dict(written).items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            continue
        there = content(workspace / name)
        before = None if there is None else text_of(there)
        if before is not None:
            lines += unified(name, before, after).splitlines()[1:]
    more = [f"… {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    return "\n".join([*lines[:_MOST_LINES], *more])


def _nothing(source: str) -> list[Written]:
    return []


def _shell(source: str) -> list[Written]:
    found = _HEREDOC.fullmatch(source)
    return [(found[1], found[4])] if found else []


def _python(source: str) -> list[Written]:
    try:
        return list(_statements(ast.parse(source).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError, _More):
        return []


class _More(Exception):
    """A block does something else, too."""


def _statements(body: list[ast.stmt]) -> Iterator[Written]:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.Expr(ast.Call(ast.Name("print"), args)) if all(map(_is_text, args)):
                continue
            case ast.Expr(
                ast.Call(
                    ast.Attribute(
                        ast.Call(
                            ast.Name("Path") | ast.Attribute(ast.Name("pathlib"), "Path"),
                            [ast.Constant(str(name))],
                        ),
                        "write_text",
                    ),
                    [ast.Constant(str(text))],
                )
            ):
                yield name, text
            case ast.With(
                [
                    ast.withitem(
                        ast.Call(ast.Name("open"), [ast.Constant(str(name)), ast.Constant("w")]),
                        ast.Name(file),
                    )
                ],
                [
                    ast.Expr(
                        ast.Call(
                            ast.Attribute(ast.Name(written), "write"), [ast.Constant(str(text))]
                        )
                    )
                ],
            ) if file == written:
                yield name, text
            case _:
                raise _More


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)
