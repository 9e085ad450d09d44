"""What the user has approved: servers by what is started, and their tools word by word.

A server may change its tools at any time, and what a tool says about itself is read by the model.
So it is kept as it was approved, and a change is asked about.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from interpreter.mcp.configuration import ToolServerConfig
from interpreter.mcp.listings import ListedTool, NotListed, read_tool
from interpreter.protocol import safe_files
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible_lines

LARGEST = 1 << 26
MOST_VALUES = 5_000_000


@frozen
class Pinned:
    """A server as it was approved."""

    tools: tuple[ListedTool, ...] = ()
    version: str = ""
    """How it spoke."""
    listed: bool = False
    """Whether its tools are known yet."""


@frozen
class Changes:
    """What is different from what was approved."""

    added: tuple[ListedTool, ...] = ()
    changed: tuple[tuple[ListedTool, ListedTool], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed)

    def describe(self) -> str:
        """As lines of a difference, drawn so that nothing in them is unseen."""
        lines: list[str] = []
        for before, after in self.changed:
            told = difflib.unified_diff(_lines(before), _lines(after), n=1, lineterm="")
            lines += [f"{after.name}:", *list(told)[2:]]
        for tool in self.added:
            lines += [f"{tool.name} (new):", *(f"+{line}" for line in _lines(tool))]
        return "\n".join(visible_lines("\n".join(lines)))


class PinBook:
    """One file of the user's, by what a server is and where it works."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()

    def find(self, config: ToolServerConfig) -> Pinned | None:
        """What was approved of a server; None if nothing ever was."""
        entry = self._load().get(config.identity)
        if not isinstance(entry, dict):
            return None
        tools = []
        listed = entry.get("tools")
        for one in listed if isinstance(listed, list) else ():
            with contextlib.suppress(NotListed):
                tools.append(read_tool(one))
        return Pinned(tuple(tools), str(entry.get("version", "")), listed is not None)

    def approve(self, config: ToolServerConfig) -> None:
        """Keep that a server may be started; what its tools are is learnt then."""
        with self._lock:
            book = self._load()
            book.setdefault(config.identity, {"name": config.name, "command": config.describe()})
            self._save(book)

    def keep(self, config: ToolServerConfig, tools: Iterable[ListedTool], version: str) -> None:
        """Keep the tools of a server as they are approved now."""
        told = [_as_object(tool) for tool in tools]
        entry = {"name": config.name, "command": config.describe(), "version": version}
        with self._lock:
            book = self._load()
            book[config.identity] = {**entry, "tools": told}
            self._save(book)

    def forget(self, config: ToolServerConfig) -> None:
        """Ask about a server again."""
        with self._lock:
            book = self._load()
            if book.pop(config.identity, None) is not None:
                self._save(book)

    def _load(self) -> dict[str, Any]:
        """A book that cannot be read approves nothing."""
        try:
            found = bounded_json(safe_files.read_bytes(self._file, LARGEST), MOST_VALUES)
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _save(self, book: Mapping[str, Any]) -> None:
        safe_files.make_folder(self._file.parent)
        safe_files.write(self._file, json.dumps(book), mode=0o600)


def changes(before: Iterable[ListedTool], now: Iterable[ListedTool]) -> Changes:
    """What is different in a new listing; a tool that is gone changes nothing for anybody."""
    known = {tool.name: tool for tool in before}
    added = tuple(tool for tool in now if tool.name not in known)
    both = ((known[tool.name], tool) for tool in now if tool.name in known)
    changed = tuple((old, new) for old, new in both if old.digest() != new.digest())
    return Changes(added, changed)


def _as_object(tool: ListedTool) -> dict[str, Any]:
    fields = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {"readOnlyHint": tool.read_only},
    }
    return fields if tool.output_schema is None else {**fields, "outputSchema": tool.output_schema}


def _lines(tool: ListedTool) -> list[str]:
    schemas = [tool.input_schema, *([tool.output_schema] if tool.output_schema else [])]
    texts = (json.dumps(one, indent=1, sort_keys=True, ensure_ascii=False) for one in schemas)
    return [line for text in (tool.title, tool.description, *texts) for line in text.splitlines()]
