"""Slips in a file of Python that need no model to be put right.

Small models name a list like the method that returns it, which hides the method, and they use what
they did not import. Only what cannot be meant is touched; a file that does not parse stays.
"""

from __future__ import annotations

import ast
import builtins
import importlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import TypeGuard

from interpreter.models.small.parsed import NO_PROGRAM

MODULES = (
    *("re", "math", "random", "string", "itertools", "functools", "collections", "datetime"),
    *("json", "os", "sys", "copy", "heapq", "bisect", "operator", "time", "typing", "decimal"),
    *("fractions", "statistics", "textwrap", "calendar", "csv", "io", "pathlib", "unittest"),
)
"""What a file uses by `module.name` without having imported it."""
HOMES = (
    *("collections", "typing", "itertools", "functools", "dataclasses", "math", "heapq", "bisect"),
    *("datetime", "decimal", "fractions", "pathlib", "enum", "abc", "random", "copy"),
)
"""Where classes and functions live that it uses by their names alone."""
VALUES = (
    *(ast.List, ast.Dict, ast.Set, ast.Tuple, ast.JoinedStr),
    *(ast.ListComp, ast.DictComp, ast.SetComp),
)
"""What is never called."""
Edits = dict[tuple[int, int], tuple[int, str]]
"""By line and byte: how many bytes are replaced, and by what."""


def mended(source: str) -> str:
    """The file without such slips."""
    tree = tree_of(source)
    if tree is None or "\r" in source or "\f" in source:  # their lines are counted otherwise
        return source
    source = _edited(source, _hidden_methods(tree))
    imports = _missing_imports(tree)
    if not imports:
        return source
    lines, at = source.split("\n"), end_of_head(tree, source)
    return "\n".join((*lines[:at], *imports, "", *lines[at:]))


def end_of_head(tree: ast.Module, source: str) -> int:
    """The line after which imports can stand: behind comments at the top, the docstring and
    `from __future__`."""
    end = len(list(takewhile(lambda line: line.startswith("#"), source.split("\n"))))
    for node in tree.body:
        match node:
            case ast.Expr(ast.Constant(str())) | ast.ImportFrom("__future__"):
                end = node.end_lineno or 0
            case _:
                break
    return end


def tree_of(source: str) -> ast.Module | None:
    """What a file says; None where it is no Python."""
    try:
        return ast.parse(source)
    except NO_PROGRAM:
        return None


def _edited(source: str, edits: Edits) -> str:
    lines = [line.encode() for line in source.split("\n")]
    for (number, at), (size, text) in sorted(edits.items(), reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:at] + text.encode() + line[at + size :]
    return b"\n".join(lines).decode()


def _hidden_methods(tree: ast.Module) -> Edits:
    """Attributes that a class gives the name of one of its methods get one of their own."""
    edits: Edits = {}
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.ClassDef):
            continue
        methods = [one for one in owner.body if isinstance(one, ast.FunctionDef)]
        own = list(_own_attributes(owner))
        hidden = {one.name for one in methods if _is_hidden(one, owner, own)}
        called = {id(node.func) for node in ast.walk(owner) if isinstance(node, ast.Call)}
        taken = {node.attr for node in own} | {one.name for one in methods}
        for node in own:
            name = node.attr
            if name in hidden and id(node) not in called:
                new = f"_{name}" if f"_{name}" not in taken else f"_the_{name.lstrip('_')}"
                size = len(name.encode())
                edits[node.end_lineno or 0, (node.end_col_offset or 0) - size] = size, new
    return edits


def _is_hidden(method: ast.FunctionDef, owner: ast.ClassDef, own: list[ast.Attribute]) -> bool:
    """Whether a method can never be called: each object has a value in its place, which is none
    that is called. A property takes no value, unless it has a setter."""
    name = method.name
    match method.decorator_list:
        case []:
            values = [value for attribute, value in _values_at_first(owner) if attribute == name]
            return bool(values) and (isinstance(values[0], VALUES) or _gives_itself(method))
        case [ast.Name("property")]:
            settable = {one for member in owner.body for one in _setters(member)}
            stored = {node.attr for node in own if isinstance(node.ctx, ast.Store)}
            return name in stored - settable
    return False


def _values_at_first(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr | None]]:
    """Attributes that every new object has, with their values."""
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        for one in method.body:
            pairs: list[tuple[ast.expr, ast.expr | None]]
            match one:
                case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                    pairs = list(zip(targets, values, strict=False))
                case ast.Assign(targets, value):
                    pairs = [(target, value) for target in targets]
                case ast.AnnAssign(target, value=value):
                    pairs = [(target, value)]
                case _:
                    continue
            yield from ((each.attr, value) for each, value in pairs if _is_own(each))


def _gives_itself(method: ast.FunctionDef) -> bool:
    """Whether a method takes what has its own name for a value."""
    called = {id(node.func) for node in ast.walk(method) if isinstance(node, ast.Call)}
    return any(
        _is_own(node) and node.attr == method.name and id(node) not in called
        for node in ast.walk(method)
    )


def _is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    match node:
        case ast.Attribute(ast.Name("self")):
            return True
    return False


def _own_attributes(owner: ast.AST) -> Iterator[ast.Attribute]:
    """Attributes of an object of this class, and of none that is defined within it."""
    waiting: list[ast.AST] = [*ast.iter_child_nodes(owner)]
    for node in waiting:
        if _is_own(node):
            yield node
        if not isinstance(node, ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _setters(member: ast.stmt) -> Iterator[str]:
    """The name that a property's setter takes values for."""
    if isinstance(member, ast.FunctionDef):
        for decorator in member.decorator_list:
            if isinstance(decorator, ast.Attribute) and decorator.attr == "setter":
                yield member.name


def _missing_imports(tree: ast.Module) -> list[str]:
    """Lines that import what is used and bound nowhere."""
    nodes = list(ast.walk(tree))
    if any(isinstance(one, ast.ImportFrom) and one.names[0].name == "*" for one in nodes):
        return []
    attributes = defaultdict(set)
    called = set()
    for node in nodes:
        match node:
            case ast.Attribute(ast.Name(name), attribute):
                attributes[name].add(attribute)
            case ast.Call(ast.Name(name)):
                called.add(name)
    used = [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    known = {
        *vars(builtins),
        "__file__",
        "__name__",
        *(name for one in nodes for name in bound(one)),
    }
    lines = (
        _module(name, attributes[name]) or _from_home(name, attributes[name])
        for name in dict.fromkeys(used)
        if name not in known and (name in attributes or name in called or name[0].isupper())
    )
    return sorted(filter(None, lines))


def bound(node: ast.AST) -> Iterator[str]:
    """Names that a piece of the file gives a meaning."""
    match node:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            yield name
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.alias(name, alias):
            yield alias or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _module(name: str, attributes: set[str]) -> str:
    """The line that imports a module of which nothing but what it has is used."""
    has = set(dir(importlib.import_module(name))) if name in MODULES else set()
    return f"import {name}" if attributes and attributes <= has else ""


def _from_home(name: str, attributes: set[str]) -> str:
    """The line that imports a class or function from where it lives; nothing where none does."""
    for home in HOMES:
        module = importlib.import_module(home)
        offered = getattr(module, "__all__", ()) or [one for one in dir(module) if one[0] != "_"]
        if name in offered and attributes <= set(dir(getattr(module, name))):
            return f"from {home} import {name}"
    return ""
