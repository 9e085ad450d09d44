"""Logging in to servers of tools: in the browser, with the answer caught on this machine."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from interpreter.mcp.configuration import ToolServerConfig
from interpreter.mcp.errors import McpError
from interpreter.mcp.login.oauth import Login, LoginOptions, parse_challenge, wanted_login
from interpreter.settings.keys import find_key, forget_key, keep_key

SECONDS = 300.0  # for the user to log in
LONGEST_PATH = 8_000
DONE = b"You are logged in; this page can be closed."


def kept_login(config: ToolServerConfig, options: LoginOptions | None = None) -> Login:
    """The login of a server from the store of keys; without options, it is only renewed."""
    name = key_name(config)
    chosen = options or LoginOptions(client_id=config.client_id)
    return Login(config.url, lambda: find_key(name), lambda text: keep_key(name, text), chosen)


def key_name(config: ToolServerConfig) -> str:
    """Under which its tokens are kept: by address, so that no other server is shown them."""
    return f"mcp {config.url}"


def log_out(config: ToolServerConfig) -> bool:
    """Forget the tokens of a server; whether there were any."""
    return forget_key(key_name(config))


def log_in(config: ToolServerConfig, show: Callable[[str], None]) -> bool:
    """Have the user log in; `show` shows an address. False where the server wants no login."""
    challenge = wanted_login(config.url, dict(config.headers))
    if challenge is None:
        return False
    with _Catcher() as catcher:
        options = LoginOptions(
            browse=lambda url, back: catcher.answer(lambda: show(url)),
            redirect_uri=f"http://127.0.0.1:{catcher.port}/callback",
            client_id=config.client_id,
        )
        kept_login(config, options).log_in(parse_challenge(challenge))
    return True


class _Catcher:
    """Waits on this machine for the one answer that the browser brings."""

    def __init__(self) -> None:
        found: list[Mapping[str, str]] = []
        came = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                good = parts.path == "/callback" and len(self.path) < LONGEST_PATH
                self.send_response(200 if good else 404)
                self.send_header("content-type", "text/plain")
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(DONE if good else b"")
                if good and not found:
                    found.append(dict(parse_qsl(parts.query, max_num_fields=50)))
                    came.set()

            def log_message(self, format: str, *words: Any) -> None:
                pass

        self._found, self._came = found, came
        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> _Catcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, show: Callable[[], None]) -> Mapping[str, str]:
        """Show the user where to log in, and wait for what comes of it."""
        show()
        if not self._came.wait(SECONDS):
            raise McpError("Nobody logged in.")
        return self._found[0]
