"""A cell, and what is set up in it: the journal of files, Python's variables, the REPLs.

Which Python, and where it runs, is as the settings want it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, TimeoutExpired
from typing import TYPE_CHECKING, Any

from interpreter.assembly.cell import kept_files
from interpreter.assembly.cell.permissions import Permissions, ask_about_file
from interpreter.assembly.cell.saved_variables import SavedVariables
from interpreter.assembly.computer.host_calls import HostCalls
from interpreter.assembly.policy import SessionRules
from interpreter.checkpoints.files import FileKeeper
from interpreter.checkpoints.journal.client import FileJournal
from interpreter.checkpoints.transaction import Transaction
from interpreter.checkpoints.variables.kept import Owner
from interpreter.checkpoints.variables.language_state import node_state, shell_state, through
from interpreter.checkpoints.variables.python import PythonVariables
from interpreter.protocol.errors import CheckpointError, InterpreterError, UnknownLanguage
from interpreter.protocol.git.config import QUESTION
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Cell, Launch, Process, Runtime, Runtimes
from interpreter.protocol.values import frozen
from interpreter.runtimes.catalog import BUILT_IN, names
from interpreter.runtimes.kernel.files import kernel_directories
from interpreter.runtimes.pool import RuntimePool
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.grants import Grants
from interpreter.settings.described_languages import chosen_names, described
from interpreter.settings.settings import Settings
from interpreter.tools.guarded import Escalations

if TYPE_CHECKING:
    from interpreter.runtimes.pool import Registered

PROBE_SECONDS = 20.0
Notify = Callable[[str], None]


def open_pool(
    settings: Settings,
    notice: Notify,
    cell: Cell,
    launch: Launch,
    variables: PythonVariables,
    host_names: Sequence[str],
) -> RuntimePool:
    """The runtimes in a cell; `launch` starts their programs, `variables` keeps Python's.

    Python code finds the host's functions under `host_names`.
    """
    # The model is asked before there is a pool: what only a pool needs is loaded with it.
    from interpreter.checkpoints.variables.python import ENVIRONMENT
    from interpreter.runtimes.kernel.python import PythonOptions
    from interpreter.runtimes.pool import PoolOptions, RuntimePool
    from interpreter.runtimes.process.node import NodeOptions

    chosen = _python(settings, notice, cell)
    calls = {"REPLOOP_CALLS": " ".join(host_names)}
    python = PythonOptions(python=chosen, env={**ENVIRONMENT, **calls}, companion=variables)
    node = NodeOptions(env=calls)
    options = PoolOptions(
        settings={"python": python, "javascript": node, "typescript": node},
        registered=(*_registered(settings, notice), *_described(settings)),
        kernel_directories=kernel_directories(),
    )
    return RuntimePool(launch, cell.exchange, options)


class SessionRuntimes:
    """The runtimes of a session; what they are called is known before there is a cell."""

    def __init__(self, settings: Settings, pool: Callable[[], RuntimePool]) -> None:
        self._described = [entry.name for entry in described(settings.languages)]
        self._pool = pool

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names."""
        return self._pool().get(language)

    def names(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return tuple(dict.fromkeys([*names(kernel_directories()), *self._described]))

    def close(self) -> None:
        """Close every runtime that was started."""
        self._pool().close()


class ChosenRuntimes:
    """Runtimes of which only some may be used."""

    def __init__(self, inner: Runtimes, wanted: tuple[str, ...]) -> None:
        self._inner = inner
        self._wanted = {_usual_name(name) for name in wanted}

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names."""
        if _usual_name(language) not in self._wanted:
            known = ", ".join(self.names())
            raise UnknownLanguage(f"{language!r} is not among the chosen languages: {known}.")
        return self._inner.get(language)

    def names(self) -> tuple[str, ...]:
        """The languages that are chosen and can be run here."""
        return tuple(name for name in self._inner.names() if _usual_name(name) in self._wanted)

    def close(self) -> None:
        """Close every runtime that was started."""
        self._inner.close()


def session_runtimes(
    settings: Settings, choose: Callable[[Runtimes], Runtimes], pool: Callable[[], RuntimePool]
) -> Runtimes:
    """The runtimes that a session may use: `choose` is the caller's choice, then the settings'."""
    chosen = choose(SessionRuntimes(settings, pool))
    wanted = chosen_names(settings.languages)
    return ChosenRuntimes(chosen, wanted) if wanted else chosen


def _usual_name(name: str) -> str:
    wanted = name.strip().lower()
    for entry in BUILT_IN:
        if wanted in (entry.language.name, *entry.language.aliases):
            return entry.language.name
    return wanted


def _registered(settings: Settings, notice: Notify) -> tuple[Registered, ...]:
    """Python elsewhere than in the cell, where the user asks for that; it is said."""
    from interpreter.runtimes.kernel.choose_python import INLINE
    from interpreter.runtimes.kernel.python import PYTHON
    from interpreter.runtimes.pool import Registered

    if settings.kernel:
        from interpreter.runtimes.kernel.attached import attached_kernel, find_connection_file

        file = find_connection_file(settings.kernel)
        notice(f"Python runs in the kernel of {file}, outside of the sandbox.")
        return (Registered(PYTHON, lambda launch, exchange: attached_kernel(file)),)
    if settings.python == INLINE:
        from interpreter.runtimes.inline_python import InlinePython

        notice("Python runs in this very process, outside of the sandbox.")
        return (Registered(PYTHON, lambda launch, exchange: InlinePython()),)
    return ()


def _described(settings: Settings) -> tuple[Registered, ...]:
    """The languages that a profile describes; their commands run in the cell."""
    entries = described(settings.languages)
    if not entries:
        return ()
    from interpreter.runtimes.custom import registered

    return tuple(map(registered, entries))


def _python(settings: Settings, notice: Notify, cell: Cell) -> str:
    from interpreter.runtimes.kernel.choose_python import INLINE, choose_python
    from interpreter.sandboxes.backends.none import OpenCell

    wanted = "" if settings.python == INLINE else settings.python

    def succeeds(command: list[str]) -> bool:
        return _succeeds(cell, command)

    try_inside = None if isinstance(cell, OpenCell) else succeeds
    choice = choose_python(wanted, settings.directory(), os.environ, try_inside)
    if choice.offer:
        notice(choice.offer)
    return choice.python


def _succeeds(cell: Cell, command: list[str]) -> bool:
    """Whether a command does, tried inside the cell."""
    try:
        program = cell.launch(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
        return program.wait(PROBE_SECONDS) == 0
    except (OSError, TimeoutExpired):
        return False


@frozen
class Walls:
    """A cell that confines, and what the user lets through."""

    cell: ConfinedCell
    grants: Grants
    permissions: Permissions


@frozen
class CellContents:
    """All that belongs to one cell, and goes with it."""

    cell: Cell
    walls: Walls | None
    """None where code runs with all rights of the user."""
    launch: Launch
    """Starts a program in the cell, under the journal."""
    journal: FileJournal | None
    checkpoints: Transaction
    variables: PythonVariables
    runtimes: Lazy[RuntimePool]
    saved: SavedVariables | None
    store: Path

    def run_quietly(self, language: str, source: str) -> str:
        """Run source that is no block; what it prints."""
        return through(self.runtimes.get().get(language))(source)

    def close_runtimes(self) -> None:
        """End every REPL; they start again when they are needed."""
        if self.runtimes.begun:
            with contextlib.suppress(InterpreterError):  # whoever wanted it has been told
                self.runtimes.get().close()

    def close_checkpoints(self) -> None:
        """End the journal, once the cell is empty."""
        self.checkpoints.close()
        kept_files.remove_if_unkept(self.store)

    def leave_for(self, other: Cell) -> None:
        """End all of it; another cell takes over what was installed in this one."""
        self.close_runtimes()
        if self.saved is not None:
            self.saved.close()
        if self.walls is not None and isinstance(other, ConfinedCell):
            other.inherit(self.walls.cell)
        self.cell.close()
        self.checkpoints.close()


@frozen
class CellSetup:
    """Sets cells up for one session."""

    settings: Settings
    notice: Notify
    rules: SessionRules
    escalations: Escalations
    permissions: Lazy[Permissions]
    calls: HostCalls

    def set_up(self, cell: Cell, session: str, owner: Callable[[], Owner] | None) -> CellContents:
        """All that a new cell needs. Files are kept in the name of a session; variables are saved
        for their `owner`, if there is one."""
        workspace = self.settings.directory().resolve()
        store = kept_files.undo_store(session, workspace)
        journal = self._journal(store, cell, lambda path: checkpoints.was_announced(path))
        variables = PythonVariables(cell.exchange)

        def launch(argv: Any, **options: Any) -> Process:
            return cell.launch(journal.wrap(argv) if journal else argv, **options)

        def open_runtimes() -> RuntimePool:
            names = self.calls.serve(cell.exchange)
            return open_pool(self.settings, self.notice, cell, launch, variables, names)

        runtimes = Lazy(open_runtimes)
        files: FileKeeper = journal or kept_files.snapshots(store, workspace)
        checkpoints = Transaction(
            files, workspace, lambda name: runtimes.get().canonical(name), self._traffic
        )
        kept_files.let_go_of_old_stores(store)
        contents = CellContents(
            cell=cell,
            walls=self._walls(cell) if isinstance(cell, ConfinedCell) else None,
            launch=launch,
            journal=journal,
            checkpoints=checkpoints,
            variables=variables,
            runtimes=runtimes,
            saved=SavedVariables(variables, owner, self.notice) if owner else None,
            store=store,
        )
        checkpoints.attach("python", variables)
        checkpoints.attach("shell", shell_state(partial(contents.run_quietly, "shell")))
        checkpoints.attach("zsh", shell_state(partial(contents.run_quietly, "zsh"), "zsh"))
        checkpoints.attach("javascript", node_state(partial(contents.run_quietly, "javascript")))
        return contents

    def _walls(self, cell: ConfinedCell) -> Walls:
        permissions = self.permissions.get()
        return Walls(cell, Grants(cell, permissions.book), permissions)

    def _journal(
        self, store: Path, cell: Cell, was_announced: Callable[[str], bool]
    ) -> FileJournal | None:
        """The journal of files; None where there can be none, which is said."""

        def ask(path: str, size: int, why: str) -> bool:
            accepted = self.settings.auto_run or was_announced(path)
            if accepted and not why.startswith(QUESTION):
                return True
            return ask_about_file(self.escalations, path, size, why)

        try:
            return kept_files.open_journal(store, cell, self.rules, ask)
        except CheckpointError as reason:
            self.notice(f"{reason} Files are kept by snapshots instead.")
            return None

    def _traffic(self) -> Mapping[str, int]:
        """The hosts that the last block reached, and how many bytes went."""
        permissions = self.permissions.made
        return permissions.gate.last_traffic if permissions else {}
