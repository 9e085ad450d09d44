"""Tries servers of tools as a session would use them: started in a cell, greeted, listed, ended."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from interpreter.assembly.cell.environment import Environment
from interpreter.assembly.tool_servers.servers import pin_book
from interpreter.mcp.errors import McpError, NeedsLogin
from interpreter.mcp.servers import ToolServer
from interpreter.policies.approvals import Approvals
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.values import frozen
from interpreter.settings.settings import Settings

MOST_AT_ONCE = 4


@frozen
class Tried:
    """How it went with one server."""

    name: str
    good: bool
    detail: str
    fix: str = ""


def try_servers(settings: Settings, names: Iterable[str] = ()) -> tuple[Tried, ...]:
    """Try these servers, or all that were approved; others are only named."""
    wanted = set(names)
    environment = Environment(settings, lambda text: None, lambda: Approvals("never"))
    try:
        found = [
            one
            for one in environment.tool_servers.servers
            if not wanted or one.config.name in wanted
        ]
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            return tuple(pool.map(_tried, found))
    finally:
        environment.close()


def _tried(server: ToolServer) -> Tried:
    name = server.config.name
    if pin_book().find(server.config) is None:
        return Tried(
            name, False, "never used; it is asked about first", f"interpreter mcp test {name}"
        )
    began = time.monotonic()
    try:
        client = server.client()
        count = len(client.tools())
    except NeedsLogin as error:
        return Tried(name, False, str(error), f"interpreter mcp login {name}")
    except McpError as error:
        return Tried(name, False, str(error), f"interpreter mcp remove {name}, or mend its entry")
    except InterpreterError as error:
        return Tried(name, False, str(error))
    seconds = time.monotonic() - began
    left_out = f", {len(client.rejected)} left out" if client.rejected else ""
    detail = f"{count} tools{left_out}, protocol {client.era.version}, {seconds:.1f} s"
    return Tried(name, True, detail)
