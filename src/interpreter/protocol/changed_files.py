"""What blocks did to files: as people read it (moves as old → new, caches in one line), as a
model is told, and what such lines add up to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from interpreter.protocol.events import FileChange, FileChangeKind, FilesChanged
from interpreter.protocol.messages import Message, Output
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


_UNSHOWN = "\N{REPLACEMENT CHARACTER}"
FILES_NAMED = 8  # changed files that the model is told by name
TAKEN_BACK = "[a dry run, and its effects were taken back"
FAILED_AND_BACK = "[it failed, and what it had changed was taken back"
IN_ITS_PLACE = "[what the block before had changed was taken back first"
_LINE = re.compile(r"\[files: (.*?)(?: and \d+ more)?\]\n", re.DOTALL)
_KIND = "(added|modified|deleted|renamed) "
_CHANGE = re.compile(rf"{_KIND}(.+?)(?=, {_KIND}|$)", re.DOTALL)


def in_one_line(changed: FilesChanged) -> str:
    """What a block did to the disk, as it is kept in the conversation."""
    listed = change_list(changed.changes, shown)
    named = [f"{change.kind} {change.text}" for change in listed[:FILES_NAMED]]
    more = len(listed) - len(named)
    return f"[files: {', '.join(named)}{f' and {more} more' if more > 0 else ''}]\n"


def shown(path: str) -> str:
    """A path as text: some names are none, and others would look like a line of ours."""
    return "".join(letter if letter.isprintable() else _UNSHOWN for letter in path)


def files_changed_in(messages: Iterable[Message]) -> dict[str, str]:
    """Every file that the blocks of a conversation changed, and how; the last change comes last.

    It is read from the conversation, which is all that is left of a session that is resumed or
    undone in part.
    """
    net: dict[str, str] = {}
    for kind, path in _changes(messages):
        before = net.pop(path, "")
        if (before, kind) == ("added", "deleted"):
            continue
        net[path] = "added" if before == "added" and kind == "modified" else kind
    return net


def is_taken_back(message: Message) -> bool:
    """Whether nothing is left of what a block did."""
    return _says(message, TAKEN_BACK, FAILED_AND_BACK)


def replaces_another(message: Message) -> bool:
    """Whether a block ran in the place of the one before it that changed something."""
    return _says(message, IN_ITS_PLACE)


def _says(message: Message, *beginnings: str) -> bool:
    parts = (part for part in message.parts if isinstance(part, Output))
    texts = (part.text for part in parts if part.stream == "stderr" and part.text.endswith("]\n"))
    return any(text.startswith(beginnings) for text in texts)


def _changes(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    last: list[tuple[str, str]] = []  # may still be taken back by what comes after it
    for message in messages:
        if replaces_another(message):
            last = []
        if not is_taken_back(message) and (changes := list(_changes_of(message))):
            yield from last
            last = changes
    yield from last


def _changes_of(message: Message) -> Iterator[tuple[str, str]]:
    printed = (part.text for part in message.parts if isinstance(part, Output))
    for line in filter(None, map(_LINE.fullmatch, printed)):
        for change in _CHANGE.finditer(line[1]):
            yield change[1], change[2].rpartition(" → ")[2]
