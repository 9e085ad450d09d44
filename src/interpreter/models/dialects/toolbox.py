"""What a model may call: the tools of a request, and the languages that `execute` knows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from interpreter.protocol.ports import ToolSpec
from interpreter.protocol.values import frozen

EXECUTE = "execute"

_FAMILIES = (
    ("python", "py", "python3", "ipython", "py3", "jupyter"),
    ("shell", "bash", "sh", "zsh", "terminal", "cmd", "shellscript"),
    ("javascript", "js", "node", "nodejs"),
    ("typescript", "ts"),
    ("r", "rscript", "rlang"),
    ("ruby", "rb"),
    ("powershell", "ps1", "pwsh"),
    ("applescript", "osascript"),
    ("html", "htm"),
    ("react", "jsx"),
    ("sql", "duckdb", "sqlite"),
    ("julia", "jl"),
)
_DEFAULT = ("python", "shell", "javascript", "html")


class Languages:
    """The languages that can be run, found by any of the names that models use for them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        self._known = {name.lower(): name for name in self.names}
        for family in _FAMILIES:
            runnable = next((self._known[name] for name in family if name in self._known), None)
            if runnable is not None:
                self._known.update((name, self._known.get(name, runnable)) for name in family)

    def find(self, tag: str) -> str | None:
        """The language that a tag such as `py` or `Bash` means, if it can be run."""
        return self._known.get(tag.strip().lower())

    @property
    def default(self) -> str:
        """The language that is meant when a model names none."""
        return self.find("python") or (self.names[0] if self.names else "python")


@frozen
class DialectTools:
    """The names a model may call in one request."""

    tools: frozenset[str]
    languages: Languages


@lru_cache(maxsize=8)
def toolbox_of(tools: tuple[ToolSpec, ...]) -> DialectTools:
    """The toolbox that the tools of a request make."""
    languages: tuple[str, ...] = _DEFAULT
    for tool in tools:
        if tool.name == EXECUTE:
            languages = _enumerated(tool.parameters) or _DEFAULT
    return DialectTools(frozenset(tool.name for tool in tools), Languages(languages))


def _enumerated(parameters: str) -> tuple[str, ...]:
    schema = json.loads(parameters)
    names = schema.get("properties", {}).get("language", {}).get("enum", ())
    return tuple(name for name in names if isinstance(name, str))
