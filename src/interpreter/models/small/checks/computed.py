"""Whether what a program printed was computed, or stands in the program as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from interpreter.models.small.checks.choices import choices_in
from interpreter.models.small.form.printed import NUMBER, as_number
from interpreter.models.small.parsed import parsed
from interpreter.models.small.prompts.hints import COLUMN
from interpreter.models.small.rounds import Round

TWICE = 2  # once in the list, and once more
PLACE = re.compile(r"\{\w*:[^{}\s\"']*\}|%[-+#0-9.]*[a-z]")
"""Where a text takes a value, and how it is written."""
SHOWS = ("print", "round", "str", "int", "float", "format")
DRAWS = re.compile(r"\b(?:plt|plot|hist|savefig|plotly|px|sns|altair|bokeh|show)\b")


def is_hard_coded(question: str, one: Round) -> bool:
    """Whether all that a block printed stands in it as it is, and the numbers not in the question.

    Then nothing was computed: the model wrote down what it believes.
    """
    if (
        COLUMN.search(question)
        and not one.files
        and prints_only_fixed_words(one.source, one.output)
    ):
        return True
    if COLUMN.search(question) and chooses_blindly(question, one.source):
        return True
    printed, known = sizes(one.output), sizes(question)
    return bool(printed - known) and printed <= _constants(one.source) | known


def prints_only_fixed_words(source: str, output: str) -> bool:
    """Whether a program prints texts that stand in it, whatever its data is, and nothing else."""
    if DRAWS.search(source):
        return False
    tree = parsed(source)
    prints = [node for node in ast.walk(tree) if _is_print(node)]
    always = [node.value for node in tree.body if isinstance(node, ast.Expr)]
    if not prints or (always and not _is_print(always[-1])):  # the last value may be shown
        return False
    texts = [
        part.value for node in prints for part in ast.walk(node) if isinstance(part, ast.Constant)
    ]
    written = "\n".join(map(str, texts))
    says_more = any(line.strip() not in written for line in output.splitlines())
    return not says_more and all(node in always and _is_fixed(node) for node in prints)


def chooses_blindly(question: str, source: str) -> bool:
    """Whether a program prints one of the answers that a request lists, whatever its data is, as
    the value of a name: `{"size": "small", "r": r}`. One that the request names elsewhere, too,
    was not chosen blindly."""
    words = question.partition("\n\n")[0].casefold()
    listed = {one.casefold() for listed in choices_in(question) for one in listed}
    choices = {one for one in listed if len(re.findall(rf"\b{re.escape(one)}\b", words)) < TWICE}
    for statement in parsed(source).body if choices else ():
        match statement:
            case ast.Expr(ast.Call(ast.Name("print"), [ast.Dict(values=values)])):
                fixed = (one.value for one in values if isinstance(one, ast.Constant))
                if any(str(value).casefold() in choices for value in fixed):
                    return True
    return False


def _is_print(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Name("print")):
            return True
        case _:
            return False


def _is_fixed(call: ast.AST) -> bool:
    """Whether all that is printed is a text that is written there."""
    arguments = call.args if isinstance(call, ast.Call) else []
    parts = [part for one in arguments for part in ast.walk(one)]
    fixed = (ast.Constant, ast.JoinedStr)
    return bool(parts) and all(isinstance(part, fixed) for part in parts)


def sizes(text: str) -> set[float]:
    """The numbers in a text, without their signs."""
    return {abs(as_number(found)) for found in NUMBER.findall(text)}


def _constants(source: str) -> set[float]:
    """The numbers that a program is written with, also in its texts."""
    nodes = list(ast.walk(parsed(source)))
    counters = {node.target.id for node in nodes if _counts(node)}
    lists = dict(_lists(nodes))
    chosen_by = {id(part) for node in nodes for part in _choosing(node)}
    chosen_by |= {id(part) for node in nodes for part in _computing(node, counters)}
    chosen_by |= {id(part) for node in nodes for part in _gone_through(node, lists)}
    constants = [node for node in nodes if isinstance(node, ast.Constant)]
    values = [node.value for node in constants if id(node) not in chosen_by]
    written = [value for value in values if isinstance(value, int | float)]
    numbers = {abs(float(value)) for value in written if abs(value) < 1e300}
    texts = (PLACE.sub("", value) for value in values if isinstance(value, str))
    return numbers.union(*map(sizes, texts))


class _Counting(ast.AugAssign):
    """A step of a count."""

    target: ast.Name


def _counts(node: ast.AST) -> TypeGuard[_Counting]:
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)


def _computing(node: ast.AST, counters: set[str]) -> Iterator[ast.AST]:
    """The parts by which something is computed: x * 100, n += 1, and where n begins."""
    match node:
        case ast.Assign([ast.Name(name)], part) if name in counters:
            yield part
        case ast.AugAssign(value=part) | ast.BinOp(part, _, ast.Subscript() | ast.Call()):
            yield part
        case ast.BinOp(_, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), part):
            yield part


def _choosing(node: ast.AST) -> Iterator[ast.AST]:
    """The parts that say which or how, not what: x[1], x > 1, axis=1, round(x, 1)."""
    match node:
        case ast.Subscript(slice=part) | ast.FormattedValue(format_spec=ast.expr() as part):
            yield from ast.walk(part)
        case ast.Compare(left, _, others):
            yield from (left, *others)
        case ast.keyword(value=ast.Constant() as part):
            yield part
        case ast.Call(ast.Name("round"), [_, places]):
            yield places
        case ast.Call(ast.Attribute(), [ast.Constant(int()) as part]):
            yield part


def _lists(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The lists that have a name."""
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], ast.List() | ast.Tuple() | ast.Set() as values):
                yield name, values


def _gone_through(node: ast.AST, lists: dict[str, ast.expr]) -> Iterator[ast.AST]:
    """The parts of a list of which each is computed with in turn, and not only shown."""
    match node:
        case ast.For(target, source):
            loops = [(target, source)]
        case ast.ListComp(_, parts) | ast.SetComp(_, parts) | ast.GeneratorExp(_, parts):
            loops = [(part.target, part.iter) for part in parts]
        case ast.DictComp(generators=parts):
            loops = [(part.target, part.iter) for part in parts]
        case _:
            return
    used = {name for part in ast.walk(node) for name in _computed_with(part)}
    for target, source in loops:
        names = (one.id for one in ast.walk(target) if isinstance(one, ast.Name))
        if not used.isdisjoint(names):
            listed = lists.get(source.id) if isinstance(source, ast.Name) else source
            yield from ast.walk(listed or source)


def _computed_with(node: ast.AST) -> Iterator[str]:
    """The names by which something is chosen, or that are handed to what computes."""
    parts: list[ast.expr] = []
    match node:
        case ast.Subscript(slice=part):
            parts = [part]
        case ast.Compare(left, _, others):
            parts = [left, *others]
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name), given) if name not in SHOWS:
            parts = given
    for part in parts:
        yield from (one.id for one in ast.walk(part) if isinstance(one, ast.Name))
