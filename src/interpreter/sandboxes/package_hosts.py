"""Which hosts keep the files of a package index, so that one answer is enough to install from it.

No index is known by name: the one that the user has just allowed is asked about one package, and
tells where that package's files are.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Literal
from urllib.parse import urlsplit

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen
from interpreter.sandboxes.hosts import HostRule, Target, is_public

Installer = Literal["pip", "npm"]
Addresses = Callable[[str, int], Sequence[str]]

_BETWEEN = r"[\s'\",\[\]]+"  # words of a command line, or of a list of words
_INSTALLS = re.compile(
    rf"\b(?P<pip>pip3?|uv{_BETWEEN}pip)?(?P<npm>npm)?{_BETWEEN}(?:install|add|ci|i)\b(?P<rest>[^;&|\n]*)"
)
_INDEX = re.compile(rf"(?:--index-url|-i|--registry)(?:=|{_BETWEEN})(https?://[^\s'\",\]]+)")
_FILES = {
    "pip": re.compile(rb'(?:href|"url")\s*[=:]\s*"(https?://[^"\s#]+)'),
    "npm": re.compile(rb'"tarball"\s*:\s*"(https?://[^"\s#]+)'),
}
_SECONDS = 5.0
_LARGEST_PAGE = 1 << 20
_MOST_HOSTS = 3


@frozen
class Installation:
    """A command that installs packages, as far as it shows in a block."""

    installer: Installer
    index: str = ""
    """The address of the index where the command names one."""


def installation_in(source: str) -> Installation | None:
    """The first command of a block that installs packages."""
    for found in _INSTALLS.finditer(source):
        if found["pip"] or found["npm"]:
            index = _INDEX.search(found["rest"])
            named = index[1].rstrip("/") if index else ""
            return Installation("pip" if found["pip"] else "npm", named)
    return None


def public_hosts(host: str, port: int) -> list[str]:
    """The public addresses of a host; others are not dialled, whatever the user allows."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found if is_public(str(entry[4][0]))]


def file_hosts(
    wanted: Target, installation: Installation, addresses: Addresses = public_hosts
) -> tuple[str, ...]:
    """The other hosts that an index keeps its files on; none if it does not say."""
    page = b""
    with contextlib.suppress(OSError, IndexError, ValueError, http.client.HTTPException):
        page = _page(wanted, installation, addresses)
    found: dict[str, None] = {}
    for address in _FILES[installation.installer].findall(page):
        with contextlib.suppress(ConfigurationError, ValueError):
            parts = urlsplit(address.decode("ascii"))
            if parts.hostname != wanted.host:
                port = parts.port or (443 if parts.scheme == "https" else 80)
                rule = HostRule.parse(f"{parts.hostname}:{port}")
                found[f"{rule.host}:{rule.port}"] = None
    return tuple(found)[:_MOST_HOSTS]


def _page(wanted: Target, installation: Installation, addresses: Addresses) -> bytes:
    """What the index says about the installer itself, which every index has."""
    named = urlsplit(installation.index)
    path = named.path if named.hostname == wanted.host else ""
    path = f"{path or '/simple'}/pip/" if installation.installer == "pip" else f"{path}/npm"
    secure = (named.scheme or "https") == "https"
    sock = socket.create_connection((addresses(wanted.host, wanted.port)[0], wanted.port), _SECONDS)
    with contextlib.closing(sock):
        connection = http.client.HTTPConnection(wanted.host, wanted.port, timeout=_SECONDS)
        context = ssl.create_default_context() if secure else None
        connection.sock = (
            context.wrap_socket(sock, server_hostname=wanted.host) if context else sock
        )
        connection.request("GET", path, headers={"Accept": "text/html, application/json"})
        with contextlib.closing(connection):
            return connection.getresponse().read(_LARGEST_PAGE)
