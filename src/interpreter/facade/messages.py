"""The `messages` of an interpreter: a list of dictionaries that the user may also change."""

from __future__ import annotations

from typing import Any

from interpreter import lmc
from interpreter.protocol.messages import Message


class LiveMessages(list[dict[str, Any]]):
    """A list that knows whether anybody but the interpreter has changed it."""

    edited = False

    def grow(self, message: Message) -> None:
        """Add what the session recorded; not a change by the user."""
        super().extend(lmc.encode(message))


def _marks_edit(name: str) -> Any:
    original = getattr(list, name)

    def method(self: LiveMessages, *args: Any, **options: Any) -> Any:
        self.edited = True
        return original(self, *args, **options)

    method.__name__ = name
    return method


for _name in (
    *("append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"),
    *("__setitem__", "__delitem__", "__iadd__", "__imul__"),
):
    setattr(LiveMessages, _name, _marks_edit(_name))
