"""What a block did to files, as people read it: moves as old → new, caches in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interpreter.protocol.events import FileChange, FileChangeKind
from interpreter.protocol.values import frozen

BULKY = frozenset((
    *(".git", "node_modules", ".venv", "venv", ".tox", ".nox", ".cache", ".ipynb_checkpoints"),
    *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"),
))
"""Directories that tools fill with files which nobody reads one by one."""


@frozen
class ListedChange:
    """One line of a list of changes."""

    kind: FileChangeKind
    text: str


def change_list(
    changes: Iterable[FileChange], named: Callable[[str], str] = str
) -> list[ListedChange]:
    """The changes by the names that `named` gives; those in a bulky directory are one."""
    lines: list[ListedChange] = []
    bulky: dict[str, list[FileChange]] = {}
    for change in changes:
        name = named(change.path)
        if place := bulky_place(name):
            bulky.setdefault(place, []).append(change)
        elif change.renamed_from:
            lines.append(ListedChange(change.kind, f"{named(change.renamed_from)} → {name}"))
        else:
            lines.append(ListedChange(change.kind, name))
    for place, inside in bulky.items():
        kinds = {change.kind for change in inside}
        count = "1 file" if len(inside) == 1 else f"{len(inside):,} files"
        kind = kinds.pop() if len(kinds) == 1 else "modified"
        lines.append(ListedChange(kind, f"{place} ({count})"))
    return lines


def bulky_place(path: str) -> str:
    """The bulky directory that a path lies in; empty where it lies in none."""
    parts = path.split("/")
    for place, part in enumerate(parts[:-1]):
        if part in BULKY:
            return "/".join(parts[: place + 1])
    return ""
