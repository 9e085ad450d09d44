"""Calls functions of the host from inside the cell, over a socket that lies beside this file.

In Python `computer.mouse.click(10, 20)` is a call of the host's function of that name; in a shell
it is `reploop-call computer.mouse.click 10 20`. Each call has a connection of its own: closing it
takes the call back, and a copy of this process can call as the process itself can.

A frame is the length of a JSON text in four bytes, the text, and the bytes that are attached to
it: `attached` in the text says where in its `value` each belongs, what it is and how long.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.machinery
import json
import os
import socket
import struct
import sys
from collections.abc import Iterator
from typing import Any

ADDRESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls")
BYTES, PNG = "application/octet-stream", "image/png"
ARROW = "application/vnd.apache.arrow.stream"
MOST = 1 << 28
NO_SUCH_PLACE = ("AmbiguousTarget", "TargetNotFound", "OutOfRange")  # programs expect ValueError
_known: dict[str, dict[str, Any]] = {}


class CallFailed(RuntimeError):
    """The host could not do it; `kind` says what went wrong, and `details` may say more."""

    kind, details = "CallFailed", None


class CallDenied(CallFailed, PermissionError):
    """A rule or the user said no."""


class NotHere(CallFailed, AttributeError):
    """The host has no such function, or not now."""


class WrongArguments(CallFailed, TypeError):
    """The function does not take such arguments."""


class Picture(bytes):
    """A picture as PNG; a notebook shows it. Where Pillow is, it does what Pillow's pictures do."""

    image: Any

    def _repr_png_(self) -> bytes:
        opened = self.__dict__.get("image")
        return opened._repr_png_() if opened is not None else bytes(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name != "image":
            return getattr(self.image, name)
        import io  # noqa: PLC0415

        try:
            from PIL import Image  # noqa: PLC0415  (only who wants more than bytes needs it)
        except ImportError as error:
            raise AttributeError(
                f"A picture is the bytes of a PNG; {name} needs pillow."
            ) from error
        self.image = Image.open(io.BytesIO(self))
        return self.image

    def __reduce__(self) -> Any:
        return Picture, (bytes(self),)

    def __repr__(self) -> str:
        return f"<picture of {len(self)} bytes>"


class Function:
    """A function of the host, or what its functions have as the first words of their names."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *positional: Any, **named: Any) -> Any:
        return call(self._name, *positional, **named)

    def __getattr__(self, part: str) -> Function:
        name = f"{self._name}.{part}"
        if part.startswith("_"):
            raise AttributeError(part)
        if not _below(name):
            functions(anew=True)
        if not _below(name):
            reason = _missing(name) or f"There is no {name}; there are: {', '.join(dir(self))}."
            raise NotHere(reason)
        return call(name) if _known.get(name, {}).get("value") else Function(name)

    def __dir__(self) -> list[str]:
        functions(anew=True)
        start = len(self._name) + 1
        return sorted({name[start:].partition(".")[0] for name in _below(self._name)} - {""})

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return "\n".join(_line(functions()[name]) for name in _below(self._name))

    def __repr__(self) -> str:
        return f"<{self._name}: {', '.join(dir(self)) or 'a function of the host'}>"

    def __reduce__(self) -> Any:
        return Function, (self._name,)


def offer(names: list[str]) -> None:
    """Let code find these names when it has none of its own like them; they are no variables."""
    for name in names:
        if not hasattr(builtins, name):
            setattr(builtins, name, Function(name))
    sys.meta_path.append(Importer(names))


class Importer:
    """For `import computer` and `from computer import mouse`, where there is no such module."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """What the import system asks whoever finds modules, us last."""
        if name.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> Function:
        """The function of this name, or those below it."""
        return Function(spec.name)

    def exec_module(self, module: Any) -> None:
        """There is nothing to run."""


def functions(*, anew: bool = False) -> dict[str, dict[str, Any]]:
    """What the host offers, by name."""
    if anew or not _known:
        found = {entry["name"]: entry for entry in call("")}
        _known.clear()
        _known.update(found)
    return _known


def _below(name: str) -> list[str]:
    offered = (n for n, entry in functions().items() if "missing" not in entry)
    return [known for known in offered if known == name or known.startswith(f"{name}.")]


def _missing(name: str) -> str:
    """Why the host does not have what others have under this name."""
    for known, entry in functions().items():
        belongs = name == known or name.startswith(f"{known}.")
        if "missing" in entry and belongs and not _below(known):
            return f"{name} cannot be used: {entry['missing']}"
    return ""


def _line(entry: dict[str, Any]) -> str:
    return f"{entry['name']}({', '.join(entry['parameters'])}): {entry['summary']}"


def call(name: str, /, *positional: Any, **named: Any) -> Any:
    """Have the host call a function; its value, or an iterator of its pieces."""
    if "inside" in _known.get(name, ()):
        return _own(*_known[name]["inside"])(*positional, **named)
    return _ask({"call": name}, {"positional": list(positional), "named": named})


def _own(file: str, name: str) -> Any:
    """A function that needs no host, from a file beside this one."""
    module = f"_reploop_{file.removesuffix('.py')}"
    if module not in sys.modules:
        from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415

        place = os.path.join(os.path.dirname(ADDRESS), file)
        spec = spec_from_file_location(module, place)
        loaded = sys.modules[module] = module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(loaded)  # type: ignore[union-attr]
    return getattr(sys.modules[module], name)


def _ask(head: dict[str, Any], value: Any) -> Any:
    line = socket.socket(socket.AF_UNIX)
    try:
        line.connect(ADDRESS)
        _send(line, head, value)
        head, value = _receive(line)
        if head.get("is") == "pieces":
            pieces, line = _pieces(line), socket.socket()
            return pieces
        return _answer(head, value)
    except (ConnectionError, FileNotFoundError, TimeoutError) as error:
        raise CallFailed(f"The host does not answer: {error}") from error
    finally:
        line.close()


def _pieces(line: socket.socket) -> Iterator[Any]:
    with line:
        while True:
            head, value = _receive(line)
            if head.get("is") == "end":
                return
            yield _answer(head, value)


def _answer(head: dict[str, Any], value: Any) -> Any:
    if head.get("is") in ("value", "piece"):
        return value
    kind, text = str(head.get("kind")), str(head.get("text"))
    own = {one.__name__: one for one in (CallFailed, CallDenied, NotHere, WrongArguments)}
    bases = (CallFailed, ValueError) if kind in NO_SUCH_PLACE else (CallFailed,)
    error = (own.get(kind) or type(kind, bases, {}))(text)
    error.kind, error.details = kind, value
    raise error


def _send(line: socket.socket, head: dict[str, Any], value: Any) -> None:
    attached: list[tuple[list[Any], str, bytes]] = []
    plain = _plain(value, [], attached)
    places = [(path, kind, len(data)) for path, kind, data in attached]
    text = json.dumps({**head, "value": plain, "attached": places}).encode()
    data = [struct.pack("!I", len(text)), text, *(data for _, _, data in attached)]
    with contextlib.suppress(BrokenPipeError):  # it has been refused: the answer says why
        line.sendall(b"".join(data))


def _receive(line: socket.socket) -> tuple[dict[str, Any], Any]:
    head = json.loads(_exactly(line, struct.unpack("!I", _exactly(line, 4))[0]))
    for path, kind, size in head.get("attached", ()):
        place: Any = head
        for key in ["value", *path][:-1]:
            place = place[key]
        place[["value", *path][-1]] = _rich(kind, _exactly(line, size))
    return head, head.get("value")


def _exactly(line: socket.socket, size: int) -> bytes:
    if size > MOST:
        raise CallFailed(f"The answer is too long: {size} bytes.")
    data = bytearray()
    while len(data) < size:
        piece = line.recv(min(size - len(data), 1 << 20))
        if not piece:
            raise ConnectionResetError("it has hung up")
        data += piece
    return bytes(data)


def _plain(value: Any, path: list[Any], attached: list[tuple[list[Any], str, bytes]]) -> Any:
    """A value as JSON; what is no JSON is attached, and leaves an empty place."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item, [*path, str(key)], attached) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, [*path, place], attached) for place, item in enumerate(value)]
    for attribute, text in TEXTS.items():
        if hasattr(type(value), attribute):
            return _plain(text(value), path, attached)
    attached.append((path, *_bytes(value)))
    return None


TEXTS: dict[str, Any] = {
    "tolist": lambda numbers: numbers.tolist(),  # numpy's
    "__fspath__": os.fspath,
    "isoformat": lambda moment: moment.isoformat(),
}


def _bytes(value: Any) -> tuple[str, bytes]:
    if isinstance(value, bytes | bytearray | memoryview):
        return (PNG, value._repr_png_()) if isinstance(value, Picture) else (BYTES, bytes(value))
    if hasattr(value, "__arrow_c_stream__"):
        return ARROW, _arrow(value)
    if hasattr(value, "_repr_png_"):  # a picture of Pillow's
        return PNG, value._repr_png_()
    raise TypeError(f"A {type(value).__name__} cannot be handed to the host.")


def _arrow(table: Any) -> bytes:
    import pyarrow  # noqa: PLC0415  (only who hands tables over has it)

    whole = pyarrow.table(table)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _rich(kind: str, data: bytes) -> Any:
    if kind == PNG:
        return Picture(data)
    if kind != ARROW:
        return data
    try:
        import pyarrow  # noqa: PLC0415  (only who is handed tables has it)

        table = pyarrow.ipc.open_stream(data).read_all()
        return table.to_pandas()
    except ImportError:
        return table if "table" in locals() else data


def main(words: list[str]) -> int:
    """`reploop-call NAME VALUE… --PARAMETER VALUE…` prints the value; without a name, a list."""
    if not words:
        print("\n".join(map(_line, filter(lambda e: "missing" not in e, functions().values()))))
        return 0
    name, rest = words[0], iter(words[1:])
    positional, named = [], {}
    for word in rest:
        if word.startswith("--") and len(word) > 2:
            key, given, text = word[2:].partition("=")
            named[key.replace("-", "_")] = text if given else next(rest, "")
        else:
            positional.append(word)
    try:
        if "inside" in functions().get(name, ()):
            value = call(name, *positional, **named)
        else:
            value = _ask({"call": name, "texts": True}, {"positional": positional, "named": named})
        for piece in value if isinstance(value, Iterator) else (value,):
            _print(piece)
    except (CallFailed, TypeError, ValueError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0


def _print(value: Any) -> None:
    if isinstance(value, bytes):
        sys.stdout.buffer.write(value)
    elif value is not None:
        print(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
