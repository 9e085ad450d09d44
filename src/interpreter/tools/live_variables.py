"""Tells a small model after each Python block which variables there are, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.messages import Action, Code
from interpreter.protocol.ports import Tool, ToolContext, nobody_answers

PROGRAM = Path(__file__).parent.parent / "inside" / "live_variables.py"
LONGEST = 500
MARK = "variables: "


class WithLiveVariables:
    """The tool that runs code, with the list of variables in the summary of each Python block."""

    def __init__(self, execute: Tool) -> None:
        self.spec = execute.spec
        self._execute = execute

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run a block; then look, without anybody seeing it."""
        for event in self._execute.run(action, context):
            if isinstance(event, ExecutionFinished) and _can_be_looked_at(action, event):
                listed = self._listed(context)
                lines = filter(None, (event.summary, listed and f"{MARK}{listed}"))
                yield replace(event, summary="\n".join(lines))
            else:
                yield event

    def _listed(self, context: ToolContext) -> str:
        source = PROGRAM.read_text(encoding="utf-8")
        # One statement that leaves no name behind, run in a world of its own.
        look = Code("python", f"exec({source!r}, {{'names': globals()}})")
        quiet = replace(context, answer=nobody_answers)
        printed = [
            event.text
            for event in self._execute.run(look, quiet)
            if isinstance(event, OutputDelta) and event.stream == "stdout"
        ]
        return " ".join("".join(printed).split())[:LONGEST]


def _can_be_looked_at(action: Action, finished: ExecutionFinished) -> bool:
    python = isinstance(action, Code) and action.language in ("python", "py", "python3")
    return python and finished.outcome in ("ok", "failed")
