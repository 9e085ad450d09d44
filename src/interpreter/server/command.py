"""`interpreter serve`: its own options, and everything else as for a chat."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.server.access.tokens import add_user, remove_user
from interpreter.server.certificates import check_certificate, fingerprint, own_certificate
from interpreter.server.config import DEFAULT_HOST, DEFAULT_PORT, Limits, ServerConfig
from interpreter.server.run import Say, serve
from interpreter.settings.settings import Settings

DESCRIPTION = """\
Serve the page, the HTTP protocol, and the protocols of Open Interpreter and OpenAI, on this machine
and for whoever has the token. The link that is printed opens the page signed in.

  interpreter serve                            on http://127.0.0.1:8000
  interpreter serve --port 9000 --model gpt-5  settings are given as for a chat
  interpreter serve --add-user ada --workspace ~/ada
                                               let somebody else in; their token is told once
"""
EPILOG = """\
variables: INTERPRETER_HOST and INTERPRETER_PORT are where it listens, INTERPRETER_API_KEY is the
owner's token; for Open Interpreter's clients INTERPRETER_REQUIRE_ACKNOWLEDGE=True sends again what
was not acknowledged, and INTERPRETER_INSECURE_ROUTES=True answers POST /run.
"""


def split(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of the server, and the others, which are settings."""
    parser = argparse.ArgumentParser(
        prog="interpreter serve",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    host = os.environ.get("INTERPRETER_HOST", DEFAULT_HOST)
    parser.add_argument("--host", default=host, help="where to listen (%(default)s)")
    port = os.environ.get("INTERPRETER_PORT", "") or str(DEFAULT_PORT)
    if not port.isdecimal():
        raise ConfigurationError(f"INTERPRETER_PORT is a number, not {port!r}.")
    parser.add_argument("--port", default=port, type=int, help="0: any (%(default)s)")
    parser.add_argument("--workspace", default=".", help="the directory all workspaces are below")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="a name by which browsers may call this server",
    )  # fmt: skip
    parser.add_argument("--tls", action="store_true", help="with a certificate of our own")
    parser.add_argument("--certificate", default="", metavar="FILE")
    parser.add_argument("--key", default="", metavar="FILE", help="of the certificate")
    parser.add_argument(
        "--live", type=int, default=Limits().live, metavar="N", help="sessions at work at once"
    )
    parser.add_argument(
        "--idle", type=float, default=Limits().idle_seconds, metavar="SECONDS",
        help="after which a session is parked",
    )  # fmt: skip
    parser.add_argument("--add-user", default="", metavar="NAME")
    parser.add_argument("--remove-user", default="", metavar="NAME")
    return parser.parse_known_args(arguments)


def run(options: argparse.Namespace, settings: Settings, say: Say) -> int:
    """Do what the options say; the exit code."""
    workspace = Path(options.workspace).expanduser()
    if options.add_user:
        say(f"The token of {options.add_user}: {add_user(options.add_user, workspace)}")
        return 0
    if options.remove_user:
        remove_user(options.remove_user)
        return 0
    _check(options, workspace)
    certificate, key = options.certificate, options.key
    if options.tls and not certificate:
        own, its_key = own_certificate(options.host)
        certificate, key = str(own), str(its_key)
    if certificate:
        check_certificate(Path(certificate), Path(key) if key else None)
        told = fingerprint(Path(certificate).absolute())
        say(f"The fingerprint of the certificate (SHA-256): {told}")
    config = ServerConfig(
        host=options.host,
        port=options.port,
        settings=settings,
        workspace=workspace.resolve(),
        allowed_hosts=tuple(options.allow_host),
        certificate=certificate,
        key=key,
        limits=Limits(live=options.live, idle_seconds=options.idle),
        acknowledge=_is_set("INTERPRETER_REQUIRE_ACKNOWLEDGE"),
        insecure_routes=_is_set("INTERPRETER_INSECURE_ROUTES"),
    )
    return serve(config, say)


def _check(options: argparse.Namespace, workspace: Path) -> None:
    """Say at once what cannot be meant."""
    problems = {
        f"There is no directory {workspace}.": not workspace.is_dir(),
        "--port is 0 (any) to 65535.": not 0 <= options.port <= 65535,
        "--live is at least 1.": options.live < 1,
        "--idle is a number of seconds from 0 on.": not options.idle >= 0,
        "--key needs its --certificate.": bool(options.key and not options.certificate),
        "--allow-host is a name alone, without http:// and port.": any(
            set("/:") & set(name) for name in options.allow_host
        ),
    }
    for text, holds in problems.items():
        if holds:
            raise ConfigurationError(text)


def _is_set(name: str) -> bool:
    return os.environ.get(name, "").lower() in ("true", "1")
