"""Changes within an ONNX file, without the library that writes them: a table with fewer rows, and
numbers of 32 bits for numbers of 16."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interpreter.protocol.values import frozen
from interpreter.protocol.voice import VoiceError

# Numbers of fields in ONNX's own description of its files, and of two types of numbers.
GRAPH, NODE, INITIALIZER, KNOWN_SHAPE, DIMENSION, TYPE, NAME, RAW = 7, 1, 5, 13, 1, 2, 8, 9
ATTRIBUTE, ATTRIBUTE_NAME, ATTRIBUTE_NUMBER, ATTRIBUTE_TENSOR = 5, 1, 3, 5
FLOAT_32, FLOAT_16 = 1, 10
NAMES_A_TYPE = (b"to", b"dtype")  # attributes whose number is a type
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


def in_32_bits(model: memoryview) -> Iterator[bytes]:
    """The same model, part by part, with every number of 16 bits as one of 32: these do not
    overflow, and a processor calculates with them in any case."""
    try:
        for field in _fields(model):
            if field.number == GRAPH:
                parts = [_wider(part) for part in _fields(_bytes(field.value))]
                yield _varint(GRAPH << 3 | BYTES) + _varint(sum(map(len, parts)))
                yield from parts
            else:
                yield bytes(field.whole)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise VoiceError(UNREADABLE) from error


def _wider(field: Field) -> bytes:
    """A part of a graph."""
    if field.number == INITIALIZER:
        return _packed(INITIALIZER, _wider_tensor(_bytes(field.value)))
    if field.number == NODE:
        return _packed(NODE, _each(_bytes(field.value), ATTRIBUTE, _wider_attribute))
    return b"" if field.number == KNOWN_SHAPE else bytes(field.whole)


def _wider_attribute(attribute: memoryview) -> bytes:
    if _text(attribute, ATTRIBUTE_NAME) in NAMES_A_TYPE:
        return b"".join(_wider_type(field, ATTRIBUTE_NUMBER) for field in _fields(attribute))
    return _each(attribute, ATTRIBUTE_TENSOR, _wider_tensor)


def _wider_tensor(tensor: memoryview) -> bytes:
    fields = [*_fields(tensor)]
    if all(field.number != TYPE or field.value != FLOAT_16 for field in fields):
        return bytes(tensor)
    import numpy as np  # noqa: PLC0415  (an extra)

    return b"".join(
        _packed(RAW, np.frombuffer(field.value, np.float16).astype(np.float32).tobytes())
        if field.number == RAW and not isinstance(field.value, int)
        else _wider_type(field, TYPE)
        for field in fields
    )


def _wider_type(field: Field, number: int) -> bytes:
    if field.number == number and field.value == FLOAT_16:
        return _varint(number << 3) + _varint(FLOAT_32)
    return bytes(field.whole)


def _each(message: memoryview, number: int, change: Callable[[memoryview], bytes]) -> bytes:
    """A message in which each field of a number is changed."""
    return b"".join(
        _packed(number, change(_bytes(field.value)))
        if field.number == number
        else bytes(field.whole)
        for field in _fields(message)
    )


def _graph(graph: int | memoryview, table: bytes, rows: int) -> bytes:
    parts, found = [], False
    for field in _fields(_bytes(graph)):
        if field.number == INITIALIZER and _text(_bytes(field.value), NAME) == table:
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


def _text(message: memoryview, number: int) -> bytes:
    found = (field.value for field in _fields(message) if field.number == number)
    return bytes(_bytes(next(found, memoryview(b""))))


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
            if at > len(data):
                raise IndexError(size)
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
