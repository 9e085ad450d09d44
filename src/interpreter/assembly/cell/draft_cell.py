"""Where drafts run: programs that are only compared, in a cell in which nothing can be changed."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.assembly.cell.languages import open_pool, session_runtimes
from interpreter.protocol.errors import CheckpointError, InterpreterError
from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.messages import Action, Code
from interpreter.protocol.ports import Cell, Runtimes, Tool, ToolContext, ToolSpec, nobody_answers
from interpreter.protocol.values import frozen
from interpreter.settings.settings import Settings
from interpreter.tools.guarded import Escalations, Guard, Guarded
from interpreter.tools.run_code import RunCode, RunLimits

if TYPE_CHECKING:
    from interpreter.checkpoints.variables.python import PythonVariables

LONGEST = 60.0  # seconds: what took long the first time is not drafted at all
COPIES = Path("/tmp/on_a_copy")  # of the cell alone
BEGIN = """\
_copied = __import__("runpy").run_path({program!r})
_copied["begin"]({workspace!r}, {copy!r})"""
TELL = '__import__("sys").stdout.write(_copied["tell"]({source!r})) and None'
PROGRAM = str(INSIDE / "files" / "on_a_copy.py")
IN_FULL = r"(?<![\w.~-]){}(?![\w.~-])"  # a path


@frozen
class DraftParts:
    """What a session hands to the cell of its drafts."""

    settings: Settings
    ways_out: Callable[[], tuple[Path, ...]]
    """The pipes and sockets by which others are reached, where there are any."""
    open_cell: Callable[[tuple[Path, ...]], Cell]
    """Opens a cell in which only its own /tmp can be written, and that hides these places;
    SandboxUnavailable if there is none."""
    variables: Callable[[], PythonVariables]
    """Those of the session, which every draft begins with."""
    is_busy: Callable[[], bool]
    """Whether a block goes on in the background that keeps them from being had."""
    choose: Callable[[Runtimes], Runtimes]
    guard: Callable[[], Guard]
    notice: Callable[[str], None]


@frozen
class _OpenCell:
    """The cell of the drafts, with what is in it."""

    cell: Cell
    runtimes: Runtimes
    variables: PythonVariables
    execute: Tool


class DraftCell:
    """Runs a draft with the session's variables and files, none of which it can change.

    The workspace is read-only there, without its pipes and sockets, /tmp is the cell's own, the
    network and the host's functions are not there, nobody is asked, and the variables are copies.
    Where this cannot be had, a draft does not run.
    """

    spec = ToolSpec("compare", "Run a program whose effects do not last.", "{}")

    def __init__(self, parts: DraftParts) -> None:
        self._parts = parts
        self._open: _OpenCell | None = None

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run one draft."""
        if not isinstance(action, Code) or action.language != "python":
            yield ExecutionFinished("invalid", "only a block of Python can be compared.")
            return
        try:
            opened = self._with_the_sessions_variables()
        except (InterpreterError, OSError) as reason:
            self.close()
            yield ExecutionFinished("declined", f"nothing to compare was run: {reason}")
            return
        finished = False
        try:
            for event in _events(opened, action, context):
                if isinstance(event, ExecutionFinished):
                    finished = event.outcome in ("ok", "failed")
                yield event
        finally:
            if not finished:  # what is left of it is not worth knowing
                self.close()

    def close(self) -> None:
        """End the cell and all that runs in it."""
        opened, self._open = self._open, None
        if opened is None:
            return
        with contextlib.suppress(InterpreterError):
            opened.runtimes.close()
        opened.variables.close()
        opened.cell.close()

    def _with_the_sessions_variables(self) -> _OpenCell:
        if self._parts.is_busy():  # to wait for it could take for ever
            raise CheckpointError("Python is busy with a block that goes on in the background.")
        theirs = self._parts.variables()
        hidden = self._parts.ways_out()
        if hidden or not theirs.attached:  # some are new, or an earlier draft left variables
            self.close()
        opened = self._open = self._open or self._opened(hidden)
        for _ in opened.runtimes.get("python").run(""):  # starts the kernel
            pass
        with tempfile.TemporaryFile() as file:
            if theirs.attached:
                theirs.export(file)
                opened.variables.adopt(file, exact=True)
        return opened

    def _opened(self, hidden: tuple[Path, ...]) -> _OpenCell:
        from interpreter.checkpoints.variables.python import PythonVariables
        from interpreter.runtimes.kernel.choose_python import INLINE

        settings = self._parts.settings
        if settings.kernel or settings.python == INLINE:
            raise CheckpointError("Python runs outside of the sandbox.")
        cell = self._parts.open_cell(hidden)
        variables = PythonVariables(cell.exchange)
        pool = open_pool(settings, self._parts.notice, cell, cell.launch, variables, ())
        runtimes = session_runtimes(settings, self._parts.choose, lambda: pool)
        run_code = RunCode(runtimes, RunLimits(seconds=LONGEST, when_over="stop"))
        execute = Guarded(run_code, self._parts.guard, Escalations())
        return _OpenCell(cell, runtimes, variables, execute)


def _events(opened: _OpenCell, action: Code, context: ToolContext) -> Iterator[RuntimeEvent]:
    """Run a draft, on a copy of the files if that is wanted."""
    within = ToolContext(nobody_answers, context.interrupt)
    if action.attempt == "copy":
        yield from _on_a_copy(opened, action, within)
    else:
        yield from opened.execute.run(action, within)


def _on_a_copy(opened: _OpenCell, action: Code, within: ToolContext) -> Iterator[RuntimeEvent]:
    """Run a draft on a copy of the files, and tell what it changed there. Where it says in full
    where the workspace is, that stands for the copy."""
    workspace = str(opened.cell.workspace)
    copy = str(COPIES / opened.cell.workspace.name)
    begin = BEGIN.format(program=PROGRAM, workspace=workspace, copy=copy)
    begun = opened.execute.run(replace(action, source=begin), within)
    ends = [event for event in begun if isinstance(event, ExecutionFinished)]
    if ends and ends[-1].outcome != "ok":
        yield ExecutionFinished("declined", f"nothing was tried on a copy: {ends[-1].summary}")
        return
    source = re.sub(IN_FULL.format(re.escape(workspace)), lambda _: copy, action.source)
    for event in opened.execute.run(replace(action, source=source), within):
        if not isinstance(event, ExecutionFinished):
            yield event
            continue
        if event.outcome == "ok":
            tell = TELL.format(source=action.source)
            told = opened.execute.run(replace(action, source=tell), within)
            yield from (one for one in told if isinstance(one, OutputDelta))
        yield replace(event, summary=event.summary.replace(copy, workspace))
