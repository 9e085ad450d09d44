"""Patterns of paths in rules: as expressions, and as the places on the disk that they name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError

_WILD = re.compile(r"[*?]")
_MOST_PLACES = 500
_MOST_ENTRIES = 300_000


def expanded(path: str) -> str:
    """A path with the home in place of its signs."""
    home = str(Path.home())
    return re.sub(r"^(?:~|\$\{?HOME\}?)(?=/|$)", lambda _: home, path)


def expression(glob: str) -> str:
    """``*`` stays in one directory, ``**`` does not; what ends in ``/**`` is the directory, too."""
    whole = expanded(glob).rstrip("/")
    inside = whole.endswith("/**")
    pieces = re.split(r"(\*\*/?|\*|\?)", whole.removesuffix("/**"))
    known = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    text = "".join(known.get(piece, re.escape(piece)) for piece in pieces)
    return text + (r"(?:/.*)?\Z" if inside else r"/?\Z")


def absolute(glob: str, workspace: Path) -> str:
    """A pattern of a rule from the root on; others are the workspace's."""
    return os.path.normpath(workspace / expanded(glob))


def found_places(globs: Iterable[str], workspace: Path, visible: Iterable[Path]) -> Iterator[Path]:
    """What the patterns name on the disk now. Wildcards are followed in what code can see."""
    places = [path.resolve() for path in visible]
    count = 0
    for glob in globs:
        for path in _found(absolute(glob, workspace), places):
            count += 1
            if count > _MOST_PLACES:
                raise ConfigurationError(
                    f"The rule about {glob!r} names more than {_MOST_PLACES} files; "
                    "name the directory that they are in."
                )
            yield path


def literal_part(pattern: str) -> str:
    """The directories of a pattern before its first wildcard, or all of it."""
    wild = _WILD.search(pattern)
    return pattern if wild is None else pattern[: wild.start()].rpartition("/")[0] or "/"


def _found(pattern: str, visible: list[Path]) -> Iterator[Path]:
    start = literal_part(pattern)
    if pattern in (start, f"{start}/**"):
        yield Path(start)
        return
    root = Path(start)
    below = [root] if any(root.is_relative_to(place) for place in visible) else []
    for top in below or [place for place in visible if place.is_relative_to(root)]:
        yield from _matching(top, re.compile(expression(pattern)), pattern)


def _matching(top: Path, wanted: re.Pattern[str], pattern: str) -> Iterator[Path]:
    waiting, looked = [str(top)], 0
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        looked += len(found)
        if looked > _MOST_ENTRIES:
            raise ConfigurationError(
                f"The rule about {pattern!r} has too many files to look through; "
                "begin it with the directory that it is about."
            )
        for entry in found:
            if wanted.match(entry.path):
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
