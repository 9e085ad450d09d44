"""Instructions of directories below the workspace, told when code first names something there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from interpreter.protocol.events import ExecutionFinished, RuntimeEvent
from interpreter.protocol.messages import Action, Code
from interpreter.protocol.ports import Tool, ToolContext

MOST_PATHS = 100
_PATH = re.compile(r"(?:[\w.@+-]+/)+[\w.@+-]*|(?<=cd )[\w.@+-]+")


class WithNearInstructions:
    """The tool that runs code; what it adds to a result is for the model alone."""

    def __init__(self, execute: Tool, near: Callable[[tuple[str, ...]], str]) -> None:
        self.spec = execute.spec
        self._execute = execute
        self._near = near

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run a block; then say what holds where it was at work, once."""
        for event in self._execute.run(action, context):
            if isinstance(event, ExecutionFinished) and isinstance(action, Code):
                told = self._near(named_paths(action.source))
                yield replace(event, summary="\n".join(filter(None, (event.summary, told))))
            else:
                yield event


def named_paths(source: str) -> tuple[str, ...]:
    """The paths that a text names, without regard to what they are."""
    found = (match[0].removeprefix("./") for match in _PATH.finditer(source))
    with_end = (path if "/" in path else f"{path}/x" for path in found)
    return tuple(dict.fromkeys(with_end))[:MOST_PATHS]
