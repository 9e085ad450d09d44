"""What the user has granted: for a block, the session, or for ever in a workspace."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.protocol.values import frozen
from interpreter.sandboxes.cell.cell import Access, ConfinedCell
from interpreter.sandboxes.cell.held_place import HeldPlace

Scope = Literal["block", "session", "workspace"]
Kind = Literal["read", "write", "host"]
_KINDS: tuple[Kind, ...] = ("read", "write", "host")

_DENIED = re.compile(
    r"(?:No such file or directory|Permission denied|Read-only file system|Operation not permitted"
    r"|FileNotFoundError|PermissionError|ENOENT|EACCES|EROFS|EPERM)"
)
_NOT_WRITABLE = re.compile(r"Read-only file system|EROFS")
_PATH = re.compile(
    r"""'(~?/[^'\n]{1,4096})'|"(~?/[^"\n]{1,4096})"|(?<![\w/.'"])(~?/[^\s'":;,()<>|&]{1,4096})"""
)
_MOST_WANTED = 5


class GrantBook:
    """Grants that outlive a session, in one file of the user's, by workspace.

    The file may be in the workspace, as when that is the home, only where it is hidden from code.
    """

    def __init__(self, file: Path, workspace: Path, hidden: Iterable[Path] = ()) -> None:
        self._file = file
        self._workspace = str(workspace.resolve())
        place = file.resolve()
        is_hidden = any(place.is_relative_to(path.resolve()) for path in hidden)
        if place.is_relative_to(workspace.resolve()) and not is_hidden:
            raise ConfigurationError("Grants cannot be kept in the workspace, where code writes.")

    def all(self, kind: Kind) -> tuple[str, ...]:
        """What is granted in this workspace."""
        return tuple(self._load().get(self._workspace, {}).get(kind, ()))

    def add(self, kind: Kind, value: str) -> None:
        """Keep a grant."""
        book = self._load()
        values = book.setdefault(self._workspace, {}).setdefault(kind, [])
        if value not in values:
            values.append(value)
            self._save(book)

    def remove(self, kind: Kind, value: str) -> None:
        """Take a grant back."""
        book = self._load()
        values = book.get(self._workspace, {}).get(kind, [])
        if value in values:
            values.remove(value)
            self._save(book)

    def _load(self) -> dict[str, dict[str, list[str]]]:
        try:
            book = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._broken(str(error)) from error
        if not _is_book(book):
            raise self._broken("it is not what we wrote")
        return dict(book)

    def _broken(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            f"The grants in {str(self._file)!r} cannot be read ({why}); mend or delete the file."
        )

    def _save(self, book: dict[str, dict[str, list[str]]]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd, name = tempfile.mkstemp(dir=self._file.parent)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(book, file, indent=1)
        Path(name).replace(self._file)


def _is_book(book: Any) -> bool:
    return isinstance(book, dict) and all(
        isinstance(kinds, dict)
        and set(kinds) <= set(_KINDS)
        and all(isinstance(v, list) and all(isinstance(x, str) for x in v) for v in kinds.values())
        for kinds in book.values()
    )


@frozen
class Granted:
    """What came of a grant: whether the running cell has it, or only a new one will."""

    path: Path
    needs_restart: bool


class Grants:
    """Carries out the user's answers for one cell."""

    def __init__(self, cell: ConfinedCell, book: GrantBook | None = None) -> None:
        self._cell = cell
        self._book = book
        self._for_block: list[Path] = []
        self._in_use = 0
        """How many of them the block that runs was begun with."""

    def hold(self, path: Path) -> HeldPlace:
        """What a path leads to now, to be asked about and given; ConfigurationError if never."""
        return self._cell.hold(path)

    def give(self, held: HeldPlace, access: Access, scope: Scope) -> Granted:
        """Grant what the user was asked about, whatever its name leads to by now."""
        live = self._cell.grant(held, access)
        if scope == "workspace" and self._book is not None:
            self._book.add(access, str(held.path))
        if scope == "block" and live:
            self._for_block.append(held.path)
        return Granted(held.path, needs_restart=not live)

    def forget(self, path: Path) -> bool:
        """Take a place back from the running cell; False if only a new one will be without it."""
        return self._cell.revoke(path)

    def begin_block(self) -> str:
        """A block is about to run. What was granted for one that never came to its end goes."""
        trouble = self._take_back(self._for_block[: self._in_use])
        self._in_use = len(self._for_block)
        return trouble

    def end_block(self) -> str:
        """The block is over: take back what was granted for it; what went wrong, as a sentence."""
        self._in_use = 0
        return self._take_back(self._for_block[:])

    def _take_back(self, places: Sequence[Path]) -> str:
        """Each of them, whatever becomes of the others; a cell that keeps one is closed."""
        kept: list[str] = []
        for place in places:
            try:
                self._cell.revoke(place)
            except InterpreterError:
                kept.append(str(place))
            self._for_block.remove(place)
        if not kept:
            return ""
        self._cell.close()
        return f"{', '.join(kept)} could not be taken back, so the sandbox was closed; start anew"


@frozen
class Wish:
    """A place that a block wanted, and what for."""

    path: Path
    access: Access

    def describe(self) -> str:
        """In words that follow "wants to"."""
        return f"read {self.path}" if self.access == "read" else f"read and write {self.path}"


def wanted_paths(text: str, workspace: Path) -> tuple[Wish, ...]:
    """Places outside that a block seems to have been refused, judged by what it printed.

    They are only asked about: the text comes out of the cell, and so from anybody.
    """
    found: dict[Path, Access] = {}
    for line in text[-100_000:].splitlines():
        access: Access = "write" if _NOT_WRITABLE.search(line) else "read"
        if not _DENIED.search(line):
            continue
        for name in ("".join(groups) for groups in _PATH.findall(line)):
            path = _nearest(_home_expanded(name))
            if _is_outside(path, workspace) and (path in found or len(found) < _MOST_WANTED):
                found[path] = "write" if found.get(path) == "write" else access
    return tuple(Wish(path, access) for path, access in found.items())


def _nearest(path: Path) -> Path:
    """The path, or the directory that it is wanted in: a file to be written is not there yet."""
    with contextlib.suppress(OSError, ValueError):
        if not path.exists() and path.parent.is_dir() and path.parent.name:
            return path.parent
    return path


def _home_expanded(name: str) -> Path:
    return Path.home() / name[2:] if name.startswith("~/") else Path(name)


def _is_outside(path: Path, workspace: Path) -> bool:
    try:
        return path.exists() and not path.resolve().is_relative_to(workspace)
    except (OSError, ValueError, RuntimeError):
        return False
