"""Setting up a fresh cell and trying its walls: attempts that must fail, and some that must not."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path

from interpreter.protocol.errors import RuntimeFailure, SandboxUnavailable
from interpreter.sandboxes.confinement import Confinement, Limits
from interpreter.sandboxes.site import Site
from interpreter.sandboxes.wire import Wire


def resource_limits(limits: Limits) -> dict[str, int]:
    """The limits that the launcher sets for itself and so for all programs."""
    wanted = {
        "data": limits.memory_mb << 20,
        "file_size": limits.file_mb << 20,
        "programs": limits.programs,
        "files": limits.open_files,
    }
    return {"core": 0} | {name: value for name, value in wanted.items() if value}


def _attempts(site: Site, confinement: Confinement, port: int) -> dict[str, str]:
    """What must fail in every cell, each with the words for the case that it does not."""
    attempts = {
        f"read={site.canary}": "files outside can be read",
        "write=/usr": "the system can be written",
    }
    if site.workspace != site.home:
        attempts[f"write={site.home}"] = "the home can be written"
    if confinement.level == "read-only":
        attempts[f"write={site.workspace}"] = "the workspace can be written"
    if confinement.level != "trusted":
        attempts[f"connect={port}"] = "this machine's network can be reached"
    return attempts


def set_up(wire: Wire, site: Site, confinement: Confinement, *, port: int | None) -> int | None:
    """Limit the cell and try its walls; the listening socket if a `port` is to be listened on."""
    needed = [f"see={site.workspace}", f"see={site.exchange}"]
    with closing(socket.create_server(("127.0.0.1", 0))) as bait:
        attempts = _attempts(site, confinement, bait.getsockname()[1])
        probes = [*needed, *attempts]
        try:
            passed, listener = wire.setup(resource_limits(confinement.limits), probes, port)
        except RuntimeFailure as error:
            raise SandboxUnavailable(f"The sandbox does not start: {_last_words(site)}") from error
    if passed != list(range(len(needed))):
        problems = [word for place, word in enumerate(attempts.values()) if place + 2 in passed]
        reason = "; ".join(problems) or "the workspace cannot be seen in it"
        raise SandboxUnavailable(f"The sandbox does not hold: {reason}.")
    return listener


def _last_words(site: Site) -> str:
    log = Path(site.state, "log")
    with log.open("rb") as file:
        return file.read(400).decode("utf-8", "replace").strip() or "it ended at once"
