"""Lists the variables of a Python session in one line, with what they are.

It is executed inside the kernel with `names`, the session's variables, and prints the latest ones;
with `everything` it lists all of them, and what the session has defined and imported; with
`missing`, the name of a file that is not there, it lists the files that may be meant instead.
"""

# mypy: disable-error-code="name-defined"
from __future__ import annotations

import difflib
import os
import types
from typing import Any

SHOWN = 12
VALUE = 24
COLUMNS = 160
LONGEST = 500
LONGEST_IN_FULL = 8_000
NEAR = 5  # files that are named
MOST_FILES = 5_000
PLAIN = (bool, int, float, str)
DEFINED = (type, types.ModuleType, types.FunctionType)
HIDDEN = {"In", "Out", "exit", "quit", "get_ipython", "open", "display", "computer"}


def described(value: Any) -> str:
    """A value in a few words; one that raises when it is looked at is told by its type."""
    try:
        return in_few_words(value)
    except Exception:  # noqa: BLE001  (the user's objects may do anything)
        return type(value).__name__


def in_few_words(value: Any) -> str:
    """A value's type, shape and columns, or itself when it is short."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a number of NumPy's
        value = value.item()
    if isinstance(value, PLAIN):
        text = repr(value)
        return text if len(text) <= VALUE else f"{text[:VALUE]}..."
    kind = type(value).__name__
    columns = getattr(value, "columns", None)
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        size = "x".join(str(number) for number in shape)
        names = ", ".join(map(str, columns)) if columns is not None else ""
        return f"{kind} {size}" + (f" with columns {names[:COLUMNS]}" if names else "")
    return f"{kind} of {len(value)}" if hasattr(value, "__len__") else kind


def listed(names: dict[str, Any]) -> str:
    """The variables that the user's code made, newest last."""
    made = [(name, value) for name, value in own(names) if not isinstance(value, DEFINED)]
    return "; ".join(f"{name}: {described(value)}" for name, value in made[-SHOWN:])[:LONGEST]


def own(names: dict[str, Any]) -> list[tuple[str, Any]]:
    """What is not IPython's or ours."""
    return [
        (name, value)
        for name, value in names.items()
        if not name.startswith("_") and name not in HIDDEN
    ]


def listed_in_full(names: dict[str, Any]) -> str:
    """One line for each variable; then what was defined and imported, by name."""
    found = own(names)
    lines = [
        f"{name}: {described(value)}" for name, value in found if not isinstance(value, DEFINED)
    ]
    for title, kind in (
        ("functions", types.FunctionType),
        ("classes", type),
        ("modules", types.ModuleType),
    ):
        of_kind = [name for name, value in found if isinstance(value, kind)]
        if of_kind:
            lines.append(f"{title}: {', '.join(of_kind)}")
    return "\n".join(lines)[:LONGEST_IN_FULL]


def near(missing: str) -> str:
    """The files that are called alike, or are of the same kind, beside one that is not there."""
    place, name = os.path.split(missing)
    try:
        there = sorted(os.listdir(place or "."))[:MOST_FILES]  # noqa: PTH208
    except OSError:
        return ""
    lower = {entry.lower(): entry for entry in reversed(there)}
    alike = [lower[one] for one in difflib.get_close_matches(name.lower(), lower, NEAR)]
    kind = os.path.splitext(name)[1].lower()  # noqa: PTH122
    same = [entry for entry in there if kind and entry.lower().endswith(kind)]
    found = list(dict.fromkeys((*alike, *same)))[:NEAR]
    return ", ".join(repr(os.path.join(place, entry)) for entry in found)  # noqa: PTH118


if "missing" in globals():
    print(near(missing), end="")  # noqa: F821, T201
elif "names" in globals():
    print((listed_in_full if "everything" in globals() else listed)(names), end="")  # noqa: F821, T201
