"""No confinement: programs run with the user's own rights, and the description says so."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from interpreter.sandboxes.cell.own_directory import OwnDirectory


class LocalProcess(subprocess.Popen[bytes]):
    """A program in a session of its own."""

    def signal_group(self, signal: int) -> None:
        """Signal the program and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal)


class OpenCell:
    """A cell without walls: it only keeps its programs' environment and hand-over directory."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.protected: tuple[Path, ...] = ()
        self._own = OwnDirectory()
        self.exchange = self._own.path

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
    ) -> LocalProcess:
        """Start a program in its own session, so that all it starts can be signalled at once."""
        path = os.pathsep.join([os.environ.get("PATH") or os.defpath, str(self.exchange / "bin")])
        return LocalProcess(
            argv,
            env={**os.environ, "PATH": path, **(env or {})},
            cwd=cwd or self.workspace,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            start_new_session=True,
        )

    def describe(self) -> str:
        """One line for the user and the model."""
        return "not sandboxed: code runs with the user's own rights"

    def close(self) -> None:
        """Remove the hand-over directory."""
        self._own.remove()


class NoSandbox:
    """Opens cells without walls."""

    def open(self, workspace: Path) -> OpenCell:
        """Make the cell."""
        return OpenCell(workspace)
