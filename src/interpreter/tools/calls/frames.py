"""How calls and answers cross: a JSON text, and bytes that are attached to it.

The other half of this is `inside/functions/host_calls.py`. All that is received comes from the
cell: it is counted before it is read, and nothing but bytes and JSON is made of it.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from interpreter.protocol.calls import BYTES, Value
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.messages import Face

LONGEST_TEXT = 1 << 24
LONGEST = 1 << 26  # bytes of all that is attached
MOST_HELD = 1 << 28  # bytes of all calls of a cell that are not answered yet
MOST_VALUES = 500_000
MOST_ATTACHED = 64
DEEPEST = 64
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,80}")


Admit = Callable[[int], None]


class Garbled(ValueError):
    """What came is no frame of ours, or too large."""


def encoded(head: dict[str, Any], value: Value = None) -> bytes:
    """A frame as it is sent; Garbled when the value is no plain data, or too large."""
    attached: list[tuple[list[str | int], str, bytes]] = []
    plain = _plain(value, [], attached)
    places = [(path, kind, len(data)) for path, kind, data in attached]
    text = json.dumps({**head, "value": plain, "attached": places}).encode()
    if len(text) > LONGEST_TEXT or sum(len(data) for _, _, data in attached) > LONGEST:
        raise Garbled("The value is too large to be handed over.")
    data = (data for _, _, data in attached)
    return b"".join([struct.pack("!I", len(text)), text, *data])


class Room:
    """How much all callers of a cell together may have handed over at once."""

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most = most
        self._held = 0
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def share(self) -> Iterator[Admit]:
        """For one call: takes so many bytes more until its end, or Garbled."""
        taken = 0

        def admit(size: int) -> None:
            nonlocal taken
            with self._lock:
                if self._held + size > self._most:
                    raise Garbled("Too much is handed over at once; try again when less is.")
                self._held += size
                taken += size

        try:
            yield admit
        finally:
            with self._lock:
                self._held -= taken


def receive(line: socket.socket, seconds: float, admit: Admit) -> tuple[dict[str, Any], Any]:
    """The head and the value of the next frame; Garbled, or an OSError when nobody is there, or it
    is not all there in time. `admit` is told of all bytes before they are read."""
    end = time.monotonic() + seconds
    (size,) = struct.unpack("!I", _exactly(line, 4, end))
    if size > LONGEST_TEXT:
        raise Garbled("The call is too long.")
    admit(size)
    try:
        head = bounded_json(_exactly(line, size, end), MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise Garbled(f"The call cannot be read: {error}") from error
    if not isinstance(head, dict):
        raise Garbled("The call is no object.")
    _check_depth(head)
    value, attached = head.pop("value", None), head.pop("attached", [])

    def read(size: int) -> bytes:
        admit(size)
        return _exactly(line, size, end)

    return head, _filled(value, attached, read)


def _check_depth(head: dict[str, Any]) -> None:
    """What is nested deeper would end whoever looks through it."""
    level: list[Any] = [head]
    for _ in range(DEEPEST):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [item for one in inner for item in one if isinstance(item, dict | list)]
        if not level:
            return
    raise Garbled(f"The call is nested in more than {DEEPEST} levels.")


def _filled(value: Any, attached: Any, read: Callable[[int], bytes]) -> Any:
    """The value with the attached bytes in their places."""
    if not isinstance(attached, list) or len(attached) > MOST_ATTACHED:
        raise Garbled("Too much is attached to the call.")
    left = LONGEST
    whole = [value]
    for entry in attached:
        try:
            path, kind, size = entry
            place, key = _place(whole, [0, *path])
            if type(size) is not int or not 0 <= size <= left or not _MEDIA_TYPE.fullmatch(kind):
                raise Garbled("What is attached to the call is too large, or of no type.")
            left -= size
        except (TypeError, LookupError, ValueError) as error:
            raise Garbled(f"What is attached to the call belongs nowhere: {error}") from error
        data = read(size)
        place[key] = data if kind == BYTES else Face(kind, data)
    return whole[0]


def _place(whole: Any, path: list[Any]) -> tuple[Any, Any]:
    *above, key = path
    for step in above:
        whole = whole[step]
    if not isinstance(whole, list | dict) or whole[key] is not None:
        raise LookupError(f"{path} is taken")
    return whole, key


def _plain(value: Any, path: list[Any], attached: list[Any]) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            attached.append((path, BYTES, value))
            return None
        case Face(media_type, data):
            attached.append((path, media_type, data if isinstance(data, bytes) else data.encode()))
            return None
        case dict():
            return {str(k): _plain(item, [*path, str(k)], attached) for k, item in value.items()}
        case list() | tuple():
            return [_plain(item, [*path, n], attached) for n, item in enumerate(value)]
    raise Garbled(f"A {type(value).__name__} is no plain data.")


def _exactly(line: socket.socket, size: int, end: float) -> bytes:
    data = bytearray()
    while len(data) < size:
        line.settimeout(max(end - time.monotonic(), 0.001))
        piece = line.recv(min(size - len(data), 1 << 20))
        if not piece:
            raise ConnectionResetError("the caller has hung up")
        data += piece
    return bytes(data)
