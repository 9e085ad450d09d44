"""Starting: find a port, print the link, answer until somebody stops it."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from interpreter.protocol.errors import ConfigurationError, install_command
from interpreter.server.config import ServerConfig

WARNING = "Everybody who can reach {address} and has the token can run code on this machine{plain}."
NOT_INSTALLED = f"The server needs more packages: {install_command('server')}."
NO_PAGE = "There is no page: `make page` in the checkout builds it. Programs are served without it."
OPEN_FILES = 8192  # connections, and some files and pipes of each session
SWITCH_SECONDS = 0.001  # whoever sends waits no longer than this for threads of busy sessions
Say = Callable[[str], object]


def serve(config: ServerConfig, say: Say) -> int:
    """Serve until interrupted; `say` is told what the user must know."""
    try:
        import uvicorn  # noqa: PLC0415  (an extra)

        from interpreter.server.access.tokens import load_tokens  # noqa: PLC0415
        from interpreter.server.app import Server  # noqa: PLC0415
        from interpreter.server.connections import allow_open_files  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigurationError(NOT_INSTALLED) from error
    with listening(config) as listener:
        config = replace(config, port=listener.getsockname()[1])
        tokens = load_tokens(config.workspace)
        server = Server(config, tokens)
        _tell(config, tokens.owner_token, say)
        sys.setswitchinterval(SWITCH_SECONDS)
        allow_open_files(OPEN_FILES)
        options = uvicorn_options(config)
        uvicorn.Server(uvicorn.Config(server.app, **options)).run(sockets=[listener])
    return 0


def uvicorn_options(config: ServerConfig) -> dict[str, Any]:
    """How the web server is set up: no headers of its own, no log of addresses with words in it."""
    from interpreter.server.connections import PromptHttp  # noqa: PLC0415  (an extra)

    options: dict[str, Any] = {
        "http": PromptHttp,
        "host": config.host,
        "port": config.port,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,  # whoever connects could say that it is somebody else each time
        "log_level": "warning",
        "ws": "websockets-sansio",
        "ws_max_size": config.limits.body,
        "ws_per_message_deflate": False,  # most are on this machine, and it costs memory for each
        # The gate counts those who want something; this is for those who are only there.
        "limit_concurrency": 2 * config.limits.connections,
        "timeout_graceful_shutdown": 5,
        "lifespan": "on",
    }
    if config.certificate:
        options |= {"ssl_certfile": config.certificate, "ssl_keyfile": config.key or None}
    return options


def listening(config: ServerConfig) -> contextlib.closing[socket.socket]:
    """A socket that listens where the server is to be."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((config.host, config.port))
        listener.listen(2048)  # whoever has the link can connect at once
    except OSError as error:
        listener.close()
        reason = f"{config.host}:{config.port} cannot be used: {error.strerror}."
        raise ConfigurationError(f"{reason} --host and --port name another place.") from error
    return contextlib.closing(listener)


def _tell(config: ServerConfig, token: str, say: Say) -> None:
    from interpreter.server.web_page import is_built  # noqa: PLC0415  (an extra)

    if config.settings.sandbox == "off":
        say("There is no sandbox: code can do whatever you can.")
    if not config.is_local:
        plain = "" if config.certificate else ", and everybody on the way can read the token"
        say(WARNING.format(address=config.address, plain=plain))
    if not is_built():
        say(NO_PAGE)
    say(f"Open {config.address}/#token={token}")
    sys.stdout.flush()
