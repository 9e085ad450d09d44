"""The gate: every request and every socket passes it before anything else looks at them.

It refuses names that are not ours (DNS rebinding), pages that are not ours (Origin and
Sec-Fetch-Site), and whoever has no token, and it ends bodies that are too long.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import time
import weakref
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from interpreter.server.access.attempts import WrongTokens
from interpreter.server.access.tokens import Tokens, User
from interpreter.server.config import ServerConfig
from interpreter.server.errors import Refused, answered

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": POLICY,
    "cache-control": "no-store",
}
PUBLIC = ("/heartbeat", "/", "/frame", "/favicon.ico")
UPLOADS = ("/file", "/upload")
SHOWN_OUT = "the token is no longer good"
MOST_OF_A_STRANGER = 1 << 16  # bytes of a body from somebody who has not signed in
SECONDS_OF_A_STRANGER = 10.0  # for all of them


class Gate:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, config: ServerConfig, tokens: Tokens) -> None:
        self._app = app
        self.config = config
        self.tokens = tokens
        self.wrong = WrongTokens(config.limits.wrong_tokens)
        self.ended: set[str] = set()
        """Whose tokens are no longer good: what they have at work is still to be ended."""
        self._inside: dict[asyncio.Task[Any], Scope] = {}
        self._shown_out: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        self.look_again()
        try:
            self._check_sender(scope)
            scope.setdefault("state", {})["user"] = user = self._user(scope)
            self._check_room(user)
            receive = self._bounded(scope, receive)
        except Refused as refused:
            await answered(refused, scope, receive, _with_headers(send))
            return
        await self._let_in(scope, receive, _with_headers(send))

    def look_again(self) -> None:
        """Show out whoever is inside with a token that is no longer good."""
        ended = self.tokens.look_again()
        self.ended.update(ended)
        for task, scope in tuple(self._inside.items()):
            user: User | None = scope["state"].get("user")
            if user is not None and user.name in ended:
                self._shown_out.add(task)
                task.cancel()

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None, "a web server has one for each request"
        self._inside[task] = scope
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            if task not in self._shown_out:
                raise
            with contextlib.suppress(Exception):  # it has gone by itself
                await _ended(scope, send)
        finally:
            del self._inside[task]

    def _check_sender(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(_name(host)):
            raise Refused(403, "forbidden", "The host that was called is not this server's.")
        origin = headers.get("origin")
        secure = scope["scheme"] in ("https", "wss")
        if origin is not None and origin != f"{'https' if secure else 'http'}://{host}":
            raise Refused(403, "forbidden", "Another page may not use this server.")
        site = headers.get("sec-fetch-site", "none")
        visits = headers.get("sec-fetch-mode") == "navigate" and scope.get("path") == "/"
        if site not in ("none", "same-origin") and not visits:
            raise Refused(403, "forbidden", "Another page may not use this server.")

    def _check_room(self, user: User | None) -> None:
        """Refused where too many are inside, of all users or of this one."""
        most = self.config.limits.connections
        if len(self._inside) >= most:
            raise Refused(503, "full", "Too many connections are open; try again later.")
        if user is not None:
            mine = sum(one["state"].get("user") == user for one in self._inside.values())
            if mine >= max(1, most // 2):
                raise Refused(429, "too_many", "You have too many connections open.")

    def _is_ours(self, name: str) -> bool:
        """Whether a name cannot be one that somebody else has pointed here."""
        if name in ("localhost", self.config.host, *self.config.allowed_hosts):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _user(self, scope: Scope) -> User | None:
        """Who it is; None where that need not be known."""
        headers = Headers(scope=scope)
        if user := self.tokens.user_of_cookie(self._cookie(headers)):
            return user
        path, is_socket = scope["path"], scope["type"] == "websocket"
        reads = not is_socket and scope["method"] in ("GET", "HEAD")
        if (reads and (path in PUBLIC or path.startswith("/assets/"))) or path == "/api/login":
            return None
        token = headers.get("x-api-key") or _bearer(headers.get("authorization", ""))
        if token:
            return self.checked(token, address_of(scope))
        if is_socket and path == "/":  # it has a way of its own to sign in
            return None
        raise Refused(401, "unauthorized", "A token is needed.")

    def checked(self, token: str, address: str) -> User:
        """The user of a token; Refused for a wrong one, and for all after too many."""
        if self.wrong.blocked(address):
            raise Refused(429, "too_many", "Too many wrong tokens; wait a minute.")
        user = self.tokens.user(token)
        if user is None:
            self.wrong.add(address)
            raise Refused(401, "unauthorized", "The token is wrong.")
        return user

    @property
    def cookie_name(self) -> str:
        """Cookies are for all ports of a host, so the port is in the name."""
        return f"reploop-{self.config.port}"

    def _cookie(self, headers: Headers) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return ""
        return found.value if found else ""

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        if scope["type"] != "http":
            return receive
        limits = self.config.limits
        most = limits.upload if scope["path"].endswith(UPLOADS) else limits.body
        is_stranger = scope["state"]["user"] is None
        if is_stranger:
            most = min(most, MOST_OF_A_STRANGER)
        length = Headers(scope=scope).get("content-length", "0")
        too_large = Refused(413, "too_large", f"At most {most:,} bytes are taken.")
        if not length.isdigit() or int(length) > most:
            raise too_large
        taken, until = 0, time.monotonic() + SECONDS_OF_A_STRANGER

        async def counted() -> Message:
            nonlocal taken
            message = await (_received(receive, until) if is_stranger else receive())
            taken += len(message.get("body", b""))
            if taken > most:
                raise too_large
            return message

        return counted


def address_of(scope: Scope) -> str:
    """Who is at the other end, as far as the network knows."""
    client: Any = scope.get("client")
    return str(client[0]) if client else ""


def _name(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


async def _received(receive: Receive, until: float) -> Message:
    """What comes next, if it comes in time."""
    try:
        return await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
    except TimeoutError as error:
        raise Refused(408, "too_slow", "The request did not come in time.") from error


def _bearer(header: str) -> str:
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


async def _ended(scope: Scope, send: Send) -> None:
    """The end of what was being answered."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4401, "reason": SHOWN_OUT})
    else:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent
