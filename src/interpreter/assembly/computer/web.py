"""`web`: pages for every session's code, and a search where the user has set one up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from interpreter.protocol.calls import CallContext, HostFunction, InsideFunction
from interpreter.settings.keys import find_key, key_name
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.assembly.cell.environment import Environment

FETCH = InsideFunction(
    "web.fetch", "A page as Markdown.", ("url", "limit", "seconds"), "web_pages.py", "fetch"
)
NOT_SET_UP = "no search is set up; that is the setting `web_search`."


def offer_web(environment: Environment, settings: Settings) -> None:
    """Let code fetch pages, and search."""
    functions = environment.calls.functions
    functions.add_inside(FETCH)
    if not (settings.web_search and settings.personal):
        functions.miss("web.search", NOT_SET_UP)
        return

    def call_tool(
        server: str, tool: str, arguments: Mapping[str, Any], context: CallContext
    ) -> Any:
        found = environment.tool_servers.servers.get(server)
        found.functions(context.interrupt)
        return found.call(tool, arguments, context.interrupt)

    def made() -> Iterable[HostFunction]:
        from interpreter.tools.web_search import search_function

        key = os.environ.get(key_name("brave"), "") or find_key("brave")
        try:
            return (search_function(settings.web_search, key, call_tool),)
        except ValueError as error:
            functions.miss("web.search", str(error))
            return ()

    environment.calls.offer_later(made)


def web_words(settings: Settings) -> str:
    """What the model is told."""
    search = (
        " `web.search(query)` finds pages." if settings.web_search and settings.personal else ""
    )
    return f"Python has web.fetch(url).{search}"
