"""How a server is set up: where it listens, who may come in, and how much of everything."""

from __future__ import annotations

import ipaddress
from dataclasses import field
from pathlib import Path

from interpreter.protocol.values import frozen
from interpreter.settings.settings import Settings

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000


@frozen
class Limits:
    """How much of everything there may be."""

    live: int = 50
    """Sessions with processes at once."""
    idle_seconds: float = 900.0
    """After this time without anything to do, a session is parked."""
    free_memory: int = 300
    """Megabytes of the machine that must be free to wake another session."""
    body: int = 16 << 20
    upload: int = 1 << 30
    connections: int = 1000
    """Requests and sockets at once, half of them of one user at most."""
    wrong_tokens: int = 10
    """As many in a minute from one address; then nobody is let in from there for a minute."""


@frozen
class ServerConfig:
    """Everything that a server is started with."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    settings: Settings = field(default_factory=Settings)
    workspace: Path = field(default_factory=Path.cwd)
    allowed_hosts: tuple[str, ...] = ()
    """Names besides `localhost` by which browsers may call us."""
    certificate: str = ""
    key: str = ""
    limits: Limits = field(default_factory=Limits)
    acknowledge: bool = False
    """Whether Open Interpreter's clients must acknowledge each chunk."""
    insecure_routes: bool = False
    """Whether Open Interpreter's `/run` is there."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def address(self) -> str:
        """Where it is, for a link."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"
