"""Trying several ways: a session in a copy of everything, compared with the first, kept or not."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL
from typing import BinaryIO

from interpreter.assembly.cell.environment import Environment
from interpreter.assembly.cell.kept_files import forget_session, is_alive
from interpreter.assembly.session_factory import SessionFactory
from interpreter.checkpoints.workspace_copy import WorkspaceCopy
from interpreter.protocol.errors import CheckpointConflict, CheckpointError
from interpreter.protocol.events import ExecutionFinished, FileChange, RuntimeEvent
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import Answerer, Approver, Model, OnConflict
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.session.session import Session
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings


@frozen
class Differences:
    """What a try did: messages more, variables that are new, changed or gone, files."""

    messages: int
    variables: Mapping[str, str]
    files: tuple[FileChange, ...]


class Attempt:
    """One way that is tried: `session` has the conversation, the variables, the files in a copy."""

    def __init__(
        self,
        base: SessionFactory,
        session: Session,
        settings: Settings,
        *,
        approve: Approver | None = None,
        answer: Answerer | None = None,
        model: Model | None = None,
    ) -> None:
        self._base = base
        self._base_session = session
        self._since = len(session.transcript)
        place = new_place()
        workspace = settings.directory().resolve()
        self._copy = WorkspaceCopy(workspace, place / workspace.name)
        self.settings = replace(settings, workspace=str(self._copy.path))
        self.factory = base.another(self.settings, approve, answer)
        try:
            messages = tuple(session.transcript)
            self.session = self.factory.open_session(
                self.settings, messages=messages, model=model, within=session.id
            )
            with tempfile.TemporaryFile() as file:
                if exported(base, file):
                    self.factory.environment.session_cell.adopt_variables(
                        file, (workspace, self._copy.path)
                    )
            self._variables = self._digests()
        except BaseException:
            self.factory.close()
            self._copy.remove()
            raise

    def differences(self) -> Differences:
        """What is different from the session it began with."""
        now, then = self._digests(), self._variables
        changed = sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
        kinds = {name: "changed" if name in then else "new" for name in changed if name in now}
        kinds |= {name: "gone" for name in changed if name not in now}
        root = self._copy.path
        files = (replace(one, path=os.path.relpath(one.path, root)) for one in self._copy.changes())
        return Differences(len(self.session.transcript) - self._since, kinds, tuple(files))

    def compare(self) -> str:
        """The same as text, with the lines of files that differ."""
        found = self.differences()
        words = [
            name if kind == "changed" else f"{name} ({kind})"
            for name, kind in found.variables.items()
        ]
        return (
            f"{found.messages} messages more\nvariables: {', '.join(words) or 'none changed'}\n"
            f"{self._copy.describe()}"
        )

    def keep(self, conflicts: OnConflict = "refuse") -> str:
        """Make it what happened: its messages, files and variables, as one block to be undone."""
        if len(self._base_session.transcript) != self._since:
            raise CheckpointError(
                "The session has gone on since this was tried; undo that first, or drop the try."
            )
        found = self._copy.conflicts()
        if found and conflicts == "refuse":
            raise CheckpointConflict(found)
        changes = self._copy.changes()
        action = Code("python", f"# Keep what was tried: {len(changes)} files")
        messages = self.session.transcript[self._since :]
        with tempfile.TemporaryFile() as file:
            variables = exported(self.factory, file)
            self.factory.close()  # nothing writes there any more
            if contents := self._base.environment.session_cell.opened:
                contents.variables.settle()
            work = self._bring(file if variables else None, found if conflicts == "keep" else ())
            for _ in self._base_session.by_hand(action, work):
                pass
        for message in messages:
            self._base_session.add(message)
        self.close()
        files = "1 file" if len(changes) == 1 else f"{len(changes)} files"
        left = f"; left as they are: {', '.join(found)}" if found and conflicts == "keep" else ""
        return f"Kept: {len(messages)} messages, {files} and the variables{left}"

    def close(self) -> None:
        """Drop it, with its copy."""
        self.factory.close()
        if self.session.id:
            self._base.store.delete(self.session.id)
            forget_session(self.session.id)
        self._copy.remove()

    def _digests(self) -> dict[str, str]:
        """What tells each variable from the same one after it was changed."""
        contents = self.factory.environment.session_cell.opened
        return contents.variables.digests() if contents and contents.variables.attached else {}

    def _bring(
        self, variables: BinaryIO | None, spared: tuple[str, ...]
    ) -> Generator[RuntimeEvent, None, None]:
        environment = self._base.environment
        staged = environment.session_cell.exchange / f"kept-{secrets.token_hex(4)}"
        changes = self._copy.stage(staged, spared)
        handover.write(staged / "changes.json", json.dumps(changes))
        try:
            apply_changes(environment, staged)
            if variables is not None:
                places = (self._copy.path, self._copy.original)
                environment.session_cell.adopt_variables(variables, places, exact=True)
        finally:
            shutil.rmtree(staged, ignore_errors=True)  # which follows no link
        yield ExecutionFinished("ok")


def apply_changes(environment: Environment, staged: Path, *, decided: bool = True) -> None:
    """Bring changed files into the workspace, by a program under the journal.

    `decided` says that the user has answered for files that run by themselves.
    """
    contents = environment.session_cell.opened
    assert contents is not None, "the files lie in the exchange of its cell"
    exchange, journal = contents.cell.exchange, contents.journal
    handover.copy(INSIDE / "files" / "apply_changes.py", exchange)
    command = [sys.executable, "-I", str(exchange / "apply_changes.py"), str(staged)]
    if journal is not None and decided:  # where it was tried
        journal.watch()
    status = contents.launch(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL).wait()
    if journal is not None and decided:
        journal.settle(allow=True)
    if status:
        raise CheckpointError("Not all files could be brought over; undo takes back the rest.")


def exported(factory: SessionFactory, file: BinaryIO) -> bool:
    """Write the variables to a file; False where there is no kernel that has any."""
    contents = factory.environment.session_cell.opened
    if contents is None or not contents.variables.attached:
        return False
    contents.variables.export(file)
    return True


def new_place() -> Path:
    """A directory of our own; those of processes that were killed go."""
    attempts = data_directory().resolve() / "attempts"
    attempts.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in attempts.iterdir():
        if not is_alive(path.name.partition("-")[0]):
            shutil.rmtree(path, ignore_errors=True)
    return attempts / f"{os.getpid()}-{secrets.token_hex(4)}"
