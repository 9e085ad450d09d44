"""Setting up a fresh cell and trying its walls: attempts that must fail, and some that must not."""

from __future__ import annotations

import resource
import socket
import stat
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from interpreter.protocol.errors import (
    ConfigurationError,
    RuntimeFailure,
    SandboxUnavailable,
    WorkspaceUnusable,
)
from interpreter.sandboxes.cell.building_site import BuildingSite
from interpreter.sandboxes.cell.held_place import HeldPlace
from interpreter.sandboxes.cell.wire import LauncherWire
from interpreter.sandboxes.confinement import CellLimits, Confinement


def resource_limits(limits: CellLimits) -> dict[str, int]:
    """The limits of a cell's first process, and so of all that it starts, by the kernel's names."""
    wanted = {
        "RLIMIT_DATA": limits.memory_mb << 20,
        "RLIMIT_FSIZE": limits.file_mb << 20,
        "RLIMIT_NPROC": limits.programs,
        "RLIMIT_NOFILE": limits.open_files,
    }
    return {"RLIMIT_CORE": 0} | {name: value for name, value in wanted.items() if value}


def _attempts(site: BuildingSite, confinement: Confinement, port: int) -> dict[str, str]:
    """What must fail in every cell, each with the words for the case that it does not."""
    attempts = {
        f"read={site.canary}": "files outside can be read",
        "write=/usr": "the system can be written",
        "write=/sys": "the system's devices can be written",
        "write=/proc/sys/kernel/core_pattern": "settings of the kernel can be written",
        "write=/proc/sysrq-trigger": "the kernel takes orders",
        "write=/proc/self/mem": "the memory of programs can be written",
    }
    if site.workspace != site.home:
        attempts[f"write={site.home}"] = "the home can be written"
    if confinement.level == "read-only":
        attempts[f"write={site.workspace}"] = "the workspace can be written"
    if confinement.level != "trusted":
        attempts[f"connect={port}"] = "this machine's network can be reached"
    return attempts


def limit_process(pid: int, limits: dict[str, int]) -> bool:
    """Limit a process from outside, where we may; what is limited lower already stays so."""
    try:
        for name, value in limits.items():
            kind = getattr(resource, name)
            hard = resource.prlimit(pid, kind)[1]
            wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, kind, (wanted, wanted))
    except OSError:
        return False
    return True


def set_up(
    wire: LauncherWire,
    site: BuildingSite,
    confinement: Confinement,
    expected: Sequence[HeldPlace],
    *,
    port: int | None,
    limited: bool = False,
) -> int | None:
    """Limit the cell, unless that was done from outside, and try its walls.

    Returns the listening socket if a `port` is to be listened on. ConfigurationError if what is
    `expected` was swapped for something else while the cell was made.
    """
    limits = {} if limited else resource_limits(confinement.limits)
    same = {f"same={place.identity}={place.path}": place.path for place in expected}
    workspace = "use" if confinement.level == "read-only" else "change"
    needed = [f"{workspace}={site.workspace}", f"change={site.exchange}", f"use={sys.executable}"]
    needed = [*same, *needed]
    with closing(socket.create_server(("127.0.0.1", 0))) as bait:
        attempts = _attempts(site, confinement, bait.getsockname()[1])
        probes = [*needed, *attempts]
        try:
            passed, listener = wire.setup(limits, probes, port)
        except RuntimeFailure as error:
            raise SandboxUnavailable(f"The sandbox does not start: {_last_words(site)}") from error
    if swapped := [path for at, path in enumerate(same.values()) if at not in passed]:
        raise ConfigurationError(f"{str(swapped[0])!r} was exchanged while the sandbox was opened.")
    if passed == [at for at in range(len(needed)) if at != len(same)]:
        raise WorkspaceUnusable(_unusable(site.workspace, workspace))
    if passed != list(range(len(needed))):
        words = enumerate(attempts.values(), len(needed))
        problems = [word for place, word in words if place in passed]
        reason = "; ".join(problems) or "the workspace or Python cannot be used in it"
        raise SandboxUnavailable(f"The sandbox does not hold: {reason}.")
    return listener


def _unusable(workspace: Path, wanted: str) -> str:
    mode = stat.filemode(workspace.lstat().st_mode)
    what = "be read" if wanted == "use" else "be written"
    return (
        f"{str(workspace)!r} cannot {what} by code (its permissions are {mode}), so there is no "
        "sandbox for it. Change them (chmod u+rwx), or work in another directory"
        + (", or with --sandbox read-only." if wanted == "change" else ".")
    )


def _last_words(site: BuildingSite) -> str:
    log = Path(site.state, "log")
    with log.open("rb") as file:
        return file.read(400).decode("utf-8", "replace").strip() or "it ended at once"
