"""Values between a program and the code's world, as plain data in the exchange directory.

What comes out is read as hostile: it was written by whatever the code did. Nothing is unpickled
unless the caller asks for it by name.
"""

from __future__ import annotations

import ast
import errno
import importlib.util
import runpy
import secrets
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from interpreter.facade.typed.value_files import read_value
from interpreter.protocol import safe_files
from interpreter.protocol.errors import TransferFailed
from interpreter.protocol.inside_files import INSIDE

KINDS = (".json", ".npy", ".arrow")
LARGEST_PICKLE = 4_000_000_000
LONGEST_REASON = 300  # characters of what a library says about a file
PROGRAM = INSIDE / "variables" / "values.py"
UNREADABLE = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    *(ImportError, RuntimeError, OSError, EOFError, MemoryError),
)
Run = Callable[[str], str]
"""Runs Python where the user's code runs; what went wrong, or nothing."""


class Values:
    """Brings values over."""

    def __init__(self, exchange: Path, run: Run) -> None:
        self._exchange = exchange
        self._run = run

    def get(self, expression: str, *, unpickle: bool = False) -> Any:
        """The value of an expression of the code's world, such as the name of a variable."""
        try:
            ast.parse(expression, mode="eval")
        except SyntaxError as error:
            raise TransferFailed(f"{expression!r} is not an expression: {error.msg}.") from error
        base = self._exchange / f"v{secrets.token_hex(8)}"
        try:
            self._call(_pickled(expression, base) if unpickle else _sent(expression, base))
            return _unpickled(base) if unpickle else _read(base)
        finally:
            _remove(base)

    def put(self, name: str, value: Any) -> None:
        """Make a variable of the code's world."""
        if not name.isidentifier():
            raise TransferFailed(f"{name!r} is not a name for a variable.")
        base = self._exchange / f"v{secrets.token_hex(8)}"
        try:
            _tools()["send"](value, str(base), arrow=_has_arrow())
            path = next(path for path in _files(base) if path.exists())
            self._call(f"{name} = {_loaded()}['receive']({str(path)!r})")
        except (TypeError, ValueError, RecursionError) as error:
            raise TransferFailed(f"{name!r} cannot be handed in: {error}.") from error
        finally:
            _remove(base)

    def _call(self, source: str) -> None:
        trouble = self._run(source)
        if trouble:
            hint = " (unpickle=True brings anything, if you trust the code)"
            more = hint if "plain data" in trouble else ""
            raise TransferFailed(f"The value cannot be brought over: {trouble}{more}.")


# What is run where the user's code runs; it leaves no name of its own behind.


@cache
def _loaded() -> str:
    source = PROGRAM.read_text(encoding="utf-8")
    load = f"(exec(compile({source!r}, 'values', 'exec'), space), space)[1]"
    return f"(lambda space: {load})({{'__name__': 'values'}})"


def _sent(expression: str, base: Path) -> str:
    return f"{_loaded()}['send'](({expression}), {str(base)!r}, arrow={_has_arrow()})"


def _pickled(expression: str, base: Path) -> str:
    content = f"__import__('pickle').dumps(({expression}))"
    return f"__import__('pathlib').Path('{base}.pickle').write_bytes({content}) and None"


# What is read here.


def _read(base: Path) -> Any:
    for path in _files(base):
        try:
            file = safe_files.opened(path)
        except OSError:
            continue
        try:
            with file:
                return read_value(file, path.suffix, _tools())
        except UNREADABLE as error:
            reason = " ".join(str(error).split())[:LONGEST_REASON] or type(error).__name__
            raise TransferFailed(f"The value that arrived cannot be read: {reason}.") from error
    raise TransferFailed("The value did not arrive: nothing was written.")


def _unpickled(base: Path) -> Any:
    """The caller trusts the code with this process, and has said so."""
    import pickle  # noqa: PLC0415  (nobody else needs it)

    try:
        content = safe_files.read_bytes(base.with_suffix(".pickle"), LARGEST_PICKLE)
    except OSError as error:
        if error.errno == errno.EFBIG:
            size = f"more than {LARGEST_PICKLE / 1e9:.1f} GB"
            raise TransferFailed(f"The value is too large: {size}.") from error
        raise TransferFailed("The value did not arrive: nothing was written.") from error
    return pickle.loads(content)


def _files(base: Path) -> list[Path]:
    return [base.with_suffix(kind) for kind in KINDS]


def _remove(base: Path) -> None:
    for kind in (*KINDS, ".pickle"):
        safe_files.remove(base.with_suffix(kind))


@cache
def _tools() -> dict[str, Any]:
    """The same functions that run inside, loaded by path."""
    return runpy.run_path(str(PROGRAM))


@cache
def _has_arrow() -> bool:
    return importlib.util.find_spec("pyarrow") is not None
