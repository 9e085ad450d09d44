"""Which language a block without a name is written in, if it is code at all."""

from __future__ import annotations

import ast
import re

from interpreter.models.dialects.toolbox import Languages

_PYTHON_SIGNS = re.compile(
    r"^\s*(import \w|from [\w.]+ import |print\(|def \w+\(|class \w+|for \w+ in |with open\()", re.M
)
_SHELL_SIGNS = re.compile(
    r"\A\s*(#!.*\n)?(\$ )?(ls|cd|cat|echo|grep|find|mkdir|rm|cp|mv|pip|python3?|git|curl|wget|sudo|"
    r"apt|apt-get|head|tail|pwd|chmod|touch|export|npm|node|df|du|ps|which|sed|awk|wc|tar)\b"
)


def guessed_language(source: str, languages: Languages) -> str | None:
    """A language that can be run and that the source looks like, or None if it is no code."""
    if not source.strip():
        return None
    if _PYTHON_SIGNS.search(source) or _does_something(source):
        return languages.find("python")
    if _SHELL_SIGNS.match(source):
        return languages.find("shell")
    return None


def _does_something(source: str) -> bool:
    """Whether it is Python that calls or assigns: a bare word or number is sample output."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    doing = ast.Assign | ast.AugAssign | ast.Call | ast.Import | ast.ImportFrom
    return any(isinstance(node, doing) for node in ast.walk(tree))
