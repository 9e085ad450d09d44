"""The headers in which a call by HTTP repeats a part of what it says (2026-07-28)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.mcp.listings import ListedTool, NotListed

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLAIN = re.compile(r"[\x20-\x7e\t]*")
_ENCODED = re.compile(r"=\?base64\?.*\?=", re.DOTALL)
_KINDS = ("string", "integer", "boolean")
_LARGEST = (1 << 53) - 1
_KEY = "x-mcp-header"

Path = tuple[str, ...]


def call_headers(method: str, params: Mapping[str, Any], tool: ListedTool | None) -> dict[str, str]:
    """The headers of one call."""
    return {name: header_value(text) for name, text in headed(method, params, tool).items()}


def headed(method: str, params: Mapping[str, Any], tool: ListedTool | None) -> dict[str, str]:
    """The texts that a call repeats in headers, by the names of those."""
    headers = {"Mcp-Method": method}
    if method in NAMED:
        headers["Mcp-Name"] = str(params.get(NAMED[method], ""))
    for path, name in (header_parameters(tool) if tool else {}).items():
        found = _at(params.get("arguments"), path)
        if isinstance(found, bool):
            headers[f"Mcp-Param-{name}"] = "true" if found else "false"
        elif isinstance(found, str | int) and not (
            isinstance(found, int) and abs(found) > _LARGEST
        ):
            headers[f"Mcp-Param-{name}"] = str(found)
    return headers


def header_value(text: str) -> str:
    """A text as it may stand in a header."""
    if _PLAIN.fullmatch(text) and text == text.strip(" \t") and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def is_value(header: str | None, text: str) -> bool:
    """Whether a header, as it came, says this text."""
    if header is None or not _ENCODED.fullmatch(header):
        return header == text
    try:
        return base64.b64decode(header[9:-2], validate=True).decode("utf-8") == text
    except ValueError:
        return False


def header_parameters(tool: ListedTool) -> dict[Path, str]:
    """The parameters that are repeated in headers, by their path; NotListed if they cannot be."""
    found = dict(_reachable(tool.input_schema, ()))
    if len(found) != _mentions(tool.input_schema):
        raise NotListed(f"{tool.name!r} wants a header for a part that is not always there")
    names: dict[Path, str] = {}
    for path, schema in found.items():
        name = schema[_KEY]
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise NotListed(f"{tool.name!r} wants a header with a name that none can have")
        if schema.get("type") not in _KINDS:
            raise NotListed(f"{tool.name!r} wants a header for what is no text, integer or boolean")
        if name.lower() in {known.lower() for known in names.values()}:
            raise NotListed(f"{tool.name!r} wants the header {name!r} twice")
        names[path] = name
    return names


def _reachable(schema: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    parts = schema.get("properties") if isinstance(schema, dict) else None
    for name, part in parts.items() if isinstance(parts, dict) and len(path) < 20 else ():
        if isinstance(part, dict) and _KEY in part:
            yield (*path, name), part
        yield from _reachable(part, (*path, name))


def _mentions(schema: Any) -> int:
    """How often headers are wanted anywhere in a schema, but for parameters of that name."""
    count, waiting = 0, [(schema, False)]
    while waiting:
        part, names_parts = waiting.pop()
        if isinstance(part, dict):
            count += not names_parts and _KEY in part
            waiting += [(v, not names_parts and k == "properties") for k, v in part.items()]
        elif isinstance(part, list):
            waiting += [(one, False) for one in part]
    return count


def _at(arguments: Any, path: Path) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments
