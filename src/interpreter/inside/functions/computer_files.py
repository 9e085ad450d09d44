"""`computer.files` and `computer.docs`: done by code itself, with the rights that code has.

So an edit is one of the block's own changes: confined, shown and undone with it.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

LARGEST_FILE = 1_000_000  # bytes of a file that is searched
MOST_FILES = 2_000
PIECE_LINES = 30
PASSED_OVER = {"node_modules", "__pycache__", "venv", "site-packages", "build", "dist"}
_WORDS = re.compile(r"[^\W_]+")


def edit(path: str, original_text: str, replacement_text: str) -> None:
    """Replace a text wherever it stands in a file; ValueError when it does not."""
    file = Path(path).expanduser()
    content = file.read_bytes().decode()  # line ends stay as they are
    if original_text not in content:
        similar = difflib.get_close_matches(original_text, content.splitlines(), n=3)
        hint = f" Did you mean one of these? {', '.join(similar)}" if similar else ""
        raise ValueError(f"Original text not found.{hint}")
    file.write_bytes(content.replace(original_text, replacement_text).encode())


def search(query: str, path: str = ".", max_results: int = 5) -> list[str]:
    """The pieces of text files that have most of a query's words, each after its place."""
    return _best(query, _pieces_of_files([path]), max_results)


def search_docs(
    query: str,
    module: str | None = None,
    paths: list[str] | None = None,
    max_results: int = 5,
) -> list[str]:
    """The same in what a module says about itself, or in files."""
    if module is None and not paths:
        raise ValueError("computer.docs.search needs a module or paths.")
    pieces = [] if module is None else list(_pieces_of_module(module))
    return _best(query, [*pieces, *_pieces_of_files(paths or [])], max_results)


def _pieces_of_files(paths: Iterable[str]) -> Iterator[str]:
    for count, file in enumerate(_files(paths)):
        if count >= MOST_FILES:
            return
        try:
            data = file.read_bytes() if file.stat().st_size <= LARGEST_FILE else b"\0"
        except OSError:
            continue
        lines = [] if b"\0" in data else data.decode(errors="replace").splitlines()
        for start in range(0, len(lines), PIECE_LINES):
            yield f"{file}:{start + 1}\n" + "\n".join(lines[start : start + PIECE_LINES])


def _files(paths: Iterable[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_file():
            yield path
        for place, folders, names in os.walk(path):
            folders[:] = sorted(
                one for one in folders if one not in PASSED_OVER and not one.startswith(".")
            )
            yield from (Path(place, name) for name in sorted(names) if not name.startswith("."))


def _pieces_of_module(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"{name}\n{inspect.getdoc(module) or ''}"
    for public, value in vars(module).items():
        if public.startswith("_") or not callable(value):
            continue
        yield _described(f"{name}.{public}", value)
        if inspect.isclass(value):
            methods = (one for one in vars(value).items() if not one[0].startswith("_"))
            yield from (_described(f"{name}.{public}.{n}", m) for n, m in methods if callable(m))


def _described(name: str, value: object) -> str:
    try:
        signature = str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = "(…)"
    return f"{name}{signature}\n{inspect.getdoc(value) or ''}"


def _best(query: str, pieces: Iterable[str], count: int) -> list[str]:
    """Those with most of the query's words, rare ones first in weight; none that has no word."""
    wanted = set(_words(query))
    counted = [(piece, Counter(_words(piece))) for piece in pieces]
    among = Counter(word for _, words in counted for word in wanted & words.keys())
    weight = {word: math.log(1 + len(counted) / found) for word, found in among.items()}

    def score(words: Counter[str]) -> float:
        return sum(weight[w] * words[w] / (words[w] + 1.2) for w in wanted & words.keys())

    scored = [(score(words), piece) for piece, words in counted]
    best = sorted((one for one in scored if one[0]), key=lambda one: -one[0])
    return [piece for _, piece in best[:count]]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text)]
