"""What blocks did to files: the line a model is told, and what such lines add up to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from interpreter.protocol.change_list import change_list
from interpreter.protocol.events import FilesChanged
from interpreter.protocol.messages import Message, Output

_UNSHOWN = "\N{REPLACEMENT CHARACTER}"
FILES_NAMED = 8  # changed files that the model is told by name
TAKEN_BACK = "[a dry run, and its effects were taken back"
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


def _changes(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        printed = [part.text for part in message.parts if isinstance(part, Output)]
        if any(text.startswith(TAKEN_BACK) for text in printed):
            continue
        for line in filter(None, map(_LINE.fullmatch, printed)):
            for change in _CHANGE.finditer(line[1]):
                yield change[1], change[2].rpartition(" → ")[2]
