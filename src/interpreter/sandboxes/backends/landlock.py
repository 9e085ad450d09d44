"""Confinement without namespaces: Landlock and seccomp. Weaker than bubblewrap, and says so."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.inside_files import INSIDE
from interpreter.sandboxes.backends.seccomp import filter_for
from interpreter.sandboxes.cell import view
from interpreter.sandboxes.cell.building_site import (
    BuildingSite,
    cell_environment,
    inside_command,
    launcher_command,
)
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.cell.descriptors import CellDescriptors
from interpreter.sandboxes.cell.held_place import held_grants
from interpreter.sandboxes.cell.keeper import CellKeeper
from interpreter.sandboxes.cell.wall_tests import set_up
from interpreter.sandboxes.confinement import Confinement
from interpreter.sandboxes.limits.watchdog import limit

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")


def _without_masked(place: Path, masked: set[Path]) -> Iterator[Path]:
    """The place, or what is in it but for what is masked: nothing can be taken out of a grant."""
    if place in masked:
        return
    if not any(path.is_relative_to(place) for path in masked) or not place.is_dir():
        yield place
        return
    for child in place.iterdir():
        yield from _without_masked(child, masked)


def allowances(site: BuildingSite, confinement: Confinement) -> list[tuple[str, Path]]:
    """What may be read ("r") and written ("w")."""
    found = view.mounts(site.workspace, site.home, confinement, as_root=os.geteuid() == 0)
    masked = {mount.path for mount in found if mount.kind == "mask"}
    words: list[tuple[str, Path]] = []
    for mount in found:
        letter = {"read": "r", "write": "w"}.get(mount.kind)
        if letter:
            words += [(letter, path) for path in _without_masked(mount.path, masked)]
    words += [("r", Path(name)) for name in (*view.MERGED, "/proc", INSIDE.resolve())]
    words += [("w", Path("/dev", name)) for name in _DEVICES]
    return words + [("w", own) for own in (site.exchange, site.packages, site.scratch)]


class LandlockSandbox:
    """Opens cells by Landlock: no private /tmp, no view of the network, no grants while it runs."""

    def __init__(
        self,
        confinement: Confinement,
        host: Mapping[str, str],
        *,
        notice: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._confinement = confinement
        self._host = host
        self._notice = notice

    def open(self, workspace: Path) -> ConfinedCell:
        """Make a cell and try its walls; SandboxUnavailable says why there is none."""
        rules = filter_for(internet=self._confinement.level == "trusted", alone=False)
        if not sys.platform.startswith("linux") or not rules:
            raise SandboxUnavailable("Landlock is for Linux on x86_64 and aarch64.")
        with ExitStack() as undo:
            site = BuildingSite.prepare(workspace, self._host)
            undo.callback(site.remove)
            cell = self._start(site, rules, undo)
            undo.pop_all()
            return cell

    def _start(self, site: BuildingSite, rules: bytes, undo: ExitStack) -> ConfinedCell:
        confinement, granted = held_grants(self._confinement)
        env = cell_environment(confinement, site, self._host, scratch=site.scratch)
        words = [word for kind, path in allowances(site, confinement) for word in (kind, str(path))]
        with CellDescriptors() as ends:
            calls = ends.memory_file(rules)
            allowed = ends.memory_file(os.fsencode("\0".join(words)))
            command = inside_command("landlock.py", str(allowed), str(calls))
            command += launcher_command(ends.control)
            keeper = CellKeeper(command, env, ends.inherited, site.state / "log")
            first = keeper.start()
            undo.callback(keeper.close)
            wire = ends.connect()
            undo.callback(wire.close)
            set_up(wire, site, confinement, granted, port=None)
        cell = ConfinedCell(site, confinement, env, wire, _description(confinement, site))
        cell.at_close(keeper.close)
        limit(cell, first, confinement.limits, self._notice)
        return cell


def _description(confinement: Confinement, site: BuildingSite) -> str:
    writable = "its scratch directory" if confinement.level == "read-only" else site.workspace
    network = "" if confinement.level == "trusted" else "no network; "
    return (
        f"sandboxed by Landlock (reduced), level {confinement.level}: can write {writable} only, "
        f"but change modes and times of the user's other files; {network}"
        "other processes' socket files can still be reached"
        + ("; it runs as root, without root's capabilities" if os.geteuid() == 0 else "")
    )
