"""Reads the files that values come over in: counted first, made into objects only then.

They were written by whatever the code did. A few bytes can stand for gigabytes: empty lists,
holes in a file, compressed columns, columns of nothing.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

from interpreter.protocol.errors import TransferFailed
from interpreter.protocol.json.codec import bounded_json

LARGEST = {".json": 128_000_000, ".npy": 1_000_000_000, ".arrow": 1_000_000_000}
MOST_VALUES = 2_000_000  # in lists, dictionaries and the like
MOST_CELLS = 50_000_000  # in a table
SAFE_ARROW = (14, 0, 1)  # before it, reading a table could run a pickle inside

Tools = dict[str, Any]


def read_value(file: BinaryIO, kind: str, tools: Tools) -> Any:
    """The value in a file of a kind; ValueError and its like if it is none, or too much."""
    size = os.fstat(file.fileno()).st_size
    if size > LARGEST[kind]:
        raise TransferFailed(
            f"The value is too large: {size / 1e9:.2f} GB, and at most "
            f"{LARGEST[kind] / 1e9:.2f} GB are brought over."
        )
    readers: dict[str, Callable[[BinaryIO, Tools], Any]] = {
        ".json": _plain,
        ".npy": _array,
        ".arrow": _table,
    }
    return readers[kind](file, tools)


def _plain(file: BinaryIO, tools: Tools) -> Any:
    return tools["value_of"](bounded_json(file.read(LARGEST[".json"]), MOST_VALUES))


def _array(file: BinaryIO, tools: Tools) -> Any:
    from numpy.lib import format as npy  # noqa: PLC0415  (only for arrays)

    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, _, kind = readers[npy.read_magic(file)](file)
    room = os.fstat(file.fileno()).st_size - file.tell()
    if math.prod(shape) * max(1, kind.itemsize) > room:
        raise ValueError("the array is shorter than it says")
    file.seek(0)
    return npy.read_array(file, allow_pickle=False)


def _table(file: BinaryIO, tools: Tools) -> Any:
    import pyarrow  # noqa: PLC0415  (only those who bring tables over need it)

    if tuple(int(part) for part in pyarrow.__version__.split(".")[:3]) < SAFE_ARROW:
        raise TransferFailed("PyArrow is too old to read tables safely; install 14.0.1 or newer.")
    content = pyarrow.py_buffer(file.read(LARGEST[".arrow"]))
    for message in pyarrow.ipc.MessageReader.open_stream(content):
        if message.type != "schema" and _is_compressed(message.metadata.to_pybytes(), message.type):
            raise ValueError("compressed tables are not read")
    table = pyarrow.ipc.open_stream(content).read_all()
    cells = sum(_cells(chunk) for column in table.columns for chunk in column.chunks)
    if cells > MOST_CELLS:
        raise ValueError(f"the table has more than {MOST_CELLS} cells")
    return tools["table_from_arrow"](table)


def _cells(array: Any) -> int:
    """How many cells an array stands for, with those inside of them."""
    import pyarrow  # noqa: PLC0415

    if isinstance(array, pyarrow.RunEndEncodedArray):
        raise ValueError("tables with run-end encoded columns are not read")
    below: list[Any] = []
    if isinstance(array, pyarrow.DictionaryArray):
        below = [array.dictionary]
    elif isinstance(array, pyarrow.StructArray):
        below = [array.field(at) for at in range(array.type.num_fields)]
    elif hasattr(array, "values"):  # lists of all sorts, and maps
        below = [array.values]
    elif isinstance(array, pyarrow.ExtensionArray):
        below = [array.storage]
    elif isinstance(array, pyarrow.UnionArray):
        raise ValueError("tables with columns of several types are not read")
    return len(array) + sum(map(_cells, below))


def _is_compressed(metadata: bytes, kind: str) -> bool:
    """Whether a message of Arrow has a compressed body, as its header (a FlatBuffer) tells."""
    try:
        batch = _field(metadata, struct.unpack_from("<I", metadata)[0], 2)
        if kind == "dictionary":
            batch = _field(metadata, _target(metadata, batch), 1)
        return _field(metadata, _target(metadata, batch), 3) != 0
    except struct.error as error:
        raise ValueError("the table's headers cannot be read") from error


def _target(data: bytes, place: int) -> int:
    return place + int(struct.unpack_from("<I", data, place)[0])


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a FlatBuffer's table is; 0 if it is not there."""
    names = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, names)[0]
    entry = 4 + 2 * number
    offset = struct.unpack_from("<H", data, names + entry)[0] if entry < size else 0
    return table + int(offset) if offset else 0
