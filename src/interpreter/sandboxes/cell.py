"""A confined cell: programs are launched in it, and parts of the disk are granted to it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from interpreter.protocol.errors import ConfigurationError, SandboxUnavailable
from interpreter.sandboxes.confinement import SECRETS_IN_HOME, Confinement
from interpreter.sandboxes.portal import Portal
from interpreter.sandboxes.process import CellProcess, Streams
from interpreter.sandboxes.site import Site
from interpreter.sandboxes.wire import Wire

Access = Literal["read", "write"]


class ConfinedCell:
    """One cell; `bubblewrap` and `landlock` make them."""

    def __init__(
        self, site: Site, confinement: Confinement, env: Mapping[str, str], wire: Wire, walls: str
    ) -> None:
        self.workspace = site.workspace
        self.exchange = site.exchange
        self.confinement = confinement
        self.protected: tuple[Path, ...] = ()
        self.limited: frozenset[str] = frozenset()
        """What the kernel limits for all programs together, by a control group."""
        self._site = site
        self._env = dict(env)
        self._wire = wire
        self._walls = walls
        self._portal: Portal | None = None
        self._fixed: tuple[Path, ...] = ()
        self._granted: dict[Path, Access] = {}
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

    @property
    def is_live(self) -> bool:
        """Whether paths can be granted while it runs."""
        return self._portal is not None

    @property
    def programs(self) -> tuple[CellProcess, ...]:
        """The programs that run."""
        return self._wire.programs

    def grant(self, path: Path, access: Access) -> bool:
        """Show a part of the disk to the running cell; False when only a new cell can show it.

        The path must be the user's choice. ConfigurationError if it must not be granted at all.
        """
        place = self.check_grantable(path)
        if self._portal is None or self._is_entangled(place):
            return False
        self.revoke(place)
        self._portal.show(place, writable=access == "write")
        self._granted[place] = access
        self._check_grant(place, access)
        return True

    def revoke(self, path: Path) -> None:
        """Take a grant back; files that a program holds open stay open."""
        place = path.resolve()
        if self._portal is not None and self._granted.pop(place, None) is not None:
            self._portal.hide(place)

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

    def check_grantable(self, path: Path) -> Path:
        """The path with links resolved; ConfigurationError if it must not be granted at all."""
        place = path.expanduser().resolve()
        if not place.exists():
            raise ConfigurationError(f"{str(path)!r} does not exist.")
        home = self._site.home
        secrets = [*(home / name for name in SECRETS_IN_HOME), *self.confinement.hidden]
        if place == home or place in home.parents or any(map(place.is_relative_to, secrets)):
            raise ConfigurationError(
                f"{str(place)!r} holds keys or the whole home, and is never granted to a cell."
            )
        return place

    def _is_entangled(self, place: Path) -> bool:
        """Whether a mount of the cell lies above the place, or below it."""
        return any(
            place.is_relative_to(fixed) or fixed.is_relative_to(place) for fixed in self._fixed
        )

    def _check_grant(self, place: Path, access: Access) -> None:
        """Try the walls again, as after every change of policy."""
        must_fail = [f"read={self._site.canary}", *([f"write={place}"] * (access == "read"))]
        passed = self._wire.probe([f"see={place}", *must_fail])
        if passed != [0]:
            with contextlib.suppress(SandboxUnavailable):
                self.revoke(place)
            raise SandboxUnavailable(f"{str(place)!r} could not be granted as {access}-only.")
