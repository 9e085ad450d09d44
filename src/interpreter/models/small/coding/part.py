"""One function, method or class of a file that is too long to be written as a whole."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator

from interpreter.models.small.coding.mends import bound, tree_of
from interpreter.protocol.values import frozen

CHOSEN = re.compile(r"^part: ([\w.]+)$", re.MULTILINE)
NAMES = re.compile(r"^names: (.*)\n", re.MULTILINE)
SHOWN = re.compile(r"^The part [\w.]+ of it:\n```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Offered = dict[ast.stmt, set[str]]
"""Statements of a reply, each with the names that it gives a meaning."""


@frozen
class Part:
    """A part that is to be written anew, and its text as it stands in the file."""

    name: str
    """With the class around it: `Cart.total`."""
    text: str
    names: frozenset[str] = frozenset()
    """What has a name in the file, in the class around the part with that: `Cart.add`."""

    @classmethod
    def of(cls, printed: str) -> Part | None:
        """The part that was chosen, by what the program that chooses has printed."""
        name, names, text = (one.search(printed) for one in (CHOSEN, NAMES, SHOWN))
        if not (name and names and text):
            return None
        return cls(name[1], text[1], frozenset(names[1].split()))

    def fitted(self, reply: str) -> str:
        """What a reply has for this part, indented as the part is; nothing where it has no such
        part. A reply that does not parse is taken as it is: its tests will tell.

        What else is in it is left out where the file has it already. The rest stands before a
        function. What a method uses stands within it, and other methods beside it.
        """
        indent = self.text[: len(self.text) - len(self.text.lstrip())]
        reply, statements = _read(reply)
        if statements is None:
            return textwrap.indent(reply, indent)
        owner, _, word = self.name.rpartition(".")
        one = _found(statements, self.name) or _found(statements, word)
        if one is None:
            return ""
        others = _offered(statements, one, self.names)
        if not owner:
            before = (line for each in others for line in (*moved(reply, each, ""), "", ""))
            return "\n".join((*before, *moved(reply, one, "")))
        around = (*_around(statements, one), *statements)
        members = _offered(around, one, self.names, owner=owner)
        methods = (*_used(members, one), one)
        return "\n\n".join(_with(reply, each, _used(others, each), indent) for each in methods)


def _read(reply: str) -> tuple[str, list[ast.stmt] | None]:
    """A reply and its statements; None of them where it does not parse.

    It may be indented as a method, and yet have lines of a text that stand further left.
    """
    plain, within = textwrap.dedent(reply).strip("\n"), f"if True:\n{reply}"
    if tree := tree_of(plain):
        return plain, tree.body
    match tree_of(within):
        case ast.Module([ast.If(body=body)]):
            return within, body
    return plain, None


def _found(statements: Iterable[ast.stmt], name: str) -> Definition | None:
    first, _, rest = name.partition(".")
    for one in statements:
        if isinstance(one, Definition) and one.name == first:
            return _found(one.body, rest) if rest else one
    return None


def _around(statements: Iterable[ast.stmt], one: ast.stmt) -> list[ast.stmt]:
    """What is in the class around a method, where the reply has that class."""
    owners = (each for each in statements if isinstance(each, ast.ClassDef) and one in each.body)
    return [each for owner in owners for each in owner.body]


def _offered(
    statements: Iterable[ast.stmt], one: ast.stmt, known: frozenset[str], *, owner: str = ""
) -> Offered:
    """What a reply brings along with the part that is new to the file, or to the class.

    A value that it computes below the part is an example of how to call it.
    """
    before = f"{owner}." if owner else ""
    offered = {}
    for each in statements:
        names = given_names(each)
        is_example = isinstance(each, ast.Assign | ast.AnnAssign) and each.lineno > one.lineno
        is_new = any(before + name not in known for name in names)
        if is_new and not is_example and one not in ast.walk(each):
            offered[each] = {"." * bool(owner) + name for name in names}
    return offered


def given_names(one: ast.stmt) -> set[str]:
    """What a statement gives a meaning, where it can stand in the middle of a file."""
    nodes: Iterable[ast.AST] = ()
    match one:
        case ast.ImportFrom("__future__"):
            pass
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            nodes = [one]
        case ast.Import(names) | ast.ImportFrom(names=names):
            nodes = names
        case ast.Assign(targets):
            nodes = (node for target in targets for node in ast.walk(target))
        case ast.AnnAssign(target):
            nodes = [target]
    return {name for node in nodes for name in bound(node)}


def _used(offered: Offered, one: ast.stmt) -> list[ast.stmt]:
    """Those that a piece of code uses, and those that they use, as they follow each other."""
    uses, used = set(_uses(one)), set[ast.stmt]()
    while more := {each for each, names in offered.items() if names & uses} - used:
        used |= more
        uses.update(name for each in more for name in _uses(each))
    return [each for each in offered if each in used]


def _uses(one: ast.stmt) -> Iterator[str]:
    """Names in a piece of code; those of members of its object with a dot."""
    for node in ast.walk(one):
        match node:
            case ast.Name(name):
                yield name
            case ast.Attribute(ast.Name("self" | "cls"), name):
                yield f".{name}"


def _with(reply: str, one: ast.stmt, brought: Iterable[ast.stmt], indent: str) -> str:
    """A method, with what it uses at its beginning."""
    lines = moved(reply, one, indent)
    if isinstance(one, Definition):
        first = one.body[min(_has_docstring(one), len(one.body) - 1)]
        deeper = indent + " " * (first.col_offset - one.col_offset)
        if first.lineno > one.lineno:
            at = first_line(first) - first_line(one)
            lines[at:at] = [line for each in brought for line in moved(reply, each, deeper)]
    return "\n".join(lines)


def _has_docstring(one: Definition) -> bool:
    return isinstance(one.body[0], ast.Expr) and isinstance(one.body[0].value, ast.Constant)


def first_line(one: ast.stmt) -> int:
    above = one.decorator_list if isinstance(one, Definition) else []
    return min((one.lineno, *(each.lineno for each in above)))


def moved(source: str, one: ast.stmt, indent: str) -> list[str]:
    """The lines of a statement with another indentation; what is within a text stays."""
    texts = [each for each in ast.walk(one) if isinstance(each, ast.Constant | ast.JoinedStr)]
    within = {n for each in texts for n in range(each.lineno + 1, (each.end_lineno or 0) + 1)}
    first, last = first_line(one), one.end_lineno or one.lineno
    lines = source.split("\n")[first - 1 : last]
    return [
        line if number in within or not line.strip() else indent + line[one.col_offset :]
        for number, line in enumerate(lines, first)
    ]
