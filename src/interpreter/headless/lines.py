"""Lines of JSON: one object each, bounded in both directions."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.protocol.json.codec import bounded_json

LONGEST_LINE = 16 << 20  # bytes of a line that we read
MOST_VALUES = 200_000
LONGEST_SENT = 1_000_000  # characters: readers of such lines give up a little above
LONGEST_TEXT = 20_000  # characters of each text in a line that would be longer
PIECE = 1 << 16


class BrokenLine(ValueError):
    """What came is no line of JSON; the text says why."""


class LineReader:
    """The objects that come in at a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._number = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each object, until the input ends; BrokenLine for what is none."""
        pieces: list[bytes] = []
        size = 0
        while piece := os.read(self._descriptor, PIECE):
            *lines, rest = piece.split(b"\n")
            for line in lines:
                yield from self._object(b"".join((*pieces, line)))
                pieces, size = [], 0
            pieces.append(rest)
            size += len(rest)
            if size > LONGEST_LINE:
                raise BrokenLine(
                    f"Line {self._number + 1} of the input is longer than {LONGEST_LINE >> 20} MB."
                )
        yield from self._object(b"".join(pieces))

    def _object(self, line: bytes) -> Iterator[dict[str, Any]]:
        self._number += 1
        if not line.strip():
            return
        try:
            found = bounded_json(line, MOST_VALUES)
        except (ValueError, RecursionError) as error:
            raise BrokenLine(f"Line {self._number} of the input is no JSON: {error}.") from error
        if not isinstance(found, dict):
            raise BrokenLine(f"Line {self._number} of the input is no JSON object.")
        yield found


class LineWriter:
    """Writes objects to a descriptor, each in one piece, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one; the texts in one that is too long are shortened. BrokenPipeError if nobody
        reads."""
        line = json.dumps(message)
        if len(line) > LONGEST_SENT:
            line = json.dumps(_shortened(message, LONGEST_TEXT))
        if len(line) > LONGEST_SENT:
            line = json.dumps(_shortened(message, 200))
        self.print(line)

    def print(self, text: str) -> None:
        """Write a text, and a line's end after it."""
        rest = memoryview(f"{text}\n".encode(errors="replace"))
        with self._lock:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]


def fits(message: Mapping[str, Any]) -> bool:
    """Whether it can be sent whole."""
    return len(json.dumps(message)) <= LONGEST_SENT


def _shortened(value: Any, most: int) -> Any:
    if isinstance(value, str) and len(value) > most:
        half = most // 2
        return f"{value[:half]}\n[{len(value) - 2 * half} characters left out]\n{value[-half:]}"
    if isinstance(value, Mapping):
        if value.get("type") == "image":
            return {"type": "text", "text": "[a picture that is too large to be sent]"}
        return {key: _shortened(one, most) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(one, most) for one in value[:1000]]
    return value
