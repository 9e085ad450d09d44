"""A confined cell: programs are launched in it, and parts of the disk are granted to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from interpreter.protocol.errors import (
    ConfigurationError,
    RuntimeFailure,
    SandboxUnavailable,
)
from interpreter.protocol.inside_files import INSIDE
from interpreter.sandboxes.cell.building_site import BuildingSite
from interpreter.sandboxes.cell.held_place import HeldPlace
from interpreter.sandboxes.cell.portal import Portal
from interpreter.sandboxes.cell.process import CellProcess, Streams
from interpreter.sandboxes.cell.view import git_directories, git_directory_around
from interpreter.sandboxes.cell.wire import LauncherWire
from interpreter.sandboxes.confinement import SECRETS_IN_HOME, Confinement

Access = Literal["read", "write"]


class ConfinedCell:
    """One cell; `bubblewrap` and `landlock` make them."""

    def __init__(
        self,
        site: BuildingSite,
        confinement: Confinement,
        env: Mapping[str, str],
        wire: LauncherWire,
        walls: str,
    ) -> None:
        self.workspace = site.workspace
        self.exchange = site.exchange
        self.own_directory = site.state
        self.confinement = confinement
        self.protected: tuple[Path, ...] = ()
        self.limited: frozenset[str] = frozenset()
        """What the kernel limits for all programs together, by a control group."""
        self.has_own_tmp = False
        """Whether its /tmp is nobody else's, and goes with it."""
        self.known_passing: dict[str, int] | None = None
        """The passing files as they were when somebody last looked."""
        self._site = site
        self._env = dict(env)
        self._wire = wire
        self._walls = walls
        self._portal: Portal | None = None
        self._fixed: tuple[Path, ...] = ()
        self._granted: dict[Path, tuple[HeldPlace, Access]] = {}
        self._shown: set[Path] = set()
        self._closers: list[Callable[[], None]] = []

    def launch(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        pass_fds: Sequence[int] = (),
    ) -> CellProcess:
        """Start a program in its own session. A stream that is not given is the null device."""
        return self._wire.launch(
            list(argv),
            {**self._env, **(env or {})},
            cwd or self.workspace,
            Streams(stdin, stdout, stderr),
            pass_fds,
        )

    def watch(self, journal: Path | None) -> None:
        """Start no program any more that the journal at this socket does not watch; or all."""
        self._wire.watch(journal, INSIDE / "cell" / "journal_shim.py")

    @property
    def is_live(self) -> bool:
        """Whether paths can be granted while it runs."""
        return self._portal is not None

    @property
    def programs(self) -> tuple[CellProcess, ...]:
        """The programs that run."""
        return self._wire.programs

    def hold(self, path: Path) -> HeldPlace:
        """What a path leads to now, to be granted; ConfigurationError if it must never be."""
        held = HeldPlace(path)
        home = self._site.home
        in_secrets = any(map(held.path.is_relative_to, self._secrets()))
        if held.path == home or held.path in home.parents or in_secrets:
            held.close()
            raise ConfigurationError(
                f"{str(held.path)!r} holds keys or the whole home, and is never granted to a cell."
            )
        return held

    def grant(self, held: HeldPlace, access: Access) -> bool:
        """Show a part of the disk to the running cell; False when only a new cell can show it.

        It must be the user's choice.
        """
        if access == "write" and (git := git_directory_around(held.path)):
            raise ConfigurationError(
                f"{str(git)!r} is a git directory: what is written there can make git run "
                "programs, so it is never granted for writing."
            )
        if self._portal is None or self._is_entangled(held.path):
            return False
        if access == "write" and any(git_directories(held.path)):
            return False  # a new cell has them read-only
        self._change(self._portal, held.path, (held, access))
        try:
            self._check_grant(held)
        except SandboxUnavailable:
            self.revoke(held.path)
            raise
        return True

    def revoke(self, path: Path) -> bool:
        """Take a grant back; files that a program holds open stay open. False if there was none.

        What is granted below it stays. SandboxUnavailable if the cell still shows it.
        """
        if self._portal is None or path not in self._granted:
            return False
        self._change(self._portal, path, None)
        return True

    def passing_files(self) -> dict[str, int]:
        """The newest files in what goes with the cell, by path, and their sizes."""
        if not self.has_own_tmp:
            return {}
        try:
            newest = self._wire.newest_files(Path("/tmp"))
        except (OSError, ValueError, RuntimeFailure):  # it is closing, or it does not speak clearly
            return {}
        return {f"/tmp/{name}": size for name, size in newest.items()}

    def describe(self) -> str:
        """One line for the user and the model."""
        return self._walls

    def close(self) -> None:
        """End everything inside."""
        self._wire.close()
        for closer in self._closers:
            closer()
        self._closers.clear()
        self._site.remove()

    def inherit(self, other: ConfinedCell) -> None:
        """Take over what was installed and kept for programs in a cell that is about to close."""
        self._site.take_over(other._site)

    def open_portal(self, portal: Portal, fixed: tuple[Path, ...]) -> None:
        """From now on grants can be made; `fixed` are the places that are mounted already."""
        self._portal = portal
        self._fixed = fixed

    def at_close(self, closer: Callable[[], None]) -> None:
        """Call this when the cell has ended, in this order."""
        self._closers.append(closer)

    def _secrets(self) -> Iterator[Path]:
        yield from (self._site.home / name for name in SECRETS_IN_HOME)
        yield from self.confinement.hidden

    def _is_entangled(self, place: Path) -> bool:
        """Whether a mount of the cell lies above the place or below it, or it holds keys."""
        if any(path.is_relative_to(place) and path.exists() for path in self._secrets()):
            return True  # a new cell covers them
        return any(
            place.is_relative_to(fixed) or fixed.is_relative_to(place) for fixed in self._fixed
        )

    def _change(self, portal: Portal, place: Path, grant: tuple[HeldPlace, Access] | None) -> None:
        """Grant a place or not. Mounts lie on each other: those below it go, and come back."""
        for path in sorted((p for p in self._shown if p.is_relative_to(place)), reverse=True):
            portal.hide(path)
            self._shown.discard(path)
        self._granted.pop(place, None)
        if grant is not None:
            self._granted[place] = grant
        for path in sorted(p for p in self._granted if p.is_relative_to(place)):
            try:
                self._show(portal, *self._granted[path])
            except SandboxUnavailable:
                del self._granted[path]
                if path == place:
                    raise

    def _show(self, portal: Portal, held: HeldPlace, access: Access) -> None:
        above = self._accesses_above(held.path)
        if access in above or "write" in above:
            return  # it is seen already; and nothing is mounted where code may have put a link
        portal.show(held, writable=access == "write")
        self._shown.add(held.path)

    def _accesses_above(self, place: Path) -> set[Access]:
        return {access for path, (_, access) in self._granted.items() if path in place.parents}

    def _check_grant(self, held: HeldPlace) -> None:
        """Try the walls again, as after every change of policy."""
        place = held.path
        accesses = self._accesses_above(place) | {self._granted[place][1]}
        must_fail = [f"read={self._site.canary}"]
        must_fail += [f"write={place}"] if "write" not in accesses else []
        passed = self._wire.probe([f"same={held.identity}={place}", *must_fail])
        if passed != [0]:
            raise SandboxUnavailable(f"{str(place)!r} could not be granted as it was asked for.")
