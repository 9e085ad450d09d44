"""A cell, and what is set up in it: the journal of files, Python's variables, the REPLs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from interpreter.assembly.cell import kept_files
from interpreter.assembly.cell.languages import Notify, open_pool
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
from interpreter.protocol.errors import CheckpointError, InterpreterError
from interpreter.protocol.git.config import QUESTION
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Cell, Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes.pool import RuntimePool
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.grants import Grants
from interpreter.settings.settings import Settings
from interpreter.tools.guarded import Escalations


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

    def run_before(self, language: str, source: str) -> Path | None:
        """Run source before the next block; the file in which it will have printed, if it can."""
        return self.runtimes.get().before_next(language, source)

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
        for name, kind in (("shell", "bash"), ("zsh", "zsh")):
            run, before = partial(contents.run_quietly, name), partial(contents.run_before, name)
            checkpoints.attach(name, shell_state(run, kind, before))
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
