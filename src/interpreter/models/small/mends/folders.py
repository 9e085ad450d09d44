"""Folders that are missing when a program writes a file into them."""

from __future__ import annotations

import ast
import bisect
import re
from collections import Counter

from interpreter.models.small.coding.mends import bound
from interpreter.models.small.parsed import editable, if_it_parses

MAKES_FOLDERS = re.compile(r"\bmakedirs\(|\bmkdir\(")
WRITING = re.compile(r"savefig\Z|to_(?:csv|excel|json|html|parquet|markdown)\Z")
OUTSIDE = re.compile(r"/|~|\.\.|[A-Za-z]:|\w+://")


def with_folders(source: str) -> str:
    """`plt.savefig("plots/a.png")` fails where there is no such folder: it is made first, and not
    before anything else that the program does, which may make it itself or move others there."""
    tree = editable("" if MAKES_FOLDERS.search(source) else source)
    lines = source.split("\n")
    nodes = list(ast.walk(tree))
    begun = sorted(
        (one.lineno, one.col_offset)
        for one in nodes
        if isinstance(one, ast.stmt)
        and not lines[one.lineno - 1].encode()[: one.col_offset].strip()
    )
    paths, made = _paths(nodes), set()
    for node in (one for one in nodes if isinstance(one, ast.Call)):
        folder = _written(node, paths).rpartition("/")[0]
        if folder.strip("/") and not OUTSIDE.match(folder):
            line = begun[bisect.bisect(begun, (node.lineno + 1,)) - 1]
            made.add((*line, folder))
    for number, indent, folder in sorted(made, reverse=True):
        before = lines[number - 1][:indent]
        lines.insert(number - 1, f"{before}os.makedirs({folder!r}, exist_ok=True)")
    return if_it_parses(begun_with("import os", "\n".join(lines)), source) if made else source


def begun_with(lines: str, source: str) -> str:
    """A program that begins with more lines, behind those that nothing may precede."""
    if "__future__" not in source:
        return f"{lines}\n{source}"
    head, mark, rest = source.rpartition("from __future__ import ")
    first, _, others = rest.partition("\n")
    return f"{head}{mark}{first}\n{lines}\n{others}"


def _written(node: ast.Call, paths: dict[str, str]) -> str:
    """The name of the file that a call writes, if it is known."""
    match node:
        case ast.Call(ast.Attribute(attr=how), [place, *_]) if WRITING.match(how):
            pass
        case ast.Call(ast.Name("open"), [place, ast.Constant("w" | "wb" | "x")]):
            pass
        case ast.Call(ast.Attribute(place, "open"), [ast.Constant("w" | "wb" | "x")]):
            pass
        case ast.Call(ast.Attribute(place, "write_text" | "write_bytes")):
            pass
        case _:
            return ""
    match place:
        case ast.JoinedStr(parts) | ast.Call(ast.Name("Path"), [ast.JoinedStr(parts)]):
            return _folder_of(parts)
        case _:
            return _path(place, paths)


def _paths(nodes: list[ast.AST]) -> dict[str, str]:
    """The names that are given one path, and nothing else."""
    stored = Counter(name for node in nodes for name in bound(node))
    paths = {}
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], place) if stored[name] == 1:
                paths[name] = _path(place, {})
    return paths


def _path(place: ast.expr, paths: dict[str, str]) -> str:
    """The path that stands there; nothing where it is not known."""
    match place:
        case ast.Constant(str(name)):
            return name
        case ast.Name(name):
            return paths.get(name, "")
        case ast.Call(ast.Name("Path") | ast.Attribute(attr="Path"), [inner]):
            return _path(inner, paths)
        case ast.BinOp(left, ast.Div(), right):
            both = [_path(one, paths) for one in (left, right)]
            return "/".join(both) if all(both) else ""
        case _:
            return ""


def _folder_of(parts: list[ast.expr]) -> str:
    """The folder of `f"chapters/{number}.txt"`, with a slash behind it as a name has."""
    match parts:
        case [ast.Constant(str(first)), *_]:
            return "".join(first.rpartition("/")[:2])
        case _:
            return ""
