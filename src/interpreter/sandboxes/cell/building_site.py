"""Where a cell is built, and the variables its programs start with."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.inside_files import INSIDE, compiled
from interpreter.protocol.values import frozen
from interpreter.sandboxes.cell.account import Account
from interpreter.sandboxes.cell.own_directory import OwnDirectory
from interpreter.sandboxes.confinement import (
    Confinement,
    check_workspace,
    chosen_environment,
    home_directory,
)

PROXY_PORT = 3128
HANDED_OVER = ("output", "conversation")
"""Directories of the exchange with what programs may still want to read."""


@frozen
class BuildingSite:
    """Where a cell is built: the workspace and home it shows, and its own directory outside."""

    workspace: Path
    home: Path
    own: OwnDirectory

    @classmethod
    def prepare(
        cls, workspace: Path, host: Mapping[str, str], account: Account | None = None
    ) -> BuildingSite:
        """Make the directories; ConfigurationError when the workspace cannot be one.

        Those that programs write to belong to the `account` that they run as.
        """
        home = home_directory(host)
        place = check_workspace(workspace, home)
        if place != workspace:  # it was without links when it was chosen
            raise ConfigurationError(f"{str(workspace)!r} has become a link to elsewhere.")
        site = cls(place, home.resolve(), OwnDirectory())
        own = (site.exchange, site.portal, site.stage, site.packages, site.scratch)
        for directory in own:
            directory.mkdir(mode=0o700)
        if account is not None:
            account.own(site.exchange)
            account.own(site.packages)
        site.canary.write_text("Nobody in a cell may read this.")
        return site

    def remove(self) -> None:
        """Delete the cell's own directory."""
        self.own.remove()

    def take_over(self, other: BuildingSite) -> None:
        """Move here what was installed and handed over there, by ways without links."""
        for mine, theirs in (
            (self.packages, other.packages),
            *((self.exchange / name, other.exchange / name) for name in HANDED_OVER),
        ):
            with contextlib.suppress(OSError):  # there is none, or code has put a link there
                safe_files.make_folder(mine)
                _move_all(theirs, mine)

    @property
    def state(self) -> Path:
        """The cell's own directory."""
        return self.own.path

    @property
    def exchange(self) -> Path:
        """The hand-over directory, the same inside and outside."""
        return self.state / "x"

    @property
    def portal(self) -> Path:
        """Where the cell's root is mounted outside, for grants to a running cell."""
        return self.state / "root"

    @property
    def stage(self) -> Path:
        """Where a grant is made read-only before it is shown."""
        return self.state / "stage"

    @property
    def packages(self) -> Path:
        """Where `pip install` puts things; gone with the session."""
        return self.state / "packages"

    @property
    def scratch(self) -> Path:
        """Stands in for /tmp where a cell cannot have one of its own."""
        return self.state / "tmp"

    @property
    def canary(self) -> Path:
        """A file that no cell may see."""
        return self.state / "canary"


def _move_all(source: Path, target: Path) -> None:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    with ExitStack() as opened:
        here, there = (os.open(path, flags) for path in (source, target))
        opened.callback(os.close, here)
        opened.callback(os.close, there)
        for name in os.listdir(here):  # noqa: PTH208 (it is a descriptor)
            os.rename(name, name, src_dir_fd=here, dst_dir_fd=there)


def launcher_command(control: int, account: Account | None = None) -> list[str]:
    """How the launcher is started, by the Python that runs us, and whom it becomes."""
    who = (str(account.uid), str(account.gid)) if account is not None else ()
    compiled(INSIDE / "cell" / "launcher_probes.py")
    return inside_command("launcher.py", str(control), *who)


def inside_command(name: str, *arguments: str) -> list[str]:
    """The command that runs one of our Python files in `inside/cell/`."""
    return [sys.executable, "-I", "-S", "-B", str(compiled(INSIDE / "cell" / name)), *arguments]


def cell_environment(
    confinement: Confinement,
    site: BuildingSite,
    host: Mapping[str, str],
    *,
    scratch: Path = Path("/tmp"),
) -> dict[str, str]:
    """The variables of every program: the allowed ones of the host, and where it may write."""
    chosen = chosen_environment(confinement.environment, host)
    ours = str(site.exchange / "bin")  # last: nothing of the user's is shadowed
    path = [str(Path(sys.prefix, "bin")), chosen.get("PATH") or os.defpath, ours]
    own = {
        "PATH": os.pathsep.join(path),
        "HOME": str(site.home),
        "TMPDIR": str(scratch),
        "XDG_CACHE_HOME": f"{scratch}/.cache",
        "XDG_CONFIG_HOME": f"{scratch}/.config",
        "XDG_DATA_HOME": f"{scratch}/.local/share",
        "XDG_STATE_HOME": f"{scratch}/.local/state",
        "IPYTHONDIR": f"{scratch}/.ipython",
        "JUPYTER_RUNTIME_DIR": f"{scratch}/.jupyter",
        "MPLCONFIGDIR": f"{scratch}/.matplotlib",
        "npm_config_cache": f"{scratch}/.npm",
        "npm_config_update_notifier": "false",
        "PIP_TARGET": str(site.packages),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONPATH": str(site.packages),
    }
    return {**chosen, **own, **_proxy_variables(confinement)}


def proxy_port(confinement: Confinement) -> int | None:
    """Where programs find the proxy, in a cell that has one."""
    return PROXY_PORT if confinement.proxy and confinement.level != "trusted" else None


def _proxy_variables(confinement: Confinement) -> dict[str, str]:
    port = proxy_port(confinement)
    if port is None:
        return {}
    address = f"http://127.0.0.1:{port}"
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")
    direct = {"no_proxy": "localhost,127.0.0.1,::1", "NO_PROXY": "localhost,127.0.0.1,::1"}
    return {name: address for name in names} | direct
