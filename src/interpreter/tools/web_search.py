"""`web.search`: asks whatever the user set up to search the web with, and keeps its key."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from interpreter.protocol.calls import Arguments, CallContext, HostFunction
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.json.codec import bounded_json

WRONG = "`web_search` takes the address of a SearXNG, `brave`, or SERVER.TOOL of a tool server."
BRAVE = "https://api.search.brave.com/res/v1/web/search"
LARGEST = 2_000_000
PIECE = 1 << 16
SECONDS = 20.0
MOST = 20
MOST_VALUES = 100_000
LONGEST = 1_000  # characters of one field
_SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["query"],
}

Result = dict[str, str]
CallTool = Callable[[str, str, Mapping[str, Any], CallContext], Any]


def search_function(setup: str, key: str, call_tool: CallTool) -> HostFunction:
    """The function for what the user set up; ValueError says what is wrong with that."""
    search = _search(setup, key, call_tool)

    def call(given: Arguments, context: CallContext) -> Any:
        limit = max(1, min(int(given.get("limit") or 10), MOST))
        found = search(given["query"], context)
        return found[:20_000] if isinstance(found, str) else _results(found)[:limit]

    return HostFunction("web.search", "Search the web.", _SCHEMA, call, seconds=60.0)


def _search(setup: str, key: str, call_tool: CallTool) -> Callable[[str, CallContext], Any]:
    if setup.startswith(("http://", "https://")):
        url = setup.rstrip("/").removesuffix("/search") + "/search"
        return lambda query, context: _got(url, {"q": query, "format": "json"}, {})
    if setup == "brave":
        if not key:
            raise ValueError("there is no key for Brave's search; set BRAVE_API_KEY.")
        headers = {"X-Subscription-Token": key}
        return lambda query, context: _got(BRAVE, {"q": query}, headers).get("web")
    if setup.count(".") != 1:
        raise ValueError(WRONG)
    server, tool = setup.split(".")
    return lambda query, context: _of_tool(call_tool(server, tool, {"query": query}, context))


def _got(url: str, query: dict[str, str], headers: dict[str, str]) -> Any:
    try:
        with httpx.stream(
            "GET", url, params=query, headers={**headers, "Accept": "application/json"},
            timeout=SECONDS, follow_redirects=False,
        ) as response:  # fmt: skip
            found = bounded_json(_body(response), MOST_VALUES)
    except httpx.HTTPError as error:
        raise CallFailed(f"The search cannot be reached: {type(error).__name__}.") from error
    except (ValueError, RecursionError) as error:
        raise CallFailed("The search did not answer with JSON; does it allow that?") from error
    return found if isinstance(found, dict) else {}


def _body(response: httpx.Response) -> bytes:
    if response.status_code != 200:
        raise CallFailed(f"The search answered with the status {response.status_code}.")
    data = bytearray()
    until = time.monotonic() + SECONDS
    for piece in response.iter_bytes(PIECE):
        data += piece
        if len(data) > LARGEST or time.monotonic() > until:
            raise CallFailed("The search answers with more than anybody reads.")
    return bytes(data)


def _of_tool(found: Any) -> Any:
    """What a tool answered, as data where it is some."""
    if not isinstance(found, dict) or found.get("isError"):
        raise CallFailed("The search tool failed.")
    if isinstance(found.get("structuredContent"), dict):
        return found["structuredContent"]
    parts = [p for p in found.get("content") or () if isinstance(p, dict)]
    text = "\n".join(str(part.get("text") or "") for part in parts)
    try:
        return json.loads(text[:LARGEST])
    except (ValueError, RecursionError):
        return text


def _results(found: Any) -> list[Result]:
    listed = found.get("results", ()) if isinstance(found, dict) else found
    good = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    return [
        {
            "title": _text(one, "title"),
            "url": _text(one, "url", "link", "href"),
            "text": _text(one, "content", "description", "snippet", "text"),
        }
        for one in good
    ]


def _text(one: Mapping[str, Any], *names: str) -> str:
    return next((str(one[name])[:LONGEST] for name in names if one.get(name)), "")
