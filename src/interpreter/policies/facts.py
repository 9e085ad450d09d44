"""What an action mentions: commands, paths and hosts, for rules to be held against."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from interpreter.policies.scan.code_scan import LANGUAGES, scan_with
from interpreter.policies.scan.command_words import Words
from interpreter.policies.scan.shell import all_words
from interpreter.protocol.actions import Finding
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.values import frozen

_HOST = re.compile(
    r"\b[a-z][a-z0-9+.-]*://(?:[^\s/@'\"]*@)?([A-Za-z0-9.-]+)|\b[\w.-]+@([\w-]+\.[\w.-]+)"
)
_QUOTED = re.compile(r"""(['"`])((?:(?!\1)[^\\\n])*)\1""")


@frozen
class CodeFacts:
    """What was found; `commands` is empty for code that starts none."""

    language: str
    tool: str
    commands: tuple[tuple[str, ...], ...]
    paths: frozenset[str]
    hosts: frozenset[str]


def canonical(language: str) -> str:
    """One name for the many that a language has."""
    name = language.lower()
    return next((known for known, names in LANGUAGES.items() if name in names), name)


def facts_of(action: Action) -> CodeFacts:
    """What an action mentions, as far as that can be seen before it runs."""
    match action:
        case Code(language, source):
            return _facts_of_code(canonical(language), source)
        case ActionCall(tool, arguments):
            return CodeFacts("", tool, (), _paths(_quoted(arguments)), _hosts(arguments))
    return CodeFacts("", "", (), frozenset(), frozenset())


@lru_cache(maxsize=4)  # rules, approvals and each program that starts ask about the same block
def _facts_of_code(language: str, source: str) -> CodeFacts:
    commands: list[Words] = []
    if language == "shell":
        commands = all_words(source)
    else:
        for snippet in _shell_inside(language, source):
            commands += all_words(snippet)
    texts = [word for command in commands for word in command]
    texts += _literals(language, source)
    whole = tuple(tuple(command) for command in commands)
    return CodeFacts(language, "", whole, _paths(texts), _hosts(source))


def _shell_inside(language: str, source: str) -> list[str]:
    found: list[str] = []

    def take(inner: str, text: str) -> tuple[Finding, ...]:
        if inner == "shell":
            found.append(text)
        return ()

    scan_with(language, source, take)
    return found


def _literals(language: str, source: str) -> list[str]:
    if language == "shell":
        return re.findall(r"[<>]\s*([^\s;&|<>]+)", source)
    if language == "python":
        try:
            nodes = list(ast.walk(ast.parse(source)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return _quoted(source)
        return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return _quoted(source)


def _quoted(source: str) -> list[str]:
    return [match[2] for match in _QUOTED.finditer(source)]


def _paths(texts: list[str]) -> frozenset[str]:
    likely = (text for text in texts if len(text) < 4096 and "\n" not in text and "://" not in text)
    return frozenset(text for text in likely if "/" in text or text.startswith(("~", ".")))


def _hosts(source: str) -> frozenset[str]:
    found = (first or second for first, second in _HOST.findall(source))
    return frozenset(host.rstrip(".").lower() for host in found)
