"""The best sandbox that this machine has; a weaker one is announced, never taken silently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError, SandboxUnavailable, WorkspaceUnusable
from interpreter.protocol.ports import Cell, Sandbox
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.backends.seatbelt import SeatbeltSandbox
from interpreter.sandboxes.confinement import Confinement
from interpreter.sandboxes.network.host_gate import HostGate

NONE = (
    "No sandbox on this machine ({reasons}). Code would run with YOUR rights, so I ask before "
    "every block. Fix: install bubblewrap (sudo apt install bubblewrap), use WSL2, or run in a "
    "container; `interpreter doctor` tells more."
)


class FirstThatHolds:
    """Tries sandboxes from the strongest to the weakest."""

    def __init__(
        self, sandboxes: Sequence[tuple[str, Sandbox]], notice: Callable[[str], None]
    ) -> None:
        self._sandboxes = sandboxes
        self._notice = notice
        self.is_reduced = False
        """Whether the cell that was opened is not the strongest one."""

    def open(self, workspace: Path) -> Cell:
        """A cell of the first sandbox that can be had; SandboxUnavailable names all reasons.

        ConfigurationError where it is not the machine that lacks one, but the workspace that no
        sandbox can use: then nothing runs, with walls or without.
        """
        reasons: list[str] = []
        unusable: WorkspaceUnusable | None = None
        for name, sandbox in self._sandboxes:
            try:
                cell = sandbox.open(workspace)
            except SandboxUnavailable as error:
                reasons.append(f"{name}: {error}".rstrip("."))
                unusable = error if isinstance(error, WorkspaceUnusable) else unusable
                continue
            self.is_reduced = bool(reasons)
            if reasons:
                self._notice(f"{cell.describe()}. Stronger walls are not to be had: {reasons[0]}.")
            return cell
        if unusable is not None:
            raise ConfigurationError(str(unusable)) from unusable
        raise SandboxUnavailable(NONE.format(reasons="; ".join(reasons)))


def best_sandbox(
    confinement: Confinement,
    host: Mapping[str, str],
    *,
    gate: HostGate | None = None,
    notice: Callable[[str], None] = lambda text: None,
) -> FirstThatHolds:
    """The order for any machine; those of other systems are refused at once, with the reason."""
    linux: list[tuple[str, Sandbox]] = [
        ("bubblewrap", BubblewrapSandbox(confinement, host, gate=gate, notice=notice)),
        ("Landlock", LandlockSandbox(confinement, host, notice=notice)),
        ("macOS", SeatbeltSandbox(confinement, host)),
    ]
    return FirstThatHolds(linux, notice)
