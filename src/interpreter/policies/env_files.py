"""The ``.env`` files of a workspace: where they are, and what they set."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from interpreter.protocol import safe_files

_FILE = re.compile(r"\.env(?:rc)?|\.env[._-].+|\.flaskenv|.+\.env", re.IGNORECASE)
_EXAMPLE = re.compile(r"(?:^|[._-])(?:example|sample|template|dist|defaults?)(?:$|[._-])", re.I)
_PASSED_OVER = {".git", ".hg", "node_modules", "__pycache__", ".venv", "venv", ".tox", "target"}
_MOST_FILES = 100
_MOST_DIRECTORIES = 400
_LARGEST_FILE = 1 << 16
_SETTING = re.compile(
    r"""^[ \t]*(?:(?:export|set)[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*
    (?: "((?:[^"\\]|\\.)*)" | '([^']*)' | `([^`]*)` | ((?:(?![ \t]\#).)*) )""",
    re.MULTILINE | re.VERBOSE,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def secrets_in_files(workspace: Path) -> tuple[tuple[str, str], ...]:
    """What the ``.env`` files of a workspace set; whoever prints it shall not show it."""
    texts = (_start_of(file) for file in _env_files(workspace))
    return tuple(setting for text in texts for setting in settings_of(text))


def _start_of(file: Path) -> str:
    try:
        return safe_files.read_start(file, _LARGEST_FILE).decode(errors="replace")
    except OSError:
        return ""


def settings_of(text: str) -> Iterator[tuple[str, str]]:
    """The names and values in the text of such a file, as those who load it read them."""
    for match in _SETTING.finditer(text.replace("\r\n", "\n")):
        name, double, single, back, bare = match.groups()
        if double is not None:
            value = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), double, flags=re.DOTALL)
        else:
            value = next(text for text in (single, back, bare) if text is not None).strip()
        if value:
            yield name, value


def _env_files(workspace: Path) -> Iterator[Path]:
    """Those at the top first; neither links nor what others wrote is looked into."""
    waiting, looked, found = deque([str(workspace.resolve())]), 0, 0
    while waiting and looked < _MOST_DIRECTORIES and found < _MOST_FILES:
        looked += 1
        try:
            with os.scandir(waiting.popleft()) as listed:  # which knows kinds without a look
                entries = sorted(listed, key=_name)
        except OSError:
            continue
        for entry in entries:
            if _is_settings(entry.name):
                found += 1
                yield Path(entry.path)
            elif entry.name not in _PASSED_OVER and _is_directory(entry):
                waiting.append(entry.path)


def _is_settings(name: str) -> bool:
    if "env" not in name.lower():  # soon known of most
        return False
    return bool(_FILE.fullmatch(name)) and not _EXAMPLE.search(name)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
