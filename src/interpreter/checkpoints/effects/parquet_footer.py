"""Rows and columns of a Parquet file, from its footer alone: what comes from a cell may be hostile,
so that no large library is let loose on it."""

from __future__ import annotations

import struct

_DEEPEST = 16
_STRUCT, _LISTS, _BINARY = 12, (9, 10), 8
_BOOLEANS, _BYTE, _INTEGERS, _DOUBLE = (1, 2), 3, (4, 5, 6), 7


class _Reader:
    """Reads Thrift's compact protocol, as far as a footer needs it."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def integer(self) -> int:
        """A signed number in zigzag form."""
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def field(self, last: int) -> tuple[int, int]:
        """The kind and number of the next field; kind 0 ends a structure."""
        head = self._byte()
        kind, step = head & 15, head >> 4
        if kind == 0:
            return 0, 0
        return kind, last + step if step else self.integer()

    def items(self) -> tuple[int, int]:
        """How many items a list has, and of which kind."""
        head = self._byte()
        count = head >> 4
        return self._unsigned() if count == 15 else count, head & 15

    def skip(self, kind: int, depth: int = 0) -> None:
        """Go past a value."""
        if depth > _DEEPEST or kind > _STRUCT:
            raise ValueError("nested too deeply, or unknown")
        if kind in _INTEGERS:
            self._unsigned()
        elif kind == _BINARY:
            self._at += self._unsigned()
        elif kind in _LISTS:
            self._skip_list(depth)
        elif kind == _STRUCT:
            self._skip_structure(depth)
        else:
            self._at += {_BYTE: 1, _DOUBLE: 8}.get(kind, 0)

    def _skip_list(self, depth: int) -> None:
        count, inner = self.items()
        for _ in range(min(count, len(self._content))):
            self.skip(_BYTE if inner in _BOOLEANS else inner, depth + 1)

    def _skip_structure(self, depth: int) -> None:
        last = 0
        while True:
            kind, last = self.field(last)
            if kind == 0:
                return
            self.skip(kind, depth + 1)

    def _byte(self) -> int:
        byte = self._content[self._at]
        self._at += 1
        return byte

    def _unsigned(self) -> int:
        number = shift = 0
        while shift < 70:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
        raise ValueError("a number without an end")


def parquet_summary(content: bytes) -> str:
    """Rows and columns; ValueError or IndexError if this is no Parquet file."""
    if content[-4:] != b"PAR1":
        raise ValueError("not a Parquet file")
    (length,) = struct.unpack("<I", content[-8:-4])
    reader = _Reader(content[-8 - length : -8])
    columns = last = 0
    while True:
        kind, last = reader.field(last)
        if kind == 0:
            raise ValueError("no number of rows")
        if last == 3:  # num_rows
            return f"Parquet of {reader.integer():,} rows and {columns} columns"
        if last == 2:  # schema: the table itself, then its columns
            columns, inner = reader.items()
            for _ in range(columns):
                reader.skip(inner)
            columns -= 1
        else:
            reader.skip(kind)
