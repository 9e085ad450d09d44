"""Safe mode: looks at each block before it runs, and says on which line something is dangerous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from interpreter.policies.scan_javascript import scan_javascript
from interpreter.policies.scan_python import scan_python
from interpreter.policies.scan_shell import scan_shell
from interpreter.protocol.actions import Finding

SafeMode = Literal["off", "ask", "auto"]

_PYTHON = frozenset({"python", "py", "python3", "ipython", "jupyter"})
_SHELL = frozenset({"shell", "bash", "sh", "zsh", "dash", "ksh", "terminal", "console"})
_JAVASCRIPT = frozenset({"javascript", "js", "node", "nodejs", "mjs", "typescript", "ts"})
_DEEPEST = 4
_MOST_FINDINGS = 20


def can_scan(language: str) -> bool:
    """Whether there is a parser for the language."""
    return language.lower() in _PYTHON | _SHELL | _JAVASCRIPT


def scan(language: str, source: str) -> tuple[Finding, ...]:
    """What is dangerous in a block; empty for languages that cannot be scanned."""
    found = sorted(set(_scan(language.lower(), source, 0)), key=lambda f: (f.line, f.rule))
    first_of_each: dict[tuple[int, str], Finding] = {}
    for finding in found:
        first_of_each.setdefault((finding.line, finding.rule), finding)
    return tuple(first_of_each.values())[:_MOST_FINDINGS]


def _scan(language: str, source: str, depth: int) -> tuple[Finding, ...]:
    def rescan(inner: str, text: str) -> tuple[Finding, ...]:
        return _scan(inner, text, depth + 1) if depth < _DEEPEST else ()

    scanners: tuple[tuple[frozenset[str], Callable[..., tuple[Finding, ...]]], ...] = (
        (_PYTHON, scan_python),
        (_SHELL, scan_shell),
        (_JAVASCRIPT, scan_javascript),
    )
    for names, scanner in scanners:
        if language in names:
            return scanner(source, rescan)
    return ()
