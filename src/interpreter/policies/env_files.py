"""The ``.env`` files of a workspace: where they are, what they set, and so what is secret."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from interpreter.policies.secrets import Secrets
from interpreter.protocol import safe_files
from interpreter.protocol.values import frozen

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
    return EnvFiles(workspace).secrets()


@frozen
class _Listing:
    """What a directory held when it was read, and when its entries last changed."""

    changed: tuple[int, int]
    settings: tuple[str, ...]
    directories: tuple[str, ...]


class EnvFiles:
    """The ``.env`` files of one workspace; directories that stay as they are are read once."""

    def __init__(self, workspace: Path) -> None:
        self._top = str(workspace.resolve())
        self._listings: dict[str, _Listing] = {}

    def secrets(self) -> tuple[tuple[str, str], ...]:
        """What they set now; whoever prints it shall not show it."""
        texts = (_start_of(Path(file)) for file in self._files())
        return tuple(setting for text in texts for setting in settings_of(text))

    def _files(self) -> list[str]:
        """Those at the top first; neither links nor what others wrote is looked into."""
        waiting, found = deque([self._top]), list[str]()
        listings: dict[str, _Listing] = {}
        looked = 0
        while waiting and looked < _MOST_DIRECTORIES and len(found) < _MOST_FILES:
            looked += 1
            path = waiting.popleft()
            try:
                listing = listings[path] = self._listed(path)
            except OSError:
                continue
            found += listing.settings
            waiting += listing.directories
        self._listings = listings
        return found

    def _listed(self, path: str) -> _Listing:
        status = os.lstat(path)
        known = self._listings.get(path)
        if known is not None and known.changed == (status.st_ino, status.st_ctime_ns):
            return known
        is_settled = safe_files.is_settled(status.st_ctime_ns)
        changed = (status.st_ino, status.st_ctime_ns if is_settled else safe_files.NEVER)
        with os.scandir(path) as listed:  # which knows kinds without a look
            entries = sorted(listed, key=lambda entry: entry.name)
        settings = tuple(entry.path for entry in entries if _is_settings(entry.name))
        directories = tuple(
            entry.path
            for entry in entries
            if not _is_settings(entry.name)
            and entry.name not in _PASSED_OVER
            and _is_directory(entry)
        )
        return _Listing(changed, settings, directories)


class SecretsNow:
    """What is to be shown to nobody, as it is now: the user may just have written it down."""

    def __init__(self, workspace: Path) -> None:
        self._files = EnvFiles(workspace)
        self._known: Secrets | None = None

    def get(self) -> Secrets:
        """What the environment and the files of the workspace hold."""
        source = (dict(os.environ), self._files.secrets())
        if self._known is None or not self._known.are_of(*source):
            self._known = Secrets(*source)
        return self._known


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


def _is_settings(name: str) -> bool:
    if "env" not in name.lower():  # soon known of most
        return False
    return bool(_FILE.fullmatch(name)) and not _EXAMPLE.search(name)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
