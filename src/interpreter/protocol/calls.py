"""Functions of the host that code in a cell calls by name; only plain data crosses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from interpreter.protocol.actions import Asks
from interpreter.protocol.events import HostCallFinished, HostCallRuled
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Face
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible

PNG = "image/png"
ARROW = "application/vnd.apache.arrow.stream"
BYTES = "application/octet-stream"
LINE = 120  # characters of arguments in a line about a call
MOST_LINES = 20  # calls of one block that have a line each
NOTABLE = 0.1  # seconds from which it is said how long it took

Value = None | bool | int | float | str | bytes | Face | list[Any] | dict[str, Any]
"""What crosses: JSON, and within it bytes, pictures (a Face of PNG) and tables (one of ARROW)."""

Arguments = dict[str, Any]
"""Values by the names of parameters, checked against their schema."""


@frozen
class CallContext:
    """What a function is handed for one call."""

    interrupt: Interrupt
    """Requested when the caller hangs up, is interrupted, or the time is over: then stop soon."""


@frozen
class HostFunction:
    """One function. Its name has a dot, as `computer.mouse.click`: the first word is what code
    finds among its own names. An iterator that it returns is sent piece by piece.

    It may be called in several threads at once. What it raises as an InterpreterError reaches the
    code as an exception with that text; `CallFailed` has a kind and details beside it.
    """

    name: str
    summary: str
    """One sentence for whoever calls it."""
    parameters: Mapping[str, Any]
    """A JSON schema of an object. Its properties are in the order of positional arguments; one
    with `"variadic": true` takes all that are left."""
    call: Callable[[Arguments, CallContext], Value | Iterator[Value]]
    asks: Asks = True
    """Whether the user is asked before it runs, in a session that asks; False for what does no more
    than the code could do by itself, "even in auto" for what acts outside of the walls."""
    seconds: float = 120.0
    """How long one call may take."""
    sends: Callable[[], bool] = lambda: False
    """Whether what it is given leaves this machine, or stays for later sessions: then the user is
    asked, in every session, when it comes from what was read."""
    is_value: bool = False
    """Whether Python reads it as a value instead of calling it, as `computer.display.width`."""


@frozen
class InsideFunction:
    """A function under such a name that code runs by itself, with no other rights than it has."""

    name: str
    summary: str
    parameters: tuple[str, ...]
    file: str
    """One of those in `inside/functions/`: it is handed over to the cell."""
    function: str
    """What the function is called there."""


def in_one_line(event: HostCallRuled | HostCallFinished) -> str:
    """A call as people and models read of it; empty for one that was allowed and still runs."""
    shown = visible(event.call.arguments[1:-1])
    called = f"{event.call.tool}({shown if len(shown) <= LINE else shown[:LINE] + '…'})"
    if isinstance(event, HostCallRuled):
        return "" if event.decision.allows else f"{called}: not allowed, {event.decision.reason}"
    took = f", {event.seconds:.1f} s" if event.seconds >= NOTABLE else ""
    return f"{called}: {event.outcome}{took}{event.summary and f', {event.summary}'}"


@dataclass
class CallLines:
    """The lines about the calls of one block: the first ones are shown, the others are counted."""

    left_out: int = 0
    """How many calls had no line."""
    _calls: int = 0

    def next(self, event: HostCallRuled | HostCallFinished) -> str:
        """The line about a call; empty if it has none."""
        line = in_one_line(event)
        self._calls += bool(line)
        self.left_out = max(0, self._calls - MOST_LINES)
        if self._calls == MOST_LINES + 1 and line:
            return "more calls are not shown here"
        return line if self._calls <= MOST_LINES else ""
