"""Which cell the code of a session gets: as the settings want it, or what this machine can do.

And the variables that code finds in it: what the settings give it, and what this program has set.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from interpreter.assembly.policy import SessionRules
from interpreter.protocol.errors import ConfigurationError, SandboxUnavailable
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Cell
from interpreter.protocol.system.start_queue import place_to_start
from interpreter.settings.paths import config_directory, data_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.assembly.cell.permissions import Permissions
    from interpreter.sandboxes.confinement import CellLimits, Confinement, Level

NO_SANDBOX = "There is no sandbox on this machine: code runs with all rights of the user."


class CellOpener:
    """Opens cells from the settings of the moment when the session began."""

    def __init__(
        self,
        settings: Settings,
        rules: SessionRules,
        permissions: Lazy[Permissions],
        notice: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._permissions = permissions
        self._notice = notice
        self.unconfined = ""
        """Why there is no sandbox although one was asked for."""
        self.weaker = ""
        """What was got, in a sentence for the model, where it is weaker than what was asked for."""

    @property
    def reaches_hosts(self) -> bool:
        """Whether programs in the cell can reach any host unasked."""
        if self._settings.sandbox not in ("workspace", "read-only") or not self.is_confined:
            return True
        return self._rules.allows_hosts or bool(self._permissions.get().gate.allowed())

    def check(self) -> None:
        """Raise at once what would stop the first block, without starting anything."""
        from interpreter.sandboxes.confinement import Confinement, check_workspace, home_directory

        if self._settings.sandbox != "off":
            Confinement(level=cast("Level", self._settings.sandbox))
            check_workspace(self._settings.directory(), home_directory(os.environ))
        if self._settings.python:
            from interpreter.runtimes.kernel.choose_python import check_python

            check_python(self._settings.python, self._settings.directory())
        if self._settings.kernel:
            from interpreter.runtimes.kernel.attached import find_connection_file

            find_connection_file(self._settings.kernel)

    def open(self) -> Cell:
        """A cell at the level of the settings; where none can be had, an open one that says so."""
        from interpreter.sandboxes.backends.none import NoSandbox

        workspace = self._settings.directory()
        if self._settings.sandbox == "off":
            return NoSandbox().open(workspace)
        try:
            return self._confined(workspace)
        except SandboxUnavailable as reason:
            if self._settings.require_sandbox:
                raise
            self.unconfined = str(reason)
            self.weaker = NO_SANDBOX
            self._notice(self.unconfined)
            return NoSandbox().open(workspace)

    def ways_out(self) -> tuple[Path, ...]:
        """The pipes and sockets that such a cell would show, as they are now."""
        from interpreter.assembly.cell.ways_out import ways_out

        return ways_out((self._settings.directory(), *self._permissions.get().places("read")))

    def open_for_drafts(self, hidden: tuple[Path, ...]) -> Cell:
        """A cell in which only its own /tmp can be written, without grants and without a network,
        and that shows nothing of what is hidden from it.

        SandboxUnavailable where the walls would be weaker than the strongest.
        """
        from interpreter.assembly.cell.opener import given_variables
        from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox

        if not self.is_full:
            raise SandboxUnavailable("There is no sandbox of which everything holds.")
        workspace = self._settings.directory()
        usual = self._confinement(workspace)
        kept_from_it = (*usual.hidden, *hidden)
        confinement = replace(usual, level="read-only", write=(), hidden=kept_from_it)
        environ = {**os.environ, **given_variables(self._settings)}
        sandbox = BubblewrapSandbox(confinement, environ, notice=self._notice)
        return sandbox.open(workspace)

    def open_again(self, old: Cell) -> Cell:
        """A cell with all that was granted since; SandboxUnavailable if it is weaker."""
        try:
            cell = self._confined(self._settings.directory())
        except ConfigurationError as error:
            raise SandboxUnavailable(str(error)) from error
        if cell.describe() != old.describe():
            cell.close()
            raise SandboxUnavailable("The sandbox could not be opened anew.")
        return cell

    @property
    def is_confined(self) -> bool:
        """Whether there is any sandbox, which is known for sure once there is a cell."""
        return self._settings.sandbox != "off" and not self.unconfined

    @property
    def is_full(self) -> bool:
        """Whether code is in the strongest kind of cell, of which everything holds."""
        return self.is_confined and not self.weaker

    def _confined(self, workspace: Path) -> Cell:
        from interpreter.assembly.cell.opener import given_variables
        from interpreter.sandboxes.backends.fallback import best_sandbox

        confinement = self._confinement(workspace)
        environ = {**os.environ, **given_variables(self._settings)}
        gate = self._permissions.get().gate
        best = best_sandbox(confinement, environ, gate=gate, notice=self._notice)
        with place_to_start():
            cell = best.open(workspace)
        self.weaker = f"The code is {cell.describe()}." if best.is_reduced else ""
        return cell

    def _confinement(self, workspace: Path) -> Confinement:
        from interpreter.assembly.cell.opener import given_variables
        from interpreter.sandboxes.confinement import ENVIRONMENT, Confinement, interpreter_places

        permissions = self._permissions.get()
        read, write = permissions.places("read"), permissions.places("write")
        return Confinement(
            level=cast("Level", self._settings.sandbox),  # checked there
            read=read,
            write=write,
            programs=(*interpreter_places(workspace), *self._python_places()),
            hidden=(*hidden_places(), *self._rules.denied_places((*read, *write))),
            limits=self._limits(),
            environment=(*ENVIRONMENT, *given_variables(self._settings)),
        )

    def _limits(self) -> CellLimits:
        from interpreter.sandboxes.confinement import CellLimits

        usual = CellLimits()
        return CellLimits(
            memory_mb=self._settings.max_memory or usual.memory_mb,
            programs=self._settings.max_programs or usual.programs,
        )

    def _python_places(self) -> tuple[Path, ...]:
        """The environments that the user named or activated; the workspace's needs no mention."""
        named = self._settings.python
        given = [Path(named).expanduser().parent.parent] if "/" in named else []
        active = filter(None, map(os.environ.get, ("VIRTUAL_ENV", "CONDA_PREFIX")))
        places = [*given, *map(Path, active)]
        return tuple(at for at in places if (at / "bin").is_dir() and at != Path("/usr"))


def hidden_places() -> tuple[Path, ...]:
    """Our own directories. They exist from now on: a cell can only hide what is there."""
    places = (config_directory(), data_directory())
    for place in places:
        with contextlib.suppress(OSError):  # then nothing of ours is kept there, either
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return places


LONGEST = 4096
_PLAIN = re.compile(r"[A-Za-z]\w*")
_NOT_OURS = re.compile(r"(?:LD|DYLD|PYTHON|NODE|BASH|SHELL|XDG|PIP|NPM|GIT|INTERPRETER|REPLOOP)\w*")


def given_variables(settings: Settings) -> dict[str, str]:
    """The variables of `env`; a name alone stands for the variable that we have."""
    named: dict[str, str | None] = {}
    for name, sign, value in (entry.partition("=") for entry in settings.env):
        if not _PLAIN.fullmatch(name):
            raise ConfigurationError(f"env: {name!r} is no name of a variable.")
        named[name] = value if sign else os.environ.get(name)
    return {**set_by_program(), **{k: v for k, v in named.items() if v is not None}}


def set_by_program() -> dict[str, str]:
    """What this program has put into its environment since it began, if it is no secret."""
    try:
        found = Path("/proc/self/environ").read_bytes()
    except OSError:  # only Linux tells how a program was started
        return {}
    entries = (entry.partition("=") for entry in os.fsdecode(found).split("\0"))
    before = {name: value for name, _, value in entries}
    return {
        name: value
        for name, value in os.environ.items()
        if before.get(name) != value and _may_be_seen(name, value)
    }


def _may_be_seen(name: str, value: str) -> bool:
    from interpreter.policies.secrets import is_secret_variable

    plain = _PLAIN.fullmatch(name) and not _NOT_OURS.fullmatch(name.upper())
    return bool(plain) and len(value) <= LONGEST and not is_secret_variable(name, value)
