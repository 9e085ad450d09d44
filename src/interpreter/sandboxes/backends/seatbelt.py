"""Confinement on macOS by `sandbox-exec`. Written from its documentation; never tried on a Mac."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.inside_files import INSIDE
from interpreter.sandboxes.cell.building_site import (
    BuildingSite,
    cell_environment,
    launcher_command,
)
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.cell.descriptors import CellDescriptors
from interpreter.sandboxes.cell.held_place import held_grants
from interpreter.sandboxes.cell.keeper import CellKeeper
from interpreter.sandboxes.cell.wall_tests import set_up
from interpreter.sandboxes.confinement import SECRETS_IN_HOME, Confinement

PROGRAM = Path("/usr/bin/sandbox-exec")
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/System", "/Library/Frameworks", "/Library/Developer", "/opt"),
    *("/private/etc", "/private/var/db/timezone", "/private/var/db/dyld", "/dev"),
)
_SEALED = (
    *("hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"),
    *("modules", "worktrees"),
)
_BASE = """(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/tty"))
(allow file-write-data (literal "/dev/null") (literal "/dev/tty"))
(allow network* (local unix-socket))
(allow network* (remote unix-socket (subpath EXCHANGE)))
"""


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _places(verb: str, paths: list[Path]) -> str:
    return f"({verb} {' '.join(f'(subpath {_quoted(path)})' for path in paths)})\n" if paths else ""


def profile(site: BuildingSite, confinement: Confinement) -> str:
    """The profile of a cell; later rules win."""
    reading = [
        *map(Path, _SYSTEM),
        *confinement.programs,
        *confinement.read,
        INSIDE,
        site.workspace,
    ]
    writing = [site.exchange, site.packages, site.scratch, *confinement.write]
    writing += [site.workspace] if confinement.level != "read-only" else []
    reading += [site.home] if confinement.level == "trusted" else []
    text = _BASE.replace("EXCHANGE", _quoted(site.exchange))
    text += _places("allow file-read*", [*reading, *writing])
    text += _places("allow file-write*", writing)
    text += "(allow network*)\n" if confinement.level == "trusted" else ""
    text += _places("deny file-write*", [site.workspace / ".git" / name for name in _SEALED])
    text += f"(deny file-write* (literal {_quoted(site.workspace / '.git')}))\n"
    secrets = [*(site.home / name for name in SECRETS_IN_HOME), *confinement.hidden]
    return text + _places("deny file-read* file-write*", secrets)


class SeatbeltSandbox:
    """Opens cells by `sandbox-exec`; without grants while it runs, and without a proxy yet."""

    def __init__(self, confinement: Confinement, host: Mapping[str, str]) -> None:
        self._confinement = confinement
        self._host = host

    def open(self, workspace: Path) -> ConfinedCell:
        """Make a cell and try its walls; SandboxUnavailable says why there is none."""
        if not os.access(PROGRAM, os.X_OK):
            raise SandboxUnavailable("sandbox-exec is part of macOS, and not here.")
        with ExitStack() as undo:
            site = BuildingSite.prepare(workspace, self._host)
            undo.callback(site.remove)
            cell = self._start(site, undo)
            undo.pop_all()
            return cell

    def _start(self, site: BuildingSite, undo: ExitStack) -> ConfinedCell:
        confinement, granted = held_grants(self._confinement)
        env = cell_environment(confinement, site, self._host, scratch=site.scratch)
        with CellDescriptors() as ends:
            command = [str(PROGRAM), "-p", profile(site, confinement)]
            command += launcher_command(ends.control)
            keeper = CellKeeper(command, env, (ends.control,), site.state / "log")
            keeper.start()
            undo.callback(keeper.close)
            wire = ends.connect()
            undo.callback(wire.close)
            set_up(wire, site, confinement, granted, port=None)
        walls = (
            f"sandboxed by sandbox-exec, level {confinement.level}: writes {site.workspace} only"
        )
        cell = ConfinedCell(site, confinement, env, wire, walls)
        cell.at_close(keeper.close)
        return cell
