"""Markdown that begins with settings between two lines of dashes, read leniently.

People write values with colons in them and no quotes around; YAML refuses those, we do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files

_HEAD = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_LINE = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$")


def split(text: str) -> tuple[dict[str, Any], str]:
    """The settings and the rest; no settings where the text does not begin with any."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found = _HEAD.match(text)
    if found is None:
        return {}, text
    return _settings(found[1]), text[found.end() :]


def files_in(folder: Path, most: int, largest: int) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The first such files of a folder: name without its ending, settings, and the rest."""
    try:
        names = sorted(safe_files.names(folder))[:most]
    except OSError:
        return
    for name in names:
        if not name.endswith(".md"):
            continue
        try:
            text = safe_files.read_bytes(folder / name, largest).decode(errors="replace")
        except OSError:
            continue
        yield name.removesuffix(".md"), *split(text)


def _settings(head: str) -> dict[str, Any]:
    import yaml  # noqa: PLC0415  (slow to import, and most projects have no such file)

    try:
        content = yaml.safe_load(head)
    except yaml.YAMLError:
        content = None
    if isinstance(content, dict):
        return {str(name): value for name, value in content.items()}
    pairs = (_LINE.match(line) for line in head.split("\n"))
    return {pair[1]: pair[2].strip().strip("\"'") for pair in pairs if pair}
