"""Confinement by bubblewrap: one cell per session, with an allow-list view of the disk."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from threading import Thread

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.system.host_programs import PROGRAM_PLACES, system_program
from interpreter.protocol.values import frozen
from interpreter.sandboxes.backends.seccomp import filter_for
from interpreter.sandboxes.cell import view
from interpreter.sandboxes.cell.account import Account, account_for, user_namespace
from interpreter.sandboxes.cell.building_site import (
    BuildingSite,
    cell_environment,
    launcher_command,
    proxy_port,
)
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.cell.descriptors import CellDescriptors
from interpreter.sandboxes.cell.held_place import found_in_workspace, held_grants
from interpreter.sandboxes.cell.keeper import CellKeeper
from interpreter.sandboxes.cell.portal import AROUND, AS_ROOT_THERE, OUTSIDE, Portal
from interpreter.sandboxes.cell.wall_tests import limit_process, resource_limits, set_up
from interpreter.sandboxes.confinement import Confinement
from interpreter.sandboxes.limits.watchdog import limit
from interpreter.sandboxes.network.host_gate import HostGate


@frozen
class Bubblewrap:
    """The installed program and the options it knows."""

    path: str
    flags: frozenset[str]

    def known(self, *options: str) -> list[str]:
        """The options, if this version has them."""
        return list(options) if options[0] in self.flags else []


@cache
def find_bubblewrap(search: str = PROGRAM_PLACES) -> Bubblewrap:
    """The installed bubblewrap."""
    path = shutil.which("bwrap", path=search)
    if path is None:
        raise SandboxUnavailable("bubblewrap is not installed; try: sudo apt install bubblewrap")
    text = subprocess.run([path, "--help"], capture_output=True, text=True, timeout=10)
    return Bubblewrap(path, frozenset(re.findall(r"--[a-z0-9-]+", text.stdout + text.stderr)))


def _isolation(wrap: Bubblewrap, confinement: Confinement, users: int | None) -> list[str]:
    words = ["--cap-drop", "ALL"]
    if users is not None:  # where the launcher becomes somebody else
        words += ["--userns", str(users), "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        words += ["--unshare-user", "--uid", str(os.getuid()), "--gid", str(os.getgid())]
        words += wrap.known("--disable-userns")
    words += ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--unshare-net"] if confinement.level != "trusted" else []
    words += ["--hostname", "cell", "--new-session", "--die-with-parent", "--as-pid-1"]
    return words


def _sized(wrap: Bubblewrap, megabytes: int, path: str) -> list[str]:
    size = wrap.known("--size", str(megabytes << 20)) if megabytes else []
    return [*size, *wrap.known("--perms", "1777"), "--tmpfs", path]


def _skeleton(wrap: Bubblewrap, site: BuildingSite, megabytes: int) -> list[str]:
    """The parts that are not the host's: devices, processes, and a private /tmp."""
    words = ["--dev", "/dev", *_sized(wrap, megabytes, "/dev/shm"), "--remount-ro", "/dev"]
    # Nothing in /proc is for writing: settings of the kernel belong to whoever is root outside,
    # and a process's memory is a way around what watches its calls.
    words += ["--proc", "/proc", "--remount-ro", "/proc", *_sized(wrap, megabytes, "/tmp")]
    words += [*_sized(wrap, megabytes, "/var/tmp"), "--dir", "/run"]
    words += ["--tmpfs" if _is_in_tmp(site.home) else "--dir", str(site.home)]
    for name in view.MERGED:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
    return words


def _is_in_tmp(path: Path) -> bool:
    return path.is_relative_to("/tmp") or path.is_relative_to("/var/tmp")


def _mount(wrap: Bubblewrap, mount: view.Mount) -> list[str]:
    path = str(mount.path)
    if mount.kind == "read":
        return ["--ro-bind", path, path]
    if mount.kind == "write":
        return ["--bind", path, path]
    if mount.path.is_dir():
        return [*wrap.known("--perms", "0000"), "--tmpfs", path, "--remount-ro", path]
    return ["--ro-bind", "/dev/null", path]


def _resolver(confinement: Confinement) -> list[str]:
    """The host's resolver, where programs may use the network themselves."""
    real = Path("/etc/resolv.conf").resolve()
    if confinement.level != "trusted" or not real.is_relative_to("/run"):
        return []
    return ["--ro-bind-try", str(real), str(real)]


def wrap_command(
    wrap: Bubblewrap, ends: CellDescriptors, account: Account | None, *, live: bool
) -> list[str]:
    """The command that makes a cell and starts its launcher; a `live` cell can be changed later.

    How the cell is made is read from a pipe, so that it can still be found out meanwhile. One
    process stays outside: bubblewrap ends with it, and it with us.
    """
    around = [*(AS_ROOT_THERE if account is None else ()), *AROUND] if live else []
    outside = [system_program(OUTSIDE[0]), *OUTSIDE[1:]]
    words = [*outside, *around, wrap.path, "--args", str(ends.words), "--info-fd", str(ends.info)]
    words += ["--seccomp", str(ends.filter)] if ends.filter is not None else []
    return [*words, "--chdir", "/", "--", *launcher_command(ends.control, account)]


def _passable(wrap: Bubblewrap, places: Iterable[Path]) -> list[str]:
    """The directories above some places, which bubblewrap would close to all but who makes them."""
    above = {parent for place in places for parent in place.parents} - {Path("/")}
    mode = wrap.known("--perms", "0755")
    return [word for path in sorted(above) for word in (*mode, "--dir", str(path))]


def blueprint(
    wrap: Bubblewrap,
    site: BuildingSite,
    confinement: Confinement,
    mounts: list[view.Mount],
    *,
    live: bool,
    users: int | None = None,
) -> list[str]:
    """What bubblewrap is told about a cell: what is its own, and what it sees of the disk."""
    words = [*_isolation(wrap, confinement, users)]
    words += ["--bind", str(site.portal), "/"] if live else []
    words += _skeleton(wrap, site, confinement.limits.tmp_mb)
    if users is not None:
        words += _passable(wrap, (*(mount.path for mount in mounts), INSIDE, site.exchange))
    words += [word for mount in mounts for word in _mount(wrap, mount)]
    words += ["--ro-bind", str(INSIDE), str(INSIDE), *_resolver(confinement)]
    for own in (site.exchange, site.packages):
        words += ["--bind", str(own), str(own)]
    if _is_in_tmp(site.home) and site.workspace != site.home and confinement.level != "trusted":
        words += ["--remount-ro", str(site.home)]  # or writes to it would seem to work, and be lost
    return [*words, "--remount-ro", "/"]


def _description(confinement: Confinement, account: Account | None) -> str:
    home = "readable without its keys" if confinement.level == "trusted" else "hidden"
    writable = "/tmp" if confinement.level == "read-only" else "the workspace and /tmp"
    network = "on" if confinement.level == "trusted" else "off"
    if network == "off" and confinement.proxy:
        network = "off but for hosts that the user allows (http, https)"
    return (
        f"sandboxed by bubblewrap, level {confinement.level}: can write {writable} only; "
        f"the home is {home}; the network is {network}{_identity(account)}"
    )


def _identity(account: Account | None) -> str:
    if os.geteuid() != 0:
        return ""
    if account is None:
        return "; it runs as root, without root's capabilities, since only root may write here"
    return f"; it runs as user {account.uid}, who owns the workspace"


class BubblewrapSandbox:
    """Opens cells by bubblewrap.

    `host` are the variables of which some may enter; `gate` decides which hosts can be reached;
    `notice` is told what the watchdog did; `live` asks for cells that can be granted more later.
    """

    def __init__(
        self,
        confinement: Confinement,
        host: Mapping[str, str],
        *,
        gate: HostGate | None = None,
        notice: Callable[[str], None] = lambda text: None,
        live: bool = True,
    ) -> None:
        self._gate = gate
        self._confinement = confinement
        self._host = host
        self._notice = notice
        self._live = live

    def open(self, workspace: Path) -> ConfinedCell:
        """Make a cell and try its walls; SandboxUnavailable says why there is none."""
        accounts = dict.fromkeys((account_for(workspace), None))
        problem = SandboxUnavailable()
        for account, live in product(accounts, (True, False) if self._live else (False,)):
            try:
                cell = self._open(workspace, account, live=live)
            except SandboxUnavailable as error:
                problem = error  # some systems forbid what one needs, and allow the rest
                continue
            self._live = live
            return cell
        raise problem

    def _open(self, workspace: Path, account: Account | None, *, live: bool) -> ConfinedCell:
        with ExitStack() as undo:
            site = BuildingSite.prepare(workspace, self._host, account)
            undo.callback(site.remove)
            cell = self._start(site, account, undo, live=live)
            undo.pop_all()
            return cell

    def _start(
        self, site: BuildingSite, account: Account | None, undo: ExitStack, *, live: bool
    ) -> ConfinedCell:
        wrap = find_bubblewrap()
        confinement, granted = held_grants(self._confinement)
        env = cell_environment(confinement, site, self._host)
        with CellDescriptors(filter_for(internet=True)) as ends:
            users = None if account is None else ends.lend(user_namespace(account))
            command = wrap_command(wrap, ends, account, live=live)
            keeper = CellKeeper(command, env, ends.inherited, site.state / "log")
            pid = keeper.start()
            undo.callback(keeper.close)
            wire = ends.connect()
            undo.callback(wire.close)
            as_root = account is None and os.geteuid() == 0
            mounts = view.mounts(site.workspace, site.home, confinement, as_root=as_root)
            expected = [*granted, *found_in_workspace(mounts, site.workspace)]
            ends.tell(blueprint(wrap, site, confinement, mounts, live=live, users=users))
            cell = ConfinedCell(site, confinement, env, wire, _description(confinement, account))
            undo.callback(cell.close)
            cell.has_own_tmp = True
            cell.protected = view.protected(mounts, site.workspace)
            cell.at_close(keeper.close)
            with self._limiting(cell, ends.first_pid()) as limited:
                port = self._port()
                listener = set_up(wire, site, confinement, expected, port=port, limited=limited)
            cell.at_close(ends.tie(pid))
        if listener is not None and self._gate is not None:
            self._serve(cell, listener, self._gate)
        if live:
            fixed = (*(m.path for m in mounts), *map(Path, ("/tmp", "/var/tmp", "/dev", "/proc")))
            portal = Portal(pid, site.portal, site.stage, own_users=account is None)
            cell.open_portal(portal, (*fixed, INSIDE))
        return cell

    @contextmanager
    def _limiting(self, cell: ConfinedCell, first: int | None) -> Iterator[bool]:
        """Bound the cell while its launcher starts: the kernel takes its time for control groups.

        Yields whether its first process is limited, too; if not, the launcher has to do that.
        """
        if first is None:
            yield False
            return
        limits = self._confinement.limits
        bounding = Thread(target=limit, args=(cell, first, limits, self._notice), name="limits")
        bounding.start()
        try:
            yield limit_process(first, resource_limits(limits))
        finally:
            bounding.join()

    def _serve(self, cell: ConfinedCell, listener: int, gate: HostGate) -> None:
        from interpreter.sandboxes.network.proxy import NetworkProxy  # noqa: PLC0415  (asyncio)

        proxy = NetworkProxy(gate)
        proxy.serve(socket.socket(fileno=listener))
        cell.at_close(proxy.close)

    def _port(self) -> int | None:
        return None if self._gate is None else proxy_port(self._confinement)
