"""A value as a file of plain data, and back: what both sides of a hand-over agree on.

Runs where the user's code runs. Nothing is ever pickled here.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import importlib.util
import json
import pathlib
import uuid
from collections.abc import Callable
from typing import Any


def _timedelta(seconds: str) -> datetime.timedelta:
    return datetime.timedelta(seconds=float(seconds))


TEXTS: dict[str, Any] = {
    "datetime": (datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "decimal": (decimal.Decimal, str, decimal.Decimal),
    "uuid": (uuid.UUID, str, uuid.UUID),
    "path": (pathlib.PurePath, str, pathlib.Path),
    "complex": (complex, str, complex),
    "timedelta": (datetime.timedelta, lambda span: str(span.total_seconds()), _timedelta),
}
LISTS: dict[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset}


def send(value: Any, base: str, arrow: bool = False) -> None:
    """Write a value to `base` with an ending that tells its format."""
    library = type(value).__module__.partition(".")[0]
    if library == "numpy" and hasattr(value, "dtype") and value.shape:
        _send_array(value, base)
    elif library in ("pandas", "polars", "pyarrow") and hasattr(value, "shape"):
        _send_table(value, library, base, arrow)
    else:
        _write(base + ".json", json.dumps(plain(value)).encode())


def receive(path: str) -> Any:
    """Read what the other side wrote."""
    if path.endswith(".npy"):
        import numpy  # noqa: PLC0415  (only who hands arrays over has it)

        return numpy.load(path, allow_pickle=False)
    if path.endswith(".arrow"):
        import pyarrow  # noqa: PLC0415  (only who hands tables over has it)

        with pyarrow.OSFile(path) as file:
            return table_from_arrow(pyarrow.ipc.open_stream(file).read_all())
    with pathlib.Path(path).open(encoding="utf-8") as file:
        return value_of(json.load(file))


def plain(value: Any) -> Any:
    """A value as JSON; what JSON has no word for is an object with the key `$`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        if all(isinstance(key, str) and key != "$" for key in value):
            return {key: plain(item) for key, item in value.items()}
        return {"$": "dict", "of": [[plain(k), plain(item)] for k, item in value.items()]}
    if isinstance(value, list):
        return [plain(item) for item in value]
    name, content = _tagged(value)
    return {"$": name, "of": content}


def _tagged(value: Any) -> tuple[str, Any]:
    if isinstance(value, bytes | bytearray):
        return "bytes", base64.b64encode(value).decode()
    for name, kind in LISTS.items():
        if isinstance(value, kind):
            return name, [plain(item) for item in value]
    for name, (kind, write, _) in TEXTS.items():
        if isinstance(value, kind):
            return name, write(value)
    if hasattr(value, "item") and hasattr(value, "dtype"):  # a number of numpy's
        return "number", plain(value.item())
    raise TypeError(f"{type(value).__name__} is not plain data")


def value_of(data: Any) -> Any:
    """The value that `plain` wrote."""
    if isinstance(data, list):
        return [value_of(item) for item in data]
    if not isinstance(data, dict):
        return data
    if "$" not in data:
        return {key: value_of(item) for key, item in data.items()}
    name, content = data["$"], data["of"]
    if name in TEXTS:
        return TEXTS[name][2](content)
    if name in LISTS:
        return LISTS[name](value_of(item) for item in content)
    others: dict[str, Callable[[], Any]] = {
        "dict": lambda: {value_of(key): value_of(item) for key, item in content},
        "bytes": lambda: base64.b64decode(content, validate=True),
        "number": lambda: value_of(content),
        "table": lambda: _table_of(data),
    }
    if name not in others:
        raise ValueError(f"unknown kind of value {name!r}")
    return others[name]()


def _send_array(array: Any, base: str) -> None:
    import numpy  # noqa: PLC0415  (there is an array, so it is loaded)

    if array.dtype.hasobject:
        raise TypeError("an array of objects is not plain data")
    with pathlib.Path(base + ".npy").open("wb") as file:
        numpy.save(file, array, allow_pickle=False)


def _send_table(table: Any, library: str, base: str, arrow: bool) -> None:
    if arrow and _has("pyarrow"):
        _send_arrow(table, library, base)
        return
    if library != "pandas":
        raise TypeError(f"a table of {library} needs pyarrow on both sides")
    is_column = table.ndim == 1
    frame = table.to_frame() if is_column else table
    content = {
        "$": "table",
        "of": "series" if is_column else "frame",
        "columns": plain(list(frame.columns)),
        "types": [str(kind) for kind in frame.dtypes],
        "index": None if _is_plain_index(frame) else plain(frame.index.tolist()),
        "data": [plain(_cells(frame.iloc[:, at])) for at in range(frame.shape[1])],
    }
    _write(base + ".json", json.dumps(content).encode())


def _send_arrow(table: Any, library: str, base: str) -> None:
    import pyarrow  # noqa: PLC0415  (only who hands tables over has it)

    is_column = getattr(table, "ndim", 2) == 1 or len(table.shape) == 1
    if library == "pandas":
        made = pyarrow.Table.from_pandas(table.to_frame() if is_column else table)
    elif library == "polars":
        made = (table.to_frame() if is_column else table).to_arrow()
    else:
        made = table
    notes = {b"reploop": f"{library} {'series' if is_column else 'frame'}".encode()}
    made = made.replace_schema_metadata({**(made.schema.metadata or {}), **notes})
    with (
        pyarrow.OSFile(base + ".arrow", "wb") as file,
        pyarrow.ipc.new_stream(file, made.schema) as writer,
    ):
        writer.write_table(made)


def table_from_arrow(table: Any) -> Any:
    """The table in the library it came from, where that is installed."""
    notes = (table.schema.metadata or {}).get(b"reploop", b"").decode().split()
    if not notes or not _has(notes[0]) or notes[0] == "pyarrow":
        return table
    if notes[0] == "pandas":
        frame = table.to_pandas()
        return frame.iloc[:, 0] if notes[1] == "series" else frame
    import polars  # noqa: PLC0415  (only where it is installed)

    frame = polars.from_arrow(table)
    return frame.to_series() if notes[1] == "series" else frame


def _table_of(data: dict[str, Any]) -> Any:
    names, columns = value_of(data["columns"]), [value_of(column) for column in data["data"]]
    if not _has("pandas"):
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    import pandas  # noqa: PLC0415

    index = data["index"] and value_of(data["index"])
    made = [
        pandas.Series(column, dtype=kind, index=index)
        for column, kind in zip(columns, data["types"], strict=True)
    ]
    frame = pandas.concat(made, axis=1) if made else pandas.DataFrame(index=index)
    frame.columns = names
    return frame.iloc[:, 0] if data["of"] == "series" else frame


def _is_plain_index(frame: Any) -> bool:
    return type(frame.index).__name__ == "RangeIndex" and list(frame.index[:1]) in ([], [0])


def _cells(column: Any) -> list[Any]:
    kind = str(column.dtype)
    if kind.startswith("datetime64"):
        return [None if cell is None else str(cell) for cell in column.astype("object")]
    return [cell.item() if hasattr(cell, "item") else cell for cell in column.tolist()]


def _has(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def _write(path: str, content: bytes) -> None:
    pathlib.Path(path).write_bytes(content)
