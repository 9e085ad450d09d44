"""The walls around code: which cell it gets, what it may ask for, and who watches each block."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from interpreter.assembly.reopening import Reopening
from interpreter.assembly.ruling import SessionRules
from interpreter.protocol.errors import ConfigurationError, SandboxUnavailable
from interpreter.protocol.messages import Action
from interpreter.protocol.ports import Cell
from interpreter.protocol.values import frozen
from interpreter.settings.paths import config_directory, data_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.checkpoints.journal.client import FileJournal
    from interpreter.policies.secrets import Secrets
    from interpreter.sandboxes.confinement import Level, Limits
    from interpreter.sandboxes.grants import GrantBook, Grants, Kind
    from interpreter.sandboxes.network.host_gate import HostGate
    from interpreter.tools.guarded import Guard


NO_WALLS = "There is no sandbox on this machine: code runs with all rights of the user."


@frozen
class Given:
    """Something that the user has allowed."""

    kind: Kind
    value: str
    for_good: bool

    def is_called(self, name: str) -> bool:
        """Whether the user means this one."""
        if self.kind == "host":
            return name.lower() in (self.value, self.value.partition(":")[0])
        return Path(name).expanduser() == Path(self.value)


class Walls:
    """Made from the settings of the moment when the session began."""

    def __init__(self, settings: Settings, notice: Callable[[str], None]) -> None:
        self._settings = settings
        self._notice = notice
        self._grants: Grants | None = None
        self.reopening = Reopening()
        self.rules = SessionRules(settings)
        self.unconfined = ""
        """Why there is no sandbox although one was asked for."""
        self.instead = ""
        """The walls that were got, in a sentence for the model, where weaker than asked for."""
        self.running: Callable[[], Action | None] = lambda: None
        """What runs now, or ran last."""

    def close(self) -> None:
        """Let go of the workspace."""
        guard = self.__dict__.pop("_autorun", None)
        if guard is not None:  # closed once only: its descriptor may be somebody else's by then
            guard.close()

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

    def open_cell(self) -> Cell:
        """A cell at the level of the settings; where none can be had, an open one that says so."""
        from interpreter.sandboxes.backends.none import NoSandbox

        workspace = self._settings.directory()
        try:
            return self._confined_cell(workspace)
        except SandboxUnavailable as reason:
            self.unconfined = str(reason)
            self.instead = NO_WALLS
            self._notice(self.unconfined)
            return NoSandbox().open(workspace)

    @property
    def are_full(self) -> bool:
        """Whether code is in the strongest kind of cell, of which all walls hold."""
        return self._settings.sandbox != "off" and not (self.unconfined or self.instead)

    def ask_about_program(self, words: list[str], rule: str, why: str) -> bool:
        """Whether a program may start that a rule wants to be asked about."""
        return self.rules.ask_about_program(self.escalations, self.running(), words, rule, why)

    def reopened_cell(self, old: Cell) -> Cell:
        """A cell with all that was granted since; SandboxUnavailable if its walls are weaker."""
        try:
            cell = self._confined_cell(self._settings.directory())
        except ConfigurationError as error:
            raise SandboxUnavailable(str(error)) from error
        if cell.describe() != old.describe():
            cell.close()
            raise SandboxUnavailable("The sandbox could not be opened anew.")
        self.reopening.opened()
        self._grants = None
        return cell

    def leave(self, old: Cell, new: Cell) -> None:
        """Close a cell; another takes over what was installed in it."""
        from interpreter.sandboxes.cell.cell import ConfinedCell

        if isinstance(old, ConfinedCell) and isinstance(new, ConfinedCell):
            new.inherit(old)
        old.close()

    def _confined_cell(self, workspace: Path) -> Cell:
        from interpreter.assembly.environment import given_variables
        from interpreter.sandboxes.backends.fallback import best_sandbox
        from interpreter.sandboxes.backends.none import NoSandbox
        from interpreter.sandboxes.confinement import ENVIRONMENT, Confinement, interpreter_places

        if self._settings.sandbox == "off":
            return NoSandbox().open(workspace)
        book, given = self._book, given_variables(self._settings)
        read = (*map(Path, book.all("read")), *self.reopening.paths("read"))
        write = (*map(Path, book.all("write")), *self.reopening.paths("write"))
        confinement = Confinement(
            level=cast("Level", self._settings.sandbox),  # checked there
            read=read,
            write=write,
            programs=(*interpreter_places(workspace), *self._python_places()),
            hidden=(*_hidden_places(), *self.rules.denied_places((*read, *write))),
            limits=self._limits(),
            environment=(*ENVIRONMENT, *given),
        )
        best = best_sandbox(
            confinement, {**os.environ, **given}, gate=self._gate, notice=self._notice
        )
        cell = best.open(workspace)
        self.instead = f"The code is {cell.describe()}." if best.is_reduced else ""
        return cell

    def _limits(self) -> Limits:
        from interpreter.sandboxes.confinement import Limits

        usual = Limits()
        return Limits(
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

    @cached_property
    def _book(self) -> GrantBook:
        from interpreter.sandboxes.grants import GrantBook

        hidden = _hidden_places()
        return GrantBook(config_directory() / "grants.json", self._settings.directory(), hidden)

    @cached_property
    def _gate(self) -> HostGate:
        from interpreter.assembly.guards import ask_about_hosts
        from interpreter.sandboxes.network.host_gate import HostGate

        return HostGate(
            allow=self._book.all("host"),
            ask=partial(ask_about_hosts, self.escalations),
            keep=partial(self._book.add, "host"),
            ruling=self.rules.host_verdict,
        )

    def granted(self) -> tuple[Given, ...]:
        """What the user has allowed: for this session, and for good in this workspace."""
        kinds: tuple[Kind, ...] = ("host", "read", "write")
        kept = {(kind, value) for kind in kinds for value in self._book.all(kind)}
        now: list[tuple[Kind, str]] = [("host", host) for host in self._gate.allowed()]
        now += [(access, str(path)) for path, access in self.reopening.of_session()]
        return tuple(Given(*one, for_good=one in kept) for one in sorted({*kept, *now}))

    def take_back(self, value: str) -> tuple[Given, ...]:
        """Ask again about a host or a place that was allowed; what that was."""
        gone = tuple(given for given in self.granted() if given.is_called(value))
        for given in gone:
            self._book.remove(given.kind, given.value)
            if given.kind == "host":
                self._gate.forget(given.value)
                continue
            self.reopening.forget(Path(given.value))
            if self._grants is None or not self._grants.forget(Path(given.value)):
                self.reopening.wanted = True  # the cell has shown it from its beginning
        return gone

    @property
    def traffic(self) -> dict[str, int]:
        """The hosts that the last block reached, and how many bytes went."""
        return self._gate.last_traffic if "_gate" in self.__dict__ else {}

    @cached_property
    def escalations(self) -> Any:
        """Questions that come up while a block runs."""
        from interpreter.tools.guarded import Escalations

        return Escalations()

    def guards(self, cell: Cell, files: FileJournal | None) -> list[Guard]:
        """Those who watch one block; `files` has seen what it did to files."""
        from interpreter.assembly import guards
        from interpreter.sandboxes.cell.cell import ConfinedCell
        from interpreter.sandboxes.grants import Grants

        workspace = self._settings.directory()
        found: list[Guard] = [guards.SecretGuard(self.secrets())]
        if isinstance(cell, ConfinedCell):
            found.append(guards.HostGuard(self._gate))
            self._grants = self._grants or Grants(cell, self._book)
            found.append(guards.PassingFiles(cell))
            found.append(guards.PathGuard(self._grants, self.reopening, workspace))
        return [*found, guards.AutorunWatch(self._autorun, workspace, files)]

    def secrets(self) -> Secrets:
        """What is to be shown to nobody, as it is now: the user may just have written it down."""
        from interpreter.policies.env_files import secrets_in_files
        from interpreter.policies.secrets import Secrets

        return Secrets(os.environ, secrets_in_files(self._settings.directory()))

    @cached_property
    def _autorun(self) -> Any:
        from interpreter.policies.autorun import AutorunGuard

        return AutorunGuard(self._settings.directory())


def _hidden_places() -> tuple[Path, ...]:
    """Our own directories. They exist from now on: a cell can only hide what is there."""
    places = (config_directory(), data_directory())
    for place in places:
        with contextlib.suppress(OSError):  # then nothing of ours is kept there, either
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return places
