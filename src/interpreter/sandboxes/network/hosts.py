"""Names of hosts that a cell may reach: a strict grammar, rules, and which addresses are public."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_LAST = r"(?:[a-z]{1,63}|xn--[a-z0-9-]{1,58}[a-z0-9])"  # no number in any notation ends like this
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*{_LAST}\Z", re.ASCII)
_UNICAST = ipaddress.ip_network("2000::/3")  # all that was ever given out of IPv6 for the internet
_NOT_THE_INTERNET = tuple(
    map(ipaddress.ip_network, ("192.88.99.0/24", "192.0.0.0/24", "3fff::/20", "2001::/23"))
)


@frozen
class Target:
    """A host by name, normalised, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def target(host: str, port: str | int) -> Target:
    """What somebody wants to connect to; ValueError unless it is a plain name and a port.

    Addresses are no names: what they lead to cannot be told to the user.
    """
    name = host.removesuffix(".").lower()
    if not _NAME.match(name):
        raise ValueError("only names of hosts can be allowed, not addresses or anything else")
    if isinstance(port, str) and not (port.isascii() and port.isdigit() and len(port) < 6):
        raise ValueError("not a port")
    number = int(port)
    if not 0 < number < 65536:
        raise ValueError("not a port")
    return Target(name, number)


@frozen
class HostRule:
    """``example.org``, ``example.org:443`` or ``*.example.org`` (which is not ``example.org``)."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> HostRule:
        """The rule a user wrote; without a port it stands for 80 and 443."""
        host, _, port = text.strip().partition(":")
        try:
            checked = target(host.removeprefix("*."), port or 443)
        except ValueError as error:
            raise ConfigurationError(
                f"{text!r} is not a host that can be allowed: {error}."
            ) from error
        star = "*." if host.startswith("*.") else ""
        return cls(star + checked.host, checked.port if port else None)

    def __str__(self) -> str:
        """As a user writes it."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def covers(self, wanted: Target) -> bool:
        """Whether the rule allows this target."""
        if wanted.port != self.port and not (self.port is None and wanted.port in (80, 443)):
            return False
        if self.host.startswith("*."):
            return wanted.host.endswith(self.host[1:])
        return wanted.host == self.host


def rules(texts: Iterable[str]) -> tuple[HostRule, ...]:
    """Several rules; none at all allows nothing."""
    return tuple(HostRule.parse(text) for text in texts)


def is_public(address: str) -> bool:
    """Whether an address is on the internet, and nowhere near this machine, in any disguise."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1] or _nat64(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _UNICAST:
            return False
    is_special = any(ip.version == net.version and ip in net for net in _NOT_THE_INTERNET)
    return ip.is_global and not (is_special or ip.is_multicast or ip.is_reserved)


def _nat64(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if ip in ipaddress.ip_network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return None
