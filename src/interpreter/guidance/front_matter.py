"""Markdown that begins with settings between two lines of dashes, read leniently.

People write values with colons in them and no quotes around; YAML refuses those, we do not.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_HEAD = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_LINE = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$")


def split(text: str) -> tuple[dict[str, Any], str]:
    """The settings and the rest; no settings where the text does not begin with any."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found = _HEAD.match(text)
    if found is None:
        return {}, text
    return _settings(found[1]), text[found.end() :]


def _settings(head: str) -> dict[str, Any]:
    try:
        content = yaml.safe_load(head)
    except yaml.YAMLError:
        content = None
    if isinstance(content, dict):
        return {str(name): value for name, value in content.items()}
    pairs = (_LINE.match(line) for line in head.split("\n"))
    return {pair[1]: pair[2].strip().strip("\"'") for pair in pairs if pair}
