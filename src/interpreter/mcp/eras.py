"""Two ways of speaking: since 2026-07-28 each request says it all, before there was a hello."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter._version import __version__
from interpreter.mcp.errors import (
    McpError,
    ServerCallFailed,
    ServerMisbehaves,
    ServerRefused,
    ServerTimedOut,
)
from interpreter.mcp.transports.transport import Exchange, Transport
from interpreter.protocol.json.rpc import METHOD_NOT_FOUND, Note
from interpreter.protocol.values import frozen

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
UNSUPPORTED_VERSION = -32022
MODERN_FAULTS = (-32020, -32021, UNSUPPORTED_VERSION)
PROBE_SECONDS = 10.0
"""For a server that may never have heard of our first question, and keeps silent about it."""
_PREFIX = "io.modelcontextprotocol/"
CLIENT = {"name": "reploop", "version": __version__}


@frozen
class Era:
    """How to speak with a server, and what it can do."""

    version: str
    capabilities: Mapping[str, Any]
    instructions: str = ""

    @property
    def is_modern(self) -> bool:
        """Whether every request says it all."""
        return self.version not in LEGACY

    def offers(self, what: str) -> bool:
        """Whether the server has tools, resources or prompts."""
        return isinstance(self.capabilities.get(what), dict)

    def tells_changes(self, what: str) -> bool:
        """Whether the server says when its tools, resources or prompts change."""
        return self.offers(what) and self.capabilities[what].get("listChanged") is True


def with_meta(
    params: Mapping[str, Any], version: str, capabilities: Mapping[str, Any], token: int
) -> dict[str, Any]:
    """The params of a request as this way of speaking wants them."""
    meta: dict[str, Any] = {"progressToken": token}
    if version not in LEGACY:
        meta |= {
            f"{_PREFIX}protocolVersion": version,
            f"{_PREFIX}clientInfo": CLIENT,
            f"{_PREFIX}clientCapabilities": capabilities,
        }
    return {**params, "_meta": meta}


def agree(
    exchange: Exchange, transport: Transport, capabilities: Mapping[str, Any], known: str = ""
) -> Era:
    """Find out how a server speaks; `known` is what was found out before."""
    if known in LEGACY:
        return _hello(exchange, transport, capabilities)
    try:
        return _discovered(exchange, transport, MODERN)
    except ServerCallFailed as error:
        if error.fault.code not in MODERN_FAULTS:
            if known == MODERN and error.fault.code == METHOD_NOT_FOUND:
                return _era(transport, MODERN, {"tools": {}}, "")
            return _hello(exchange, transport, capabilities)
        return _other_version(exchange, transport, capabilities, error)
    except (ServerTimedOut, ServerRefused):
        return _hello(exchange, transport, capabilities)


def _discovered(exchange: Exchange, transport: Transport, version: str) -> Era:
    transport.version = version
    found = exchange("server/discover", {}, version=version, seconds=PROBE_SECONDS)
    if not isinstance(found, dict):
        raise ServerMisbehaves("The server does not say what it can do.")
    versions = found.get("supportedVersions")
    if isinstance(versions, list) and version not in versions:
        raise McpError(f"The server speaks only {', '.join(map(str, versions))[:200]}.")
    return _era(transport, version, found.get("capabilities"), found.get("instructions"))


def _other_version(
    exchange: Exchange,
    transport: Transport,
    capabilities: Mapping[str, Any],
    error: ServerCallFailed,
) -> Era:
    """The server is new, and does not speak our version: is there another that both know?"""
    data = error.fault.data
    spoken = data.get("supported") if isinstance(data, dict) else None
    if error.fault.code != UNSUPPORTED_VERSION or not isinstance(spoken, list):
        raise error
    if MODERN in spoken:
        return _discovered(exchange, transport, MODERN)
    if any(version in spoken for version in LEGACY):
        return _hello(exchange, transport, capabilities)
    raise McpError(f"The server speaks only {', '.join(map(str, spoken))[:200]}.") from error


def _hello(exchange: Exchange, transport: Transport, capabilities: Mapping[str, Any]) -> Era:
    transport.version = ""
    asked = {
        "protocolVersion": LEGACY[0],
        "capabilities": dict(capabilities),
        "clientInfo": CLIENT,
    }
    found = exchange("initialize", asked, version=LEGACY[0])
    version = found.get("protocolVersion") if isinstance(found, dict) else None
    if version not in LEGACY:
        raise McpError(f"The server speaks only {str(version)[:40]}, which we do not.")
    era = _era(transport, version, found.get("capabilities"), found.get("instructions"))
    transport.may_resume = True
    transport.send(Note("notifications/initialized", {}))
    return era


def _era(transport: Transport, version: str, capabilities: Any, instructions: Any) -> Era:
    transport.version = version
    return Era(
        version,
        capabilities if isinstance(capabilities, dict) else {},
        instructions[:4_000] if isinstance(instructions, str) else "",
    )
