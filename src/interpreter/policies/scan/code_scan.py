"""Safe mode: looks at each block before it runs, and says on which line something is dangerous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from interpreter.policies.scan.javascript import scan_javascript
from interpreter.policies.scan.python import scan_python
from interpreter.policies.scan.shell import scan_shell
from interpreter.protocol.actions import Finding

SafeMode = Literal["off", "ask", "auto"]

LANGUAGES = {
    "python": frozenset({"python", "py", "python3", "ipython", "jupyter"}),
    "shell": frozenset({"shell", "bash", "sh", "zsh", "dash", "ksh", "terminal", "console"}),
    "javascript": frozenset({"javascript", "js", "node", "nodejs", "mjs"}),
}
"""The languages that can be scanned, with their names."""

Rescan = Callable[[str, str], tuple[Finding, ...]]
_DEEPEST = 4
_MOST_FINDINGS = 20


def can_scan(language: str) -> bool:
    """Whether there is a parser for the language."""
    return any(language.lower() in names for names in LANGUAGES.values())


def scan(language: str, source: str) -> tuple[Finding, ...]:
    """What is dangerous in a block; empty for languages that cannot be scanned."""
    found = sorted(set(_scan(language, source, 0)), key=lambda f: (f.line, f.rule))
    first_of_each: dict[tuple[int, str], Finding] = {}
    for finding in found:
        first_of_each.setdefault((finding.line, finding.rule), finding)
    return tuple(first_of_each.values())[:_MOST_FINDINGS]


def scan_with(language: str, source: str, rescan: Rescan) -> tuple[Finding, ...]:
    """Scan one layer; code of other languages that is found in it is handed to `rescan`."""
    scanners = {"python": scan_python, "shell": scan_shell, "javascript": scan_javascript}
    for name, names in LANGUAGES.items():
        if language.lower() in names:
            return scanners[name](source, rescan)
    return ()


def _scan(language: str, source: str, depth: int) -> tuple[Finding, ...]:
    def rescan(inner: str, text: str) -> tuple[Finding, ...]:
        return _scan(inner, text, depth + 1) if depth < _DEEPEST else ()

    return scan_with(language, source, rescan)
