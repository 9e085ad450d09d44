"""Starts a cell's own process and stays with it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable


class CellKeeper:
    """Starts the cell's own process from a thread that lives as long as the cell.

    The kernel ends the cell when the thread that started it ends, not only when we do.
    """

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], fds: Sequence[int], log: Path
    ) -> None:
        self._command, self._env, self._fds, self._log = command, env, fds, log
        self._started = threading.Event()
        self._problem: OSError | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="cell-keeper", daemon=True)

    def start(self) -> int:
        """Start it; its pid."""
        self._thread.start()
        self._started.wait()
        if self._process is None:
            raise SandboxUnavailable(f"The sandbox cannot be started: {self._problem}")
        return self._process.pid

    def close(self) -> None:
        """End it, unless it ends by itself now that the wire is closed."""
        if self._process is None:
            return
        self._thread.join(2)
        self._process.kill()
        self._thread.join(30)

    def _keep(self) -> None:
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    self._command,
                    env=self._env,
                    pass_fds=self._fds,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            self._problem = error
        self._started.set()
        if self._process is not None:
            self._process.wait()
