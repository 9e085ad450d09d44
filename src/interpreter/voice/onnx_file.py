"""A change within an ONNX file, without the library that writes them: a table with fewer rows."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.protocol.values import frozen
from interpreter.protocol.voice import VoiceError

# Numbers of fields in ONNX's own description of its files.
GRAPH, INITIALIZER, KNOWN_SHAPE, DIMENSION, NAME, RAW = 7, 5, 13, 1, 8, 9
NUMBER, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5
SIZES = {FIXED_64: 8, FIXED_32: 4}
UNREADABLE = "A file of the voice cannot be read; get it again: interpreter models pull voice"


@frozen
class Field:
    """One field of a message: its number, what it holds, and its bytes as they stand."""

    number: int
    value: int | memoryview
    whole: memoryview


def with_fewer_rows(model: bytes, table: str, rows: int) -> bytes:
    """The same model, of whose named table only the first rows are left."""
    try:
        fields = [*_fields(memoryview(model))]
        return b"".join(
            _packed(GRAPH, _graph(field.value, table.encode(), rows))
            if field.number == GRAPH
            else bytes(field.whole)
            for field in fields
        )
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise VoiceError(UNREADABLE) from error


def _graph(graph: int | memoryview, table: bytes, rows: int) -> bytes:
    parts, found = [], False
    for field in _fields(_bytes(graph)):
        if field.number == INITIALIZER and _name(_bytes(field.value)) == table:
            parts.append(_packed(INITIALIZER, _shortened(_bytes(field.value), rows)))
            found = True
        elif field.number != KNOWN_SHAPE:  # which the engine finds out again
            parts.append(bytes(field.whole))
    if not found:
        raise ValueError(table)
    return b"".join(parts)


def _shortened(tensor: memoryview, rows: int) -> bytes:
    fields = [*_fields(tensor)]
    before = next(field.value for field in fields if field.number == DIMENSION)
    assert isinstance(before, int)
    parts, is_first = [], True
    for field in fields:
        if field.number == DIMENSION and is_first:
            parts.append(_varint(DIMENSION << 3) + _varint(rows))
            is_first = False
        elif field.number == RAW:
            data = _bytes(field.value)
            parts.append(_packed(RAW, bytes(data[: len(data) // before * rows])))
        else:
            parts.append(bytes(field.whole))
    return b"".join(parts)


def _name(tensor: memoryview) -> bytes:
    named = (field.value for field in _fields(tensor) if field.number == NAME)
    return bytes(_bytes(next(named, memoryview(b""))))


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise TypeError(value)
    return value


def _fields(data: memoryview) -> Iterator[Field]:
    at = 0
    while at < len(data):
        start = at
        key, at = _read_varint(data, at)
        value: int | memoryview
        if key & 7 == NUMBER:
            value, at = _read_varint(data, at)
        else:
            if key & 7 == BYTES:
                size, at = _read_varint(data, at)
            else:
                size = SIZES[key & 7]
            value, at = data[at : at + size], at + size
        yield Field(key >> 3, value, data[start:at])


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _packed(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | BYTES) + _varint(len(data)) + data
