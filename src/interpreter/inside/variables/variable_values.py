"""Variables as bytes and back: loaded into the user's kernel beside variable_checkpoints.py.

Functions of the session are written down as code and come back over the namespace that they find;
modules come back by import; all else is up to cloudpickle, or to pickle where that is missing.
"""

import hashlib
import importlib
import io
import json
import marshal
import mmap
import os
import pickle
import re
import sys
import time
import types
from collections.abc import Callable
from typing import IO, Any

OWN = re.compile(
    r"_|__|___|_\d+|_i+|_i\d+|_[dio]h|__\w+__|_exit_code|In|Out|get_ipython|exit|quit|open"
)

ALIGNMENT = 64  # of every buffer, as arrays want it
LONGEST_HEADER = 64 << 20
QUICK_BYTES = 2 << 20
QUICK_SECONDS = 0.02  # of work, however busy the machine is

Problems = dict[str, str]


class Session:
    """The namespace that we speak of."""

    namespace: dict[str, Any] = {}
    hidden: dict[str, Any] = {}
    lives_on = True
    """Whether what is written is read by a process that has the same classes."""


def variables() -> dict[str, Any]:
    """What the user's code has made."""
    return {
        name: value
        for name, value in Session.namespace.items()
        if not OWN.fullmatch(name)
        and not (name in Session.hidden and Session.hidden[name] is value)
    }


def describe(value: Any, budget: "Budget | None" = None) -> list[Any]:
    """Digest, address and type of a value; no digest where it cannot be written down."""
    try:
        digest = hashlib.sha1(usedforsecurity=False)
        for part in dump(value, for_digest=True, budget=budget):
            digest.update(part)
        return [digest.hexdigest(), id(value), type(value).__name__]
    except Exception:  # noqa: BLE001 - any object may refuse in its own way
        return [None, id(value), type(value).__name__]


def descriptions(*, quickly: bool = False) -> dict[str, list[Any]]:
    """All variables described; quickly: as many with a digest as can be had at once."""
    found = {}
    load_pickler()
    budget = Budget() if quickly else None
    for name, value in variables().items():
        found[name] = describe(value, budget)
    return found


def dump(value: Any, *, for_digest: bool = False, budget: "Budget | None" = None) -> list[Any]:
    """A value as a pickle, followed by the large buffers that it refers to."""
    buffers: list[pickle.PickleBuffer] = []
    stream: Any = io.BytesIO() if budget is None else Bounded(budget)

    def keep(buffer: pickle.PickleBuffer) -> None:
        if budget is not None:
            budget.spend(buffer.raw().nbytes)
        buffers.append(buffer)

    make_pickler(stream, keep, for_digest).dump(value)
    return [stream.getbuffer(), *(buffer.raw() for buffer in buffers)]


class Budget:
    """The bytes and the time that looking at values may take."""

    def __init__(self) -> None:
        self._bytes = QUICK_BYTES
        self._until = time.thread_time() + QUICK_SECONDS

    def spend(self, size: int) -> None:
        """Raise once there is nothing left."""
        if size > self._bytes or time.thread_time() > self._until:
            raise OverflowError("too much to look at")
        self._bytes -= size


class Bounded(io.BytesIO):
    """A stream that takes as much as the budget allows."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget
        budget.spend(0)

    def write(self, data: Any) -> int:
        self._budget.spend(len(data))
        return super().write(data)


def make_pickler(stream: IO[bytes], keep: Callable[..., Any], for_digest: bool) -> Any:
    """A pickler that writes down what was defined in this session by value."""
    base: Any = load_pickler()
    busy: set[int] = set()
    by_name_only = base is pickle.Pickler

    class Writer(base):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, types.ModuleType) and value.__name__ in sys.modules:
                return importlib.import_module, (value.__name__,)
            if isinstance(value, io.TextIOWrapper):  # cloudpickle would make a text of it
                raise pickle.PicklingError("an open file cannot be written down")
            if is_our_function(value):
                return take_apart(value)
            if for_digest and is_our_class(value):
                return outline(value, busy)
            if by_name_only and not Session.lives_on and is_our_class(value):
                raise pickle.PicklingError("its class can only be saved with cloudpickle")
            inherited = getattr(super(), "reducer_override", None)
            return inherited(value) if inherited else NotImplemented

    return Writer(stream, protocol=5, buffer_callback=keep)


def load_pickler() -> Any:
    """cloudpickle's, which the kernel starts without, where it is installed."""
    try:
        return importlib.import_module("cloudpickle").CloudPickler
    except ImportError:
        return pickle.Pickler


def is_our_function(value: Any) -> bool:
    """Whether a value is a function that sees the user's variables as its globals."""
    return isinstance(value, types.FunctionType) and value.__globals__ is Session.namespace


def is_our_class(value: Any) -> bool:
    """Whether a value is a class that was defined in this session."""
    return isinstance(value, type) and value.__module__ == "__main__"


def take_apart(function: types.FunctionType) -> Any:
    """A function as its code, to be put together again over the namespace that it finds."""
    cells = function.__closure__
    contents = None if cells is None else tuple(content_of(cell) for cell in cells)
    state = {
        "__defaults__": function.__defaults__,
        "__kwdefaults__": function.__kwdefaults__,
        "__annotations__": function.__annotations__,
        "__doc__": function.__doc__,
        "__qualname__": function.__qualname__,
        "__module__": function.__module__,
    }
    skeleton = (marshal.dumps(function.__code__), function.__name__, len(cells or ()))
    return build_function, skeleton, (state, contents, function.__dict__), None, None, fill_function


def content_of(cell: Any) -> tuple[Any, ...]:
    """What a closure's cell holds, if anything yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def build_function(code: bytes, name: str, cells: int) -> types.FunctionType:
    """A function without what it holds, which may well hold the function."""
    closure = tuple(types.CellType() for _ in range(cells))
    return types.FunctionType(marshal.loads(code), Session.namespace, name, None, closure)


def fill_function(function: types.FunctionType, state: Any) -> None:
    """Give a function what it holds."""
    attributes, contents, own = state
    for name, value in attributes.items():
        setattr(function, name, value)
    function.__dict__.update(own)
    for cell, content in zip(function.__closure__ or (), contents or (), strict=True):
        if content:
            cell.cell_contents = content[0]


def outline(kind: type, busy: set[int]) -> Any:
    """A class for comparison only; a class that is written down for real has a random mark."""
    if id(kind) in busy:
        return str, (kind.__qualname__,)
    busy.add(id(kind))
    skip = ("__dict__", "__weakref__", "_abc_impl")
    content = [(name, value) for name, value in vars(kind).items() if name not in skip]
    return tuple, ((kind.__qualname__, kind.__bases__, content),)


def write_values(
    file: IO[bytes],
    names: list[str] | None,
    largest: int | None,
    around: dict[str, Any] | None = None,
) -> Problems:
    """Write variables as one pickle, so that what they share stays shared; which are left out."""
    chosen = variables()
    if names is not None:
        chosen = {name: value for name, value in chosen.items() if name in names}
    lost = problems_of(chosen, largest)
    parts = dump({name: value for name, value in chosen.items() if name not in lost})
    header: dict[str, Any] = {
        "lost": lost,
        "sizes": [len(part) for part in parts],
        "python": sys.implementation.cache_tag,
    }
    header.update(surroundings() if around is None else around)
    text = json.dumps(header).encode()
    file.write(text + b" " * (-(len(text) + 1) % ALIGNMENT) + b"\n")
    for part in parts:
        file.write(part)
        file.write(bytes(-len(part) % ALIGNMENT))
    file.flush()
    return lost


def problems_of(chosen: dict[str, Any], largest: int | None) -> Problems:
    """The variables that cannot be carried, and why."""
    lost: Problems = {}
    total = 0
    for name, value in chosen.items():
        try:
            parts = dump(value)
            size = sum(len(part) for part in parts)
            if not Session.lives_on:  # who reads it later has nobody to ask for it once more
                pickle.loads(parts[0], buffers=parts[1:])
        except Exception as error:  # noqa: BLE001 - any object may refuse in its own way
            lost[name] = f"{type(value).__name__}: {error}"[:200]
            continue
        total += size
        if largest is not None and total > largest:
            total -= size
            lost[name] = f"{type(value).__name__}: too large to keep by value"
    return lost


def surroundings() -> dict[str, Any]:
    """What belongs to the state beside variables."""
    return {"cwd": os.getcwd(), "path": sys.path, "environ": dict(os.environ)}


def read_values(file: IO[bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and header as `write_values` wrote them, read into memory."""
    header = json.loads(file.readline())
    if header["python"] != sys.implementation.cache_tag:
        raise ValueError(f"they were saved by {header['python']}, and this is another Python")
    sys.path += [place for place in header.get("search", ()) if place not in sys.path]
    parts = []
    for size in header["sizes"]:
        part = bytearray(size)
        if file.readinto(part) != size:  # type: ignore[attr-defined]
            raise EOFError("the saved variables end in the middle")
        file.seek(-size % ALIGNMENT, os.SEEK_CUR)
        parts.append(part)
    return pickle.loads(parts[0], buffers=parts[1:]), header


def map_values(descriptor: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same from memory that somebody else has filled; arrays stay where they are in it."""
    memory = memoryview(mmap.mmap(descriptor, 0, flags=mmap.MAP_PRIVATE))
    text = bytes(memory[:LONGEST_HEADER]).partition(b"\n")[0]
    header = json.loads(text)
    start = len(text) + 1
    parts = []
    for size in header["sizes"]:
        parts.append(memory[start : start + size])
        start += size + -size % ALIGNMENT
    return pickle.loads(parts[0], buffers=parts[1:]), header
