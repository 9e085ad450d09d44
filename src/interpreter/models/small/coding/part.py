"""One function, method or class of a file that is too long to be written as a whole."""

from __future__ import annotations

import ast
import re
import textwrap

from interpreter.protocol.values import frozen

CHOSEN = re.compile(r"^part: ([\w.]+)$", re.MULTILINE)
SHOWN = re.compile(r"^The part [\w.]+ of it:\n```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@frozen
class Part:
    """A part that is to be written anew, and its text as it stands in the file."""

    name: str
    """With the class around it: `Cart.total`."""
    text: str

    @classmethod
    def of(cls, printed: str) -> Part | None:
        """The part that was chosen, by what the program that chooses has printed."""
        name, text = CHOSEN.search(printed), SHOWN.search(printed)
        return cls(name[1], text[1]) if name and text else None

    def fitted(self, reply: str) -> str:
        """What a reply has for this part, indented as the part is.

        Functions and imports that the reply brings along stand before it, or within it where it is
        a method; what else is in the reply is left out. A reply that does not parse, or has no such
        part, is taken as it is: its tests will tell.
        """
        indent = self.text[: len(self.text) - len(self.text.lstrip())]
        reply = textwrap.dedent(reply).strip("\n")
        try:
            tree = ast.parse(reply)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return textwrap.indent(reply, indent)
        one = _found(tree, self.name) or _found(tree, self.name.rpartition(".")[2])
        if one is None:
            return textwrap.indent(reply, indent)
        lines = _moved(reply, one, indent)
        brought = [each for each in tree.body if _is_brought(each) and one not in ast.walk(each)]
        if not indent:
            before = [line for each in brought for line in (*_moved(reply, each, ""), "", "")]
            return "\n".join((*before, *lines))
        first = one.body[min(_has_docstring(one), len(one.body) - 1)]
        deeper = indent + " " * (first.col_offset - one.col_offset)
        if first.lineno > one.lineno:
            at = _first_line(first) - _first_line(one)
            lines[at:at] = [line for each in brought for line in _moved(reply, each, deeper)]
        return "\n".join(lines)


def _found(node: ast.AST, name: str) -> Definition | None:
    first, _, rest = name.partition(".")
    for one in ast.iter_child_nodes(node):
        if isinstance(one, Definition) and one.name == first:
            return _found(one, rest) if rest else one
    return None


def _is_brought(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef)


def _has_docstring(one: Definition) -> bool:
    return isinstance(one.body[0], ast.Expr) and isinstance(one.body[0].value, ast.Constant)


def _first_line(one: ast.stmt) -> int:
    above = one.decorator_list if isinstance(one, Definition) else []
    return min((one.lineno, *(each.lineno for each in above)))


def _moved(source: str, one: ast.stmt, indent: str) -> list[str]:
    """The lines of a statement with another indentation; what is within a text stays."""
    texts = [each for each in ast.walk(one) if isinstance(each, ast.Constant | ast.JoinedStr)]
    within = {n for each in texts for n in range(each.lineno + 1, (each.end_lineno or 0) + 1)}
    first, last = _first_line(one), one.end_lineno or one.lineno
    lines = source.split("\n")[first - 1 : last]
    return [
        line if number in within or not line.strip() else indent + line[one.col_offset :]
        for number, line in enumerate(lines, first)
    ]
