"""What a block will do to files, as far as its text tells: said with the question about it."""

from __future__ import annotations

import ast
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

from interpreter.checkpoints.effects.data_changes import workspace_files

_WORDS = re.compile(r"[^\s'\"`(){}\[\],;<>|&=]{1,255}")
_MOST_WORDS = 1000


def too_large_to_keep(source: str, workspace: Path, largest: int) -> Iterator[tuple[str, int]]:
    """Path and size of large files of the workspace that are named in the source."""
    words = {match.group() for match in islice(_WORDS.finditer(source), _MOST_WORDS)}
    for word in sorted(words):
        path = workspace / word
        try:
            status = path.lstat()
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(status.st_mode) and status.st_size > largest:
            yield word, status.st_size


def sentence(path: str, size: int) -> str:
    """What is said about such a file."""
    return f"{path}, {readable(size)}, cannot be undone if it is changed in place."


def readable(size: float) -> str:
    """A number of bytes."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.0f} TB"


Deed = Literal["deletes", "moves", "writes"]
Touch = tuple[Deed, str]
_MOST = 1000  # files that a pattern stands for
_NAMED = 5
_FEW = 5
_UNKNOWABLE = re.compile(r"[$`{]|\b(?:cd|pushd|for|while|until|if|case|eval|xargs|find|exec)\b|<<")
_SEPARATORS = frozenset((";", "&&", "||", "|", "&", "\n", ";;", "(", ")"))
_WRITING_METHODS = re.compile(r"to_(?:csv|excel|json|parquet|pickle|html|feather|stata)|savefig")
_OF_PATHS: dict[str, Deed] = {
    "write_text": "writes",
    "write_bytes": "writes",
    "touch": "writes",
    "unlink": "deletes",
    "rmdir": "deletes",
    "rename": "moves",
    "replace": "moves",
}
_FUNCTIONS: dict[str, tuple[Deed, int]] = {  # what becomes of which argument
    **dict.fromkeys(("os.remove", "os.unlink", "os.rmdir", "shutil.rmtree"), ("deletes", 0)),
    **dict.fromkeys(("os.rename", "os.replace", "shutil.move"), ("moves", 0)),
    **dict.fromkeys(("shutil.copy", "shutil.copy2", "shutil.copyfile"), ("writes", 1)),
}


def preview(language: str, source: str, workspace: Path) -> str:
    """A sentence about the files that are named in a block; empty where nothing can be known."""
    reader = _READERS.get(language)
    found: dict[Deed, list[str]] = {}
    for deed, place in dict.fromkeys(reader(source)) if reader else ():
        found.setdefault(deed, []).extend(_files(place, workspace, must_exist=deed != "writes"))
    told = [f"{deed} {_list(paths)}" for deed, paths in found.items() if paths]
    if not told:
        return ""
    return f"By its text it {'; '.join(told)}.{_share(found, workspace)}"


def _share(found: dict[Deed, list[str]], workspace: Path) -> str:
    touched = {path for paths in found.values() for path in paths if (workspace / path).is_file()}
    if len(touched) <= _FEW:
        return ""
    there = sum(1 for _ in islice(workspace_files(workspace), 2 * len(touched) + 1))
    return (
        f" These are {len(touched)} of the {there} files here." if there < 2 * len(touched) else ""
    )


def _list(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _files(place: str, workspace: Path, *, must_exist: bool) -> Iterator[str]:
    """What a place stands for: a pattern what it matches, a directory that goes what it holds."""
    try:
        if any(sign in place for sign in "*?["):
            matching = workspace.glob(place) if not place.startswith("/") else iter(())
            found = [path for path in islice(matching, _MOST) if not path.name.startswith(".")]
            yield from (str(path.relative_to(workspace)) for path in sorted(found))
        elif not must_exist or (workspace / place).exists():
            yield place
    except (OSError, ValueError, NotImplementedError):
        return


def _shell(source: str) -> Iterator[Touch]:
    """The words of a block without loops, variables and changes of directory."""
    if _UNKNOWABLE.search(source):
        return
    try:
        lexer = shlex.shlex(source.replace("\n", " ; "), posix=True, punctuation_chars=True)
        words = list(lexer)
    except ValueError:
        return
    command: list[str] = []
    for word in (*words, ";"):
        if word not in _SEPARATORS:
            command.append(word)
            continue
        yield from _command(command)
        command = []


def _command(words: list[str]) -> Iterator[Touch]:
    into = [place for sign, place in zip(words, words[1:], strict=False) if _is_redirection(sign)]
    plain = [w for w in words if not w.startswith("-") and not _is_redirection(w) and w not in into]
    yield from (("writes", place) for place in into)
    name, *rest = plain or [""]
    edits = name == "sed" and any(re.match(r"-\w*i|--in-place", word) for word in words)
    if name in ("rm", "rmdir", "unlink", "shred"):
        yield from (("deletes", place) for place in rest)
    elif name == "mv":
        yield from (("moves", place) for place in rest[:-1])
    elif name in ("tee", "touch", "truncate") or edits:
        yield from (("writes", place) for place in (rest[1:] if edits else rest))
    elif name == "cp" and len(rest) == 2:
        yield "writes", rest[1]


def _is_redirection(word: str) -> bool:
    return ">" in word and set(word) <= set("<>&|")


def _python(source: str) -> Iterator[Touch]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _call(node)


def _call(node: ast.Call) -> Iterator[Touch]:
    texts = [_text(argument) for argument in node.args]
    name = ast.unparse(node.func)
    method = name.rpartition(".")[2]
    if name == "open" and texts and texts[0]:
        mode = next((_text(k.value) for k in node.keywords if k.arg == "mode"), "")
        if set(mode or (texts[1] if len(texts) > 1 else "")) & set("wax+"):
            yield "writes", texts[0]
    elif name in _FUNCTIONS:
        deed, place = _FUNCTIONS[name]
        yield from ((deed, text) for text in texts[place : place + 1] if text)
    elif _WRITING_METHODS.fullmatch(method) and texts and texts[0]:
        yield "writes", texts[0]
    elif method in _OF_PATHS and isinstance(node.func, ast.Attribute):
        of = node.func.value
        if (
            isinstance(of, ast.Call)
            and ast.unparse(of.func) in ("Path", "pathlib.Path")
            and of.args
        ):
            yield from ((_OF_PATHS[method], text) for text in [_text(of.args[0])] if text)


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


_READERS: dict[str, Callable[[str], Iterable[Touch]]] = {"shell": _shell, "python": _python}
