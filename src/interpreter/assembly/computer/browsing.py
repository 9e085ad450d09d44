"""`computer.browser` for code in a cell: what it reaches, the user has granted to the cell."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from interpreter.protocol import safe_files
from interpreter.protocol.calls import InsideFunction
from interpreter.protocol.desktop import Proxy

if TYPE_CHECKING:
    from interpreter.assembly.computer.host_calls import HostCalls
    from interpreter.protocol.calls import HostFunction
    from interpreter.sandboxes.network.host_gate import HostGate
    from interpreter.sandboxes.network.hosts import Target
    from interpreter.settings.settings import Settings

READING = {"browser.read", "browser.downloads", "browser.quit"}
DOWNLOADS = InsideFunction(
    "computer.browser.downloads", "Bring what was downloaded into the current directory.", (),
    "computer_downloads.py", "downloads",
)  # fmt: skip
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
MOST_HOSTS = 10_000


def offer_browser(
    calls: HostCalls,
    settings: Settings,
    gate: Callable[[], HostGate | None],
    exchange: Callable[[], Path],
) -> None:
    """Its functions; the browser starts with the first call, and without walls it goes anywhere."""

    def downloads() -> Path | None:
        """Where code fetches them from: it brings them home itself, so that they can be undone."""
        if settings.sandbox == "read-only":
            return None
        place = exchange() / "downloads"
        safe_files.make_folder(place)
        return place

    def functions() -> Iterable[HostFunction]:
        from interpreter.desktop.api.parts import functions_of
        from interpreter.desktop.web.browser import Browser

        rules = gate()
        way = GrantedWay(rules) if rules is not None else None
        if way is not None:
            calls.closing.append(way.close)
        browser = Browser(downloads, way)
        calls.closing.append(browser.quit)
        return [
            replace(one, name="computer.browser.arrived") if one.name == DOWNLOADS.name else one
            for one in functions_of("browser", browser, READING, asks=True)
        ]

    calls.functions.add_inside(DOWNLOADS)
    calls.offer_later(functions)


class GrantedWay:
    """A proxy that asks about hosts as the cell's own does, and only about those of pages.

    What a browser wants for itself (updates, accounts) is refused unheard.
    """

    def __init__(self, gate: HostGate) -> None:
        self._gate = gate
        self._wanted: set[Target] = set()
        self._refused: dict[Target, str] = {}
        self._close: Callable[[], None] = lambda: None

    def proxy(self) -> Proxy:
        """Start it. Every program of this machine can knock at it, so it wants a password."""
        from interpreter.sandboxes.network.proxy import NetworkProxy

        self.close()
        listener = socket.create_server(("127.0.0.1", 0))
        password = secrets.token_urlsafe(32)
        proxy = NetworkProxy(cast("HostGate", self), password=password)
        proxy.serve(listener)
        self._close = proxy.close
        return Proxy(f"http://127.0.0.1:{listener.getsockname()[1]}", password)

    def close(self) -> None:
        """Cut what is open."""
        self._close()
        self._close = lambda: None

    def wants(self, url: str) -> None:
        """A page asks for this address."""
        wanted = _wanted(url)
        if wanted is not None and len(self._wanted) < MOST_HOSTS:
            self._wanted.add(wanted)
            self._refused.pop(wanted, None)

    def refusal(self, url: str) -> str:
        """Why it was refused the last time that it was wanted."""
        wanted = _wanted(url)
        return self._refused.get(wanted, "") if wanted is not None else ""

    # What the proxy asks.

    def allows(self, wanted: Target) -> bool:
        """Whether a page wants it and a rule lets it pass."""
        return wanted in self._wanted and self._gate.allows(wanted)

    def may_ask(self, wanted: Target) -> bool:
        """Whether a page wants it and the user may be asked."""
        return wanted in self._wanted and self._gate.may_ask(wanted)

    def note_refusal(self, wanted: Target) -> None:
        """Tell the user of what a page was refused."""
        if wanted in self._wanted:
            self._gate.note_refusal(wanted)
            self._refused[wanted] = f"{wanted} is not allowed: {self._gate.reason(wanted)}"

    def __getattr__(self, name: str) -> object:
        return getattr(self._gate, name)


def _wanted(url: str) -> Target | None:
    """What an address of the web would have reached; None for any other."""
    from interpreter.sandboxes.network.hosts import target

    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme in PORTS:
            return target(parts.hostname or "", parts.port or PORTS[parts.scheme])
    return None
