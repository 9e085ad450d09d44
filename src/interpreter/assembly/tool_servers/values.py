"""Tools and their results as they go to the code that asked for them: plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from interpreter.protocol.calls import Value
from interpreter.protocol.errors import CallFailed

if TYPE_CHECKING:
    from interpreter.mcp.catalogue import ToolFunction
    from interpreter.mcp.transports.arrivals import LargeAnswer

PIECE = 1 << 20


def described(function: ToolFunction) -> dict[str, Any]:
    """A tool, for the code that looks for one."""
    schema = function.tool.input_schema
    required = schema.get("required")
    names = schema.get("properties")
    return {
        "server": function.server,
        "name": function.name,
        "signature": function.signature(),
        "line": function.line(),
        "doc": function.document(),
        "required": [n for n in required if isinstance(n, str)]
        if isinstance(required, list)
        else [],
        "parameters": [str(name) for name in names] if isinstance(names, dict) else [],
    }


def handed_over(found: Any) -> Value | Iterator[Value]:
    """A result as it goes to the code: whole, or in pieces where it is too long for us."""
    from interpreter.mcp.transports.arrivals import LargeAnswer

    if isinstance(found, LargeAnswer):
        return _pieces(found)
    if not isinstance(found, dict):
        raise CallFailed("The server answered with what is no result.")
    return found


def _pieces(answer: LargeAnswer) -> Iterator[Value]:
    with answer.file as file:
        while piece := file.read(PIECE):
            yield piece
