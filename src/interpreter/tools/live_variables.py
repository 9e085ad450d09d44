"""Which variables there are in Python, and what they hold: looked at without anybody seeing it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace

from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Action, Code
from interpreter.protocol.ports import Tool, ToolContext, nobody_answers

PROGRAM = INSIDE / "variables" / "live_variables.py"
LONGEST = 500
PATIENCE = 5.0  # seconds for a look; the user's objects may take as long as they like
MARK = "variables: "
NO_FILE = re.compile(r"No such file or directory: '([^'\n]{1,300})'")


class WithLiveVariables:
    """The tool that runs code, with the list of variables in the summary of each Python block."""

    def __init__(self, execute: Tool) -> None:
        self.spec = execute.spec
        self._execute = execute

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run a block; then look, without anybody seeing it."""
        for event in self._execute.run(action, context):
            if isinstance(event, ExecutionFinished) and _can_be_looked_at(action, event):
                listed = self._looked("", context)
                near = self._near(event, context)
                lines = filter(None, (event.summary + near, listed and f"{MARK}{listed}"))
                yield replace(event, summary="\n".join(lines))
            else:
                yield event

    def _near(self, finished: ExecutionFinished, context: ToolContext) -> str:
        """Which files there are instead of one that is not there."""
        found = NO_FILE.search(finished.summary) if finished.outcome == "failed" else None
        near = self._looked(f", 'missing': {found.group(1)!r}", context) if found else ""
        return f" (there is: {near})" if near else ""

    def _looked(self, more: str, context: ToolContext) -> str:
        return " ".join(_looked(self._execute, more, context.interrupt).split())[:LONGEST]


def all_variables(execute: Tool) -> str:
    """Every variable, a line each; nothing while Python is busy with something else."""
    return _looked(execute, ", 'everything': True", Interrupt())


def _looked(execute: Tool, more: str, interrupt: Interrupt) -> str:
    source = PROGRAM.read_text(encoding="utf-8")
    # One statement that leaves no name behind, run in a world of its own.
    look = Code("python", f"exec({source!r}, {{'names': globals(){more}}})")
    over = Interrupt()
    timer = threading.Timer(PATIENCE, over.request)
    timer.start()
    try:
        with interrupt.calls(over.request):
            events = execute.run(look, ToolContext(nobody_answers, over))
            printed = [
                e.text for e in events if isinstance(e, OutputDelta) and e.stream == "stdout"
            ]
    finally:
        timer.cancel()
    return "".join(printed)


def _can_be_looked_at(action: Action, finished: ExecutionFinished) -> bool:
    python = isinstance(action, Code) and action.language in ("python", "py", "python3")
    return python and finished.outcome in ("ok", "failed")
