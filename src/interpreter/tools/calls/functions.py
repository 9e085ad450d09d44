"""The functions that code may call, by name; any part of the program adds its own."""

from __future__ import annotations

import re
import threading
from typing import Any

from interpreter.protocol.calls import HostFunction, InsideFunction

_NAMES = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_-]*)+")


class HostFunctions:
    """A registry. It may change while code runs; who asks sees it as it is then."""

    def __init__(self, *functions: HostFunction) -> None:
        self._lock = threading.Lock()
        self._functions: dict[str, HostFunction] = {}
        self._inside: dict[str, InsideFunction] = {}
        self._missing: dict[str, str] = {}
        self.add(*functions)

    def add(self, *functions: HostFunction) -> None:
        """Offer functions; those of the same name are replaced."""
        for function in functions:
            _check(function.name)
        with self._lock:
            self._functions.update({function.name: function for function in functions})

    def add_inside(self, *functions: InsideFunction) -> None:
        """Name functions that code runs by itself; only before it has a cell."""
        for function in functions:
            _check(function.name)
            self._inside[function.name] = function

    def inside_files(self) -> set[str]:
        """The files that have those."""
        return {function.file for function in self._inside.values()}

    def remove(self, prefix: str) -> None:
        """Offer no longer what has this name, or begins with it and a dot."""
        with self._lock:
            for name in [name for name in self._functions if _is_below(name, prefix)]:
                del self._functions[name]

    def miss(self, prefix: str, reason: str) -> None:
        """Say why there is nothing under this name, as long as nothing is."""
        with self._lock:
            self._missing[prefix] = reason

    def get(self, name: str) -> HostFunction | None:
        """A function by its name."""
        return self._functions.get(name)

    def why_missing(self, name: str) -> str:
        """What is to be said to whoever wants a function that is not here."""
        for prefix, reason in self._missing.items():
            offered = any(_is_below(known, prefix) for known in self._functions)
            if _is_below(name, prefix) and not offered:
                return f"{name} cannot be used: {reason}"
        return f"The host has no function {name!r}."

    def roots(self) -> tuple[str, ...]:
        """The first words of all names: what code finds among its own."""
        with self._lock:
            names = [*self._functions, *self._inside, *self._missing]
        return tuple(sorted({name.partition(".")[0] for name in names}))

    def listed(self) -> list[dict[str, Any]]:
        """All of them as plain data, and what is missing."""
        with self._lock:
            functions, missing = list(self._functions.values()), dict(self._missing)
        offered = [
            {
                "name": function.name,
                "summary": function.summary,
                "parameters": list(function.parameters.get("properties", {})),
                **({"value": True} if function.is_value else {}),
            }
            for function in sorted(functions, key=lambda one: one.name)
        ]
        inside = [
            {
                "name": function.name,
                "summary": function.summary,
                "parameters": list(function.parameters),
                "inside": [function.file, function.function],
            }
            for function in self._inside.values()
        ]
        absent = [{"name": name, "missing": reason} for name, reason in missing.items()]
        return [*offered, *inside, *absent]


def _check(name: str) -> None:
    if not _NAMES.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a function: words with dots.")


def _is_below(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")
