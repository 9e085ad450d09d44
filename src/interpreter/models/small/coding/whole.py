"""A reply that has only some of a file is put into it, so that nothing else of it is lost."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from interpreter.models.small.coding.mends import end_of_head, tree_of
from interpreter.models.small.coding.part import Definition, first_line, given_names, moved

BYTE_ORDER = "\ufeff"
"""What some editors begin a file with; it is no code."""
AS_A_PROGRAM, AT_ONCE = "what it does as a program", "what it does at once"
DOES = {AS_A_PROGRAM, AT_ONCE}
GOES = (
    r"delet(?:e|ing)|dropp?(?:ing)?|get(?:ting)? rid of|remov(?:e|ing)|renam(?:e|ing)"
    r"|replac(?:e|ing)|merg(?:e|ing)|combin(?:e|ing)|inlin(?:e|ing)|split(?:ting)?"
)
MAY_GO = re.compile(  # what is done away with, as far as it is told what with, from where, and why
    r"(?P<forbidden>(?:\b(?:not|never|without|nor|cannot)|n['’]t) (?:\w+ ){0,2}?)?"
    rf"\b(?:{GOES})\b(?P<what>(?:(?!\.\s|\.\Z|[;:!?\n]|\b(?:as|at|because|but|by|except|for|from"
    r"|if|in|into|of|on|so|than|that|to|when|where|which|who|with)\b).){0,500})",
    re.IGNORECASE,
)
DEFINITIONS = "class|function|method|constant|variable|helper|definition"
OF_NAMES = re.compile(  # what stands beside a name that is to go
    rf"\b(?:{GOES}|the|its|all|both|two|three|four|any|every|old|unused|dead"
    rf"|(?:{DEFINITIONS})(?:e?s)?)"
    r"\b\W*",
    re.IGNORECASE,
)
ALL_OF_A_KIND = re.compile(
    rf"\b(?:(?:{DEFINITIONS})(?:e?s)?|code|everything|rest|others)\W*\Z", re.I
)
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
COMMENTS = re.compile(r"(?:(?:#[^\n]*)?\n)*")
Place = tuple[int, int]
"""The first line of what is replaced, and the line behind it."""


def whole(old: str, reply: str, asked: str = "") -> str:
    """The file that a reply means: the reply, where it leaves out nothing that the file has, else
    the file with what the reply has in its place; nothing where that has none."""
    if old.startswith(BYTE_ORDER):
        return BYTE_ORDER * bool(text := whole(old[1:], reply, asked)) + text
    before, after = tree_of(old), tree_of(reply)
    if before is None or after is None:
        lost = {*DEFINED.findall(old)} - {*DEFINED.findall(reply)}
        return _with_comments(old, reply) if all(_may_go(name, asked) for name in lost) else ""
    try:
        return _merged(old, before, reply, after, asked)
    except RecursionError:  # an expression that is too long to be compared
        return ""


def _merged(old: str, before: ast.Module, reply: str, after: ast.Module, asked: str) -> str:
    lost = _lost(before.body, after.body)
    if all(_may_go(name, asked) for name in (*lost, *_cut(before.body, after.body))):
        return _with_comments(old, _with_docstring(old, before, after, reply))
    if _does_other_things(before.body, after.body):
        return ""
    merge = _Merge(old, reply)
    merge.imports(before, after)
    merge.statements(before.body, after.body)
    text = merge.text()
    merged = tree_of(text)
    is_whole = merged is not None and _names(before.body) <= _names(merged.body)
    return text if is_whole else ""


def _lost(before: list[ast.stmt], after: list[ast.stmt]) -> set[str]:
    """What of a file is not in a reply. Variables of a script are not missed where it is there."""
    given = {name for one in after for name in _defined(one)}
    lost = _names(before) - given
    if AT_ONCE not in given:
        return lost
    kept = _names(one for one in before if isinstance(one, Definition))
    return {name for name in lost if name in kept or name.isupper()}


def _does_other_things(before: list[ast.stmt], after: list[ast.stmt]) -> bool:
    """Whether both do something at once, and not the same: a script is written as a whole."""
    old, new = (
        {ast.dump(one) for one in body if _defined(one) == {AT_ONCE}} for body in (before, after)
    )
    return bool(old and new - old)


def _may_go(name: str, asked: str) -> bool:
    """Whether the user wants something to be gone, or to have another name: it is named, or is one
    of a kind (`the unused functions`) and not spoken of."""
    is_said = re.search(rf"\b{re.escape(name)}\b", asked) is not None
    for order in MAY_GO.finditer(asked):
        first, *more = re.split(r",|\b(?:and|or)\b", order["what"])
        if order["forbidden"] or not re.search(r"\w", first):
            continue
        for one in (first, *more):
            if OF_NAMES.sub("", one).strip(" `'\"()") == name:
                return True
            if not is_said and name not in DOES and ALL_OF_A_KIND.search(one):
                return True
    return False


def _with_comments(old: str, reply: str) -> str:
    """A reply with what stands above all code: a license, or the line by which the file is run."""
    comments = (COMMENTS.match(old) or [""])[0]
    lines = ["", *comments.splitlines()]
    if set(lines) <= {"", *reply.splitlines()}:
        return reply
    own = (COMMENTS.match(reply) or [""])[0]
    more = "".join(line for line in own.splitlines(keepends=True) if line.rstrip() not in lines)
    return comments + more + reply[len(own) :]


def _with_docstring(old: str, before: ast.Module, after: ast.Module, reply: str) -> str:
    if ast.get_docstring(before) is None or ast.get_docstring(after) is not None:
        return reply
    own = (COMMENTS.match(reply) or [""])[0]
    text = "\n".join(moved(old, before.body[0], ""))
    return f"{own}{text}\n\n{reply[len(own) :].lstrip()}"


def _names(body: Iterable[ast.stmt]) -> set[str]:
    """What statements define, and whether they do anything else."""
    return {name for one in body if not isinstance(one, IMPORTS) for name in _defined(one)}


def _defined(one: ast.stmt) -> set[str]:
    """What a statement gives a meaning, or what else it is there for."""
    match one:
        case ast.Expr(ast.Constant()) | ast.Pass():
            return set()
        case ast.ImportFrom("__future__", names):
            return {each.name for each in names}
        case ast.If(test) if "'__name__'" in ast.dump(test):
            return {AS_A_PROGRAM}
        case ast.If() | ast.Try():
            return {name for each in _within(one) for name in _defined(each)} or {AT_ONCE}
        case _:
            return given_names(one) or {AT_ONCE}


IMPORTS = ast.Import | ast.ImportFrom


def _within(one: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.iter_child_nodes(one):
        if isinstance(node, ast.stmt):
            yield node
        else:
            yield from _within(node)


def _cut(before: Iterable[ast.stmt], after: Iterable[ast.stmt]) -> set[str]:
    """The methods that do something and are missing from the classes of a reply."""
    classes = {one.name: one for one in before if isinstance(one, ast.ClassDef)}
    cut = set[str]()
    for new in (one for one in after if isinstance(one, ast.ClassDef)):
        old = classes.get(new.name)
        if old is not None and _head(old) == _head(new):
            cut |= _names(filter(_is_written, old.body)) - _names(new.body)
    return cut


def _head(one: ast.ClassDef) -> list[str]:
    """What stands in the line of a class, and above it."""
    return [ast.dump(node) for node in (*one.bases, *one.keywords, *one.decorator_list)]


def _is_written(one: ast.stmt) -> bool:
    """Whether it is a method that does anything yet."""
    if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    does = (each for each in one.body if not isinstance(each, ast.Pass))
    does = (each for each in does if not isinstance(getattr(each, "value", None), ast.Constant))
    return not all(isinstance(each, ast.Raise) and "NotImpl" in ast.dump(each) for each in does)


class _Merge:
    """Puts the statements of a reply in the place of those of a file."""

    def __init__(self, old: str, reply: str) -> None:
        self._old = old
        self._lines = old.split("\n")
        self._reply = reply
        self._put: dict[Place, list[str]] = {}

    def text(self) -> str:
        """The file with all that was put into it; nothing where two things want one place."""
        places = sorted(self._put)
        if any(one[1] > other[0] for one, other in pairwise(places)):
            return ""
        lines = [*self._lines]
        for first, behind in reversed(places):
            lines[first - 1 : behind - 1] = self._put[first, behind]
        return "\n".join(lines) if places else ""

    def imports(self, before: ast.Module, after: ast.Module) -> None:
        """What is imported and has no name in the file yet stands behind its head."""
        known = {name for one in before.body for name in _defined(one)}
        new = [one for one in after.body if isinstance(one, IMPORTS) and _defined(one) - known]
        new.sort(key=lambda one: getattr(one, "module", "") != "__future__")
        at = end_of_head(before, self._old) + 1
        if new:
            self._put[at, at] = [line for one in new for line in moved(self._reply, one, "")]

    def statements(self, before: list[ast.stmt], after: list[ast.stmt]) -> None:
        """Each stands in the place of what has its name, and what is new before the next of
        these, or behind the last."""
        indent = self._lines[before[0].lineno - 1][: before[0].col_offset]
        gap = [""] if indent else ["", ""]
        last = [one for one in before if _names([one]) - DOES] or before
        behind, waiting = _place(last[-1])[1], list[str]()
        for new in (one for one in after if _names([one]) - {AT_ONCE}):
            same = [one for one in before if _defined(one) & _defined(new)]
            text = moved(self._reply, new, indent)
            if not same:
                waiting += [] if _is_example(new, after) else [*text, *gap]
                continue
            first, behind = _place(same[0])
            match same[0], new:
                case ast.ClassDef(body=old), ast.ClassDef(body=members) if _cut(same, [new]):
                    self._put[first, first] = waiting
                    self.statements(old, members)
                case _ if (first, behind) in self._put:
                    self._put[first, behind] += [*gap, *waiting, *text]
                case _:
                    self._put |= {_place(one): [] for one in same}
                    self._put[first, behind] = [*waiting, *text]
            waiting = []
        if waiting:
            self._put[behind, behind] = [*gap, *waiting[: -len(gap)]]


def _place(one: ast.stmt) -> Place:
    return first_line(one), (one.end_lineno or one.lineno) + 1


def _is_example(one: ast.stmt, others: list[ast.stmt]) -> bool:
    """Whether it is only there to show how something is called: values stand below all that could
    use them, and nothing does."""
    if _defined(one) == {AS_A_PROGRAM}:
        return True
    if not isinstance(one, ast.Assign | ast.AnnAssign):
        return False
    definitions = [each for each in others if isinstance(each, Definition)]
    used = {n.id for each in definitions for n in ast.walk(each) if isinstance(n, ast.Name)}
    return any(each.lineno < one.lineno for each in definitions) and not _defined(one) & used
