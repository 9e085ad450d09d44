"""Tools of other programs as functions: `tools.search("…")`, `tools.github.create_issue(…)`.

The host keeps the servers and asks the user; here a tool is a name, its text, and Python values.
"""

from __future__ import annotations

import base64
import builtins
import inspect
import json
from collections.abc import Iterator
from typing import Any

import host_calls  # type: ignore[import-not-found]  # (handed over with this file)

_known: dict[str, dict[str, Tool]] = {}


class ToolError(RuntimeError):
    """A tool says that it failed; `content` is all that it said."""

    content: Any = None


class Blob(bytes):
    """Bytes of some type that a tool returned."""

    media_type = ""

    def __repr__(self) -> str:
        return f"<{self.media_type or 'data'} of {len(self)} bytes>"


class Tool:
    """One tool. Call it with its parameters; `help()` and `print()` show them."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.__name__ = told["name"]
        self.__qualname__ = f"tools.{told['server']}.{told['name']}"
        self.__doc__ = f"{told['signature']}\n\n{told['doc']}"
        self._line = told["line"]
        required = [name for name in told["parameters"] if name in told["required"]]
        self._order = [*required, *(n for n in told["parameters"] if n not in required)]
        self.__signature__ = _signature(self._order, required)

    def __call__(self, *positional: Any, **named: Any) -> Any:
        if len(positional) > len(self._order):
            raise TypeError(f"{self.__qualname__} takes {len(self._order)} arguments")
        given = dict(zip(self._order, positional, strict=False))
        if twice := given.keys() & named.keys():
            raise TypeError(f"{self.__qualname__}: {sorted(twice)[0]} is given twice")
        answer = host_calls.call(self.__qualname__, **{**given, **named})
        return value_of(_whole(answer))

    def __repr__(self) -> str:
        return str(self._line)

    def __reduce__(self) -> Any:
        return _tool, tuple(self.__qualname__.split(".")[1:])


class Server:
    """The tools of one server."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, tool: str) -> Tool:
        if tool.startswith("_"):
            raise AttributeError(tool)
        return _tool(self._name, tool)

    def __getitem__(self, tool: str) -> Tool:
        return _tool(self._name, tool)

    def __dir__(self) -> list[str]:
        return sorted(_tools(self._name))

    def __repr__(self) -> str:
        return "\n".join(map(repr, _tools(self._name).values()))

    def __reduce__(self) -> Any:
        return Server, (self._name,)


class Found(list[Tool]):
    """Tools that were found, best first; printed, they show how they are called."""

    def __init__(self, tools: list[Tool], notes: list[str]) -> None:
        super().__init__(tools)
        self.notes = notes

    def __repr__(self) -> str:
        return "\n".join([*map(repr, self), *(f"[{note}]" for note in self.notes)]) or "[nothing]"

    __str__ = __repr__


class Tools:
    """All tools: find some with `search`, or name a server."""

    def search(self, query: str = "", limit: int = 10) -> Found:
        """The tools that fit these words, best first."""
        told = host_calls.call("tools.search", query, limit)
        found = []
        for one in told["found"]:
            tool = _known.setdefault(one["server"], {}).get(one["name"]) or Tool(one)
            _known[one["server"]][one["name"]] = tool
            found.append(tool)
        return Found(found, list(told["troubles"]))

    def read(self, server: str, uri: str) -> Any:
        """What a server has at an address of its own."""
        result = _result(_whole(host_calls.call("tools.read", server, uri)))
        return _only([
            _content({"type": "resource", "resource": one}) for one in result["contents"]
        ])

    def prompt(self, server: str, name: str, **arguments: str) -> str:
        """A text that a server has ready."""
        result = _result(_whole(host_calls.call("tools.prompt", server, name, arguments)))
        return "\n\n".join(str(_content(one["content"])) for one in result["messages"])

    def resources(self, server: str) -> list[dict[str, str]]:
        """What a server lets you read."""
        return list(host_calls.call("tools.resources", server))

    def prompts(self, server: str) -> list[dict[str, Any]]:
        """The texts that a server has ready."""
        return list(host_calls.call("tools.prompts", server))

    def __getattr__(self, name: str) -> Server:
        if name.startswith("_"):
            raise AttributeError(name)
        names = host_calls.call("tools.servers")
        if name not in names:
            raise AttributeError(
                f"There is no tool server {name!r}; there are: {', '.join(names)}."
            )
        return Server(name)

    def __dir__(self) -> list[str]:
        return [
            "search",
            "read",
            "prompt",
            "resources",
            "prompts",
            *host_calls.call("tools.servers"),
        ]

    def __repr__(self) -> str:
        return f"<tools of: {', '.join(host_calls.call('tools.servers'))}; tools.search('words')>"

    def __reduce__(self) -> Any:
        return Tools, ()


def offer() -> None:
    """Let code find `tools`, and the exception by its name."""
    builtins.tools = Tools()  # type: ignore[attr-defined]
    builtins.ToolError = ToolError  # type: ignore[attr-defined]


def value_of(message: dict[str, Any]) -> Any:
    """What a tool returned, as Python has it; ToolError when the tool says that it failed."""
    result = _result(message)
    content = [_content(one) for one in result.get("content") or ()]
    if result.get("isError"):
        error = ToolError("\n".join(str(one) for one in content) or "The tool failed.")
        error.content = content
        raise error
    structured = result.get("structuredContent")
    if structured is None:
        return _only(content)
    if isinstance(structured, dict) and list(structured) == ["result"]:
        return structured["result"]
    return structured


def _result(message: dict[str, Any]) -> dict[str, Any]:
    """The result in a whole message, or the result itself."""
    if "jsonrpc" not in message:
        return message
    if "error" in message:
        raise ToolError(str(message["error"]))
    return dict(message["result"])


def _whole(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Iterator):
        answer = json.loads(b"".join(answer))
    return dict(answer)


def _only(content: list[Any]) -> Any:
    return content[0] if len(content) == 1 else content or None


def _content(part: Any) -> Any:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return part.get("text", "")
    if kind in ("image", "audio"):
        return _bytes(part.get("data", ""), part.get("mimeType", ""))
    inner = part.get("resource") if kind == "resource" else None
    if isinstance(inner, dict):
        if "text" in inner:
            return inner["text"]
        return _bytes(inner.get("blob", ""), inner.get("mimeType", ""))
    return part


def _bytes(text: str, media_type: str) -> bytes:
    data = base64.b64decode(text)
    if media_type == host_calls.PNG:
        return bytes.__new__(host_calls.Picture, data)  # type: ignore[no-any-return]
    blob = Blob(data)
    blob.media_type = media_type
    return blob


def _tools(server: str) -> dict[str, Tool]:
    known = _known.setdefault(server, {})
    for told in host_calls.call("tools.describe", server):
        known.setdefault(told["name"], Tool(told))
    return known


def _tool(server: str, name: str) -> Tool:
    tool = _known.get(server, {}).get(name) or _tools(server).get(name)
    if tool is None:
        there = ", ".join(sorted(_known[server])[:40])
        raise AttributeError(f"tools.{server} has no {name!r}; there are: {there}")
    return tool


def _signature(order: list[str], required: list[str]) -> inspect.Signature:
    plain = [name for name in order if name.isidentifier()]
    return inspect.Signature([
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if name in required else None,
        )
        for name in plain
    ])
