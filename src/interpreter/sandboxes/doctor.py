"""What this machine can confine with, found out by doing it, and the command that mends it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.ports import Sandbox
from interpreter.protocol.system.system_calls import native
from interpreter.protocol.values import frozen
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox, find_bubblewrap
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.backends.seatbelt import SeatbeltSandbox
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.confinement import Confinement, interpreter_places

INSTALL = "sudo apt install bubblewrap   (or dnf, pacman, apk, zypper)"
ALLOW_NAMESPACES = "sudo sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000"
ALLOW_PROFILE = "sudo apt install apparmor-profiles   (Ubuntu allows it for /usr/bin/bwrap only)"


@frozen
class Fact:
    """One thing about this machine; `fix` is a command, where there is one."""

    name: str
    good: bool
    detail: str
    fix: str = ""


def examine(host: Mapping[str, str]) -> tuple[Fact, ...]:
    """All facts about confinement; each sandbox is opened and tried, which takes a moment."""
    checks: tuple[Callable[[Mapping[str, str]], Iterator[Fact]], ...] = (
        (_bubblewrap, _landlock, _filter, _user)
        if sys.platform.startswith("linux")
        else (_seatbelt, _user)
    )
    return tuple(fact for check in checks for fact in check(host))


def _bubblewrap(host: Mapping[str, str]) -> Iterator[Fact]:
    try:
        wrap = find_bubblewrap()
    except SandboxUnavailable as error:
        yield Fact("bubblewrap", False, str(error), INSTALL)
        return
    cell = _try(BubblewrapSandbox(_plain(), host), "bubblewrap")
    if isinstance(cell, Fact):
        yield Fact("bubblewrap", False, cell.detail, _namespace_fix())
        return
    yield Fact("bubblewrap", True, f"{wrap.path} holds: tried from inside")
    live = "can be granted while it runs" if cell.is_live else "need a new cell"
    yield Fact(
        "grants of paths", cell.is_live, f"paths {live}", "" if cell.is_live else ALLOW_PROFILE
    )
    yield from _limits(cell)


def _limits(cell: ConfinedCell) -> Iterator[Fact]:
    limited = ", ".join(sorted(cell.limited)) or "nothing"
    detail = f"a control group limits {limited}; a watchdog limits memory in any case"
    fix = "" if cell.limited else "run under systemd with a delegated user slice"
    yield Fact("limits", bool(cell.limited) or os.geteuid() != 0, detail, fix)


def _landlock(host: Mapping[str, str]) -> Iterator[Fact]:
    cell = _try(LandlockSandbox(_plain(), host), "Landlock")
    if isinstance(cell, Fact):
        yield Fact(
            "Landlock", False, cell.detail, "a kernel of 5.13 or newer, with Landlock enabled"
        )
    else:
        yield Fact("Landlock", True, "holds in its reduced way: tried from inside")


def _seatbelt(host: Mapping[str, str]) -> Iterator[Fact]:
    cell = _try(SeatbeltSandbox(_plain(), host), "sandbox-exec")
    yield cell if isinstance(cell, Fact) else Fact("sandbox-exec", True, "holds: tried from inside")


def _filter(host: Mapping[str, str]) -> Iterator[Fact]:
    known = bool(native())
    detail = "system calls are filtered" if known else f"no filter for {platform.machine()}"
    yield Fact("seccomp", known, detail)


def _user(host: Mapping[str, str]) -> Iterator[Fact]:
    if os.geteuid() == 0:
        yield Fact(
            "user",
            False,
            "you are root: code runs as the owner of the workspace, and as root where that is root",
            "use an account, or a workspace that belongs to one",
        )
    else:
        yield Fact("user", True, "an ordinary user")


def _plain() -> Confinement:
    return Confinement(programs=interpreter_places())


def _try(sandbox: Sandbox, name: str) -> ConfinedCell | Fact:
    """Open a cell and close it again; the closed cell still knows what it could do."""
    with tempfile.TemporaryDirectory() as workspace:
        try:
            cell = sandbox.open(Path(workspace))
        except SandboxUnavailable as error:
            return Fact(name, False, str(error))
        cell.close()
    assert isinstance(cell, ConfinedCell)
    return cell


def _namespace_fix() -> str:
    restricted = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if restricted.exists() and restricted.read_text().strip() == "1":
        return ALLOW_PROFILE
    return ALLOW_NAMESPACES
