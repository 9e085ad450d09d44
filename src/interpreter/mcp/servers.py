"""The servers of one session: approved, started when they are needed, and started again."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from interpreter.mcp.catalogue import ToolFunction, functions
from interpreter.mcp.client import CallPatience, Client, Surroundings
from interpreter.mcp.configuration import ToolServerConfig, named
from interpreter.mcp.errors import McpError, ServerGone
from interpreter.mcp.listings import ListedTool
from interpreter.mcp.pins import Changes, PinBook, Pinned, changes
from interpreter.mcp.transports.arrivals import LargeAnswer
from interpreter.mcp.transports.transport import Transport
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.json.rpc import Rpc
from interpreter.protocol.values import frozen

Consent = Literal["no", "session", "always"]
MOST_AT_ONCE = 8
USUAL_CEILING = 600.0


class NotAllowed(McpError):
    """The user does not want it."""


@frozen
class Access:
    """How servers are reached, and who is asked."""

    start: Callable[[ToolServerConfig, Callable[[Rpc], None]], Transport]
    """Starts the program in the cell, or makes ready to connect."""
    consent: Callable[[ToolServerConfig], Consent]
    """Whether a server may be started that was never approved."""
    accept: Callable[[ToolServerConfig, Changes], Consent]
    """Whether its tools may be what they have become."""
    surroundings: Surroundings


class ToolServer:
    """One server. Its tools are known from the last time; it runs once it is needed."""

    def __init__(self, config: ToolServerConfig, name: str, access: Access, pins: PinBook) -> None:
        self.config = config
        self.name = name
        """Under which code finds its tools."""
        self.trouble = ""
        """Why it could not be started, the last time."""
        self._access = access
        self._pins = pins
        self._lock = threading.RLock()
        self._pinned = pins.find(config)
        self._for_good = self._pinned is not None
        self._client: Client | None = None
        self._refused: set[str] = set()
        self._seen: tuple[ListedTool, ...] | None = None
        """The listing that was compared last."""
        self._named: dict[str, ToolFunction] = {}

    @property
    def is_known(self) -> bool:
        """Whether its tools are known without starting it."""
        return self._pinned is not None and self._pinned.listed

    @property
    def was_started(self) -> bool:
        """Whether there is something to be ended."""
        return self._client is not None

    def functions(self, interrupt: Interrupt | None = None) -> tuple[ToolFunction, ...]:
        """Its tools as functions; it is started only where they are not known yet."""
        if not self.is_known:
            self._checked(self.client(), interrupt)
        return tuple(self._by_name().values())

    def _by_name(self) -> dict[str, ToolFunction]:
        assert self._pinned is not None, "they were just kept"
        if not self._named:
            self._named = {one.name: one for one in functions(self.name, self._pinned.tools)}
        return self._named

    def call(
        self, name: str, arguments: Mapping[str, Any], interrupt: Interrupt
    ) -> Mapping[str, Any] | LargeAnswer:
        """Call a tool, as it was approved and no other."""
        client = self.client()
        self._checked(client, interrupt)
        found = self._by_name().get(name)
        if found is None or found.tool.name in self._refused:
            raise NotAllowed(f"{self.name} has no tool {name!r} that you have approved.")
        return client.call_tool(found.tool, arguments, interrupt)

    def listed(self, method: str) -> tuple[Any, ...]:
        """What it listed last, without asking it."""
        return self._client.listed(method) if self._client is not None else ()

    def client(self) -> Client:
        """The connection; approved, started and greeted first where there is none."""
        with self._lock:
            if self._client is not None and self._client.transport.is_open:
                return self._client
            self.close()  # what is left of one that died
            self._approve()
            self.trouble = ""
            try:
                self._client = self._opened()
            except McpError as error:
                self.trouble = str(error)
                raise
            return self._client

    def close(self) -> None:
        """End it."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _approve(self) -> None:
        if self._pinned is not None:
            return
        consent = self._access.consent(self.config)
        if consent == "no":
            raise NotAllowed(f"The tool server {self.name} was not allowed.")
        self._pinned, self._for_good = Pinned(), consent == "always"
        if self._for_good:
            self._pins.approve(self.config)

    def _opened(self) -> Client:
        heard: list[Client] = []

        def on_note(message: Rpc) -> None:
            for client in heard:
                client.heard(message)

        transport = self._access.start(self.config, on_note)
        patience = CallPatience(ceiling=self.config.seconds or USUAL_CEILING)
        client = Client(self.name, transport, self._access.surroundings, patience)
        heard.append(client)
        try:
            client.connect(self._pinned.version if self._pinned else "")
        except BaseException:
            client.close()
            raise
        return client

    def _checked(self, client: Client, interrupt: Interrupt | None) -> None:
        """See that the tools are those that were approved; a change is asked about once."""
        now = client.tools(interrupt)
        if now is self._seen:  # it has said nothing new
            return
        with self._lock:
            self._seen = now
            known = self._pinned or Pinned()
            if not known.listed:
                self._keep(now, client.era.version)
                return
            news = changes(
                known.tools, [tool for tool in now if tool.digest() not in self._refused]
            )
            if not news:
                return
            consent = self._access.accept(self.config, news)
            touched = (*news.added, *(after for _, after in news.changed))
            if consent == "no":
                self._refused |= {tool.digest() for tool in touched}
                self._refused |= {before.name for before, _ in news.changed}
                return
            self._refused -= {tool.name for tool in touched}
            kept = {tool.name: tool for tool in (*known.tools, *touched)}
            self._for_good = self._for_good and consent == "always"
            self._keep(tuple(kept.values()), client.era.version)

    def _keep(self, tools: tuple[ListedTool, ...], version: str) -> None:
        self._pinned, self._named = Pinned(tools, version, listed=True), {}
        if self._for_good:
            self._pins.keep(self.config, tools, version)


class Servers:
    """All servers of a session by the names that code uses."""

    def __init__(self, configs: Iterable[ToolServerConfig], access: Access, pins: PinBook) -> None:
        self._by_name = {
            name: ToolServer(config, name, access, pins) for name, config in named(configs).items()
        }

    def __iter__(self) -> Any:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def names(self) -> tuple[str, ...]:
        """As code writes them."""
        return tuple(self._by_name)

    def get(self, name: str) -> ToolServer:
        """A server by its name."""
        if name not in self._by_name:
            there = ", ".join(self._by_name)
            raise ServerGone(f"There is no tool server {name[:80]!r}; there are: {there}.")
        return self._by_name[name]

    def known_functions(self, interrupt: Interrupt | None = None) -> tuple[ToolFunction, ...]:
        """The tools of all servers; those that are not known yet are started, side by side."""

        def found(server: ToolServer) -> tuple[ToolFunction, ...]:
            with contextlib.suppress(McpError):  # its trouble is told where it is asked for
                return server.functions(interrupt)
            return ()

        unknown = [server for server in self if not server.is_known]
        if unknown:
            with ThreadPoolExecutor(min(MOST_AT_ONCE, len(unknown))) as pool:
                list(pool.map(found, unknown))
        return tuple(one for server in self if server.is_known for one in found(server))

    def close(self) -> None:
        """End all of them, side by side."""
        running = [server for server in self if server.was_started]
        if running:
            with ThreadPoolExecutor(len(running)) as pool:
                list(pool.map(ToolServer.close, running))
