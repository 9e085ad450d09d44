"""Shows the variables of a Python session and pages of its tables, as JSON.

It is loaded once into the kernel, as a module that no code sees by name. A page is sorted and
filtered here, where the table is; only the rows that are shown leave the kernel.
"""

from __future__ import annotations

import json
import math
import sys
import types
from typing import Any

HIDDEN = {"In", "Out", "exit", "quit", "get_ipython", "open", "display", "computer"}
MOST_VARIABLES = 1000
LONGEST = 200  # characters of a cell or a preview
LARGE = 200_000  # rows; of more, different values are not counted
SIGNS = ("<=", ">=", "!=", "<", ">", "=")

_seen: dict[str, Any] = {"block": -1, "before": None, "now": None}
_order: dict[str, Any] = {"key": None, "rows": None}
_facts: dict[str, Any] = {"key": None, "columns": None}


def variables(names: dict[str, Any], block: int) -> str:
    """What the session has, as JSON; `block` tells one state of it from the next.

    What has changed is told from the second look on: at the first there is nothing to compare with.
    """
    if block != _seen["block"]:
        _seen.update(block=block, before=_seen["now"])
    before = _seen["before"]
    listed: list[dict[str, Any]] = []
    now: dict[str, Any] = {}
    for name, value in list(names.items()):
        if name.startswith("_") or name in HIDDEN or isinstance(value, types.ModuleType):
            continue
        if len(listed) >= MOST_VARIABLES:
            break
        now[name] = mark(value)
        listed.append({
            "name": name,
            "type": type(value).__name__,
            "shape": shape(value),
            "size": size(value),
            "preview": preview(value),
            "changed": before is not None and before.get(name) != now[name],
        })
    _seen["now"] = now
    return json.dumps({"variables": listed})


def mark(value: Any) -> tuple[Any, ...]:
    """What tells a value from another one, without looking at all of it."""
    return (id(value), type(value).__name__, str(shape(value)), preview(value))


def shape(value: Any) -> Any:
    """Its sizes, where it has any."""
    try:
        found = getattr(value, "shape", None)
        if isinstance(found, tuple):
            return [int(number) for number in found]
        if isinstance(value, (str, bytes, list, tuple, dict, set, frozenset)):
            return [len(value)]
    except Exception:  # noqa: BLE001  (the user's objects may do anything)
        return None
    return None


def size(value: Any) -> Any:
    """About how many bytes it takes."""
    try:
        if type(value).__name__ == "DataFrame" and hasattr(value, "memory_usage"):
            return int(value.memory_usage().sum())
        return int(getattr(value, "nbytes", None) or sys.getsizeof(value))
    except Exception:  # noqa: BLE001
        return None


def preview(value: Any) -> str:
    """A value in one short line."""
    try:
        if hasattr(value, "shape") or (hasattr(value, "__len__") and len(value) > 1000):
            return type(value).__name__
        return " ".join(repr(value).split())[:LONGEST]
    except Exception:  # noqa: BLE001
        return type(value).__name__


def page(value: Any, asked: dict[str, Any]) -> str:
    """Some rows of a table, as JSON."""
    frame = as_frame(value)
    if frame is None:
        return json.dumps({"problem": "It is no table: a data frame, a series or an array."})
    wanted = [asked["sort"], asked["column"]]
    missing = [name for name in wanted if name and name not in labels(frame)]
    if missing:
        return json.dumps({"problem": f"There is no column {missing[0]!r}."})
    known = (id(value), frame.shape, asked["block"])
    rows = ordered(frame, asked, known)
    matching = len(frame) if rows is None else len(rows)
    start = asked["offset"]
    end = min(start + asked["limit"], matching)
    part = frame.iloc[start:end] if rows is None else frame.iloc[rows[start:end]]
    return json.dumps({
        "columns": columns(frame, known),
        "rows": [[cell(item) for item in row] for row in part.itertuples(index=False, name=None)],
        "index": [cell(item) for item in part.index],
        "offset": start,
        "matching": matching,
        "shape": [*(shape(value) or []), 1][:2],
    })


def as_frame(value: Any) -> Any:
    """A table as a pandas frame, where it is one or can be seen as one."""
    kind, library = type(value).__name__, type(value).__module__.partition(".")[0]
    if library == "pandas" and kind == "DataFrame":
        return with_row_names(value)
    if library == "pandas" and kind == "Series":
        return with_row_names(value.to_frame())
    if library in ("polars", "pyarrow") and hasattr(value, "to_pandas"):
        return value.to_pandas()
    if library == "numpy" and getattr(value, "ndim", 0) in (1, 2):
        import pandas  # noqa: PLC0415

        return pandas.DataFrame(value)
    return None


def with_row_names(frame: Any) -> Any:
    """A frame whose rows have names, and not only numbers, with these as its first columns."""
    names = frame.index.names
    if names == [None] and frame.index.dtype.kind in "iu":
        return frame
    return frame.reset_index(allow_duplicates=True)


def labels(frame: Any) -> dict[str, int]:
    """The columns by their names as text."""
    return {str(name): place for place, name in enumerate(frame.columns)}


def columns(frame: Any, known: tuple[Any, ...]) -> list[dict[str, Any]]:
    """All columns in a few facts, which stay the same until the next block."""
    if _facts["key"] != known:
        found = [column(frame, place) for place in range(len(frame.columns))]
        _facts.update(key=known, columns=found)
    listed: list[dict[str, Any]] = _facts["columns"]
    return listed


def ordered(frame: Any, asked: dict[str, Any], known: tuple[Any, ...]) -> Any:
    """The places of the rows that are wanted, in their order; None for all as they are."""
    key = (*known, asked["sort"], asked["descending"], asked["filter"], asked["column"])
    if _order["key"] != key:
        _order.update(key=key, rows=sorted_rows(frame, asked))
    return _order["rows"]


def sorted_rows(frame: Any, asked: dict[str, Any]) -> Any:
    """The same, worked out."""
    import numpy  # noqa: PLC0415  (pandas has it)

    rows = None
    if asked["filter"]:
        rows = numpy.flatnonzero(matches(frame, asked["filter"], asked["column"]))
    if not asked["sort"]:
        return rows
    values = frame.iloc[:, labels(frame)[asked["sort"]]]
    values = values if rows is None else values.iloc[rows]
    try:
        order = values.reset_index(drop=True).sort_values(
            ascending=not asked["descending"], kind="stable"
        )
    except TypeError:  # values of several kinds have no order but that of their texts
        order = (
            values
            .reset_index(drop=True)
            .astype(str)
            .sort_values(ascending=not asked["descending"], kind="stable")
        )
    places = order.index.to_numpy()
    return places if rows is None else rows[places]


def matches(frame: Any, text: str, column: str) -> Any:
    """Which rows contain a text: in a column, or in any of them."""
    import numpy  # noqa: PLC0415

    places = [labels(frame)[column]] if column else range(len(frame.columns))
    found = numpy.zeros(len(frame), bool)
    for place in places:
        found |= contains(frame.iloc[:, place], text)
    return found


def contains(values: Any, text: str) -> Any:
    """Which values contain a text; numbers are compared: 5, >5, <=5, !=5."""
    import numpy  # noqa: PLC0415

    if values.dtype.kind in "iufb":
        sign = next((sign for sign in SIGNS if text.startswith(sign)), "")
        try:
            number = float(text[len(sign) :])
        except ValueError:
            return numpy.zeros(len(values), bool)
        return compared(values, sign, number).to_numpy(bool)
    if str(values.dtype) == "category":
        named = [place for place, name in enumerate(values.cat.categories)
                 if text.lower() in str(name).lower()]  # fmt: skip
        return values.cat.codes.isin(named).to_numpy(bool)
    words = values if values.dtype.kind == "O" and only_texts(values) else values.astype(str)
    return words.str.contains(text, case=False, regex=False, na=False).to_numpy(bool)


def only_texts(values: Any) -> bool:
    """Whether a look at the first values shows nothing but texts."""
    return all(isinstance(value, str) for value in values.iloc[:100])


def compared(values: Any, sign: str, number: float) -> Any:
    """Numbers against a number."""
    if sign == "<=":
        return values <= number
    if sign == ">=":
        return values >= number
    if sign == "<":
        return values < number
    if sign == ">":
        return values > number
    return values != number if sign == "!=" else values == number


def column(frame: Any, place: int) -> dict[str, Any]:
    """A column in a few facts."""
    values = frame.iloc[:, place]
    facts: dict[str, Any] = dict.fromkeys(("nulls", "distinct", "min", "max"))
    facts.update(name=str(frame.columns[place]), type=str(values.dtype))
    try:
        facts["nulls"] = int(values.isna().sum())
        if len(values) <= LARGE:
            facts["distinct"] = int(values.nunique())
        if values.dtype.kind in "iufbM":
            facts["min"], facts["max"] = cell(values.min()), cell(values.max())
    except Exception:  # noqa: BLE001  (values that cannot be compared or hashed)
        return facts
    return facts


def cell(value: Any) -> Any:
    """One value as JSON has it."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value[:LONGEST] if isinstance(value, str) else value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else (None if math.isnan(value) else str(value))
    try:
        text = str(value)
    except Exception:  # noqa: BLE001
        return type(value).__name__
    return None if text in ("NaT", "<NA>") else text[:LONGEST]
