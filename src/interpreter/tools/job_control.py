"""The tool that looks after blocks left running: list, read, wait for, stop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.messages import Action, ActionCall
from interpreter.protocol.ports import Tool, ToolContext, ToolSpec
from interpreter.tools.jobs import Job, Jobs

if TYPE_CHECKING:
    from interpreter.tools.toolbox import ToolParts

LONGEST_WAIT = 600.0
WAIT_STEP = 0.2  # how soon an interrupt ends a wait


class JobControl:
    """`jobs(action, job, seconds)` over the jobs of a RunCode."""

    spec = ToolSpec(
        "jobs",
        "Blocks in the background: list, read, wait for or stop them.",
        json.dumps({
            "type": "object",
            "properties": {
                "action": {"type": "string"},
                "job": {"type": "integer"},
                "seconds": {"type": "number"},
            },
        }),
    )

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Do what is asked, and say how the job is."""
        wish = _arguments(action)
        if wish.get("action", "list") == "list":
            yield from self._list()
            return
        number = wish.get("job")
        job = self._jobs.get(number) if isinstance(number, int) else None
        if job is None:
            yield ExecutionFinished("invalid", f"There is no job {number!r}. {self._overview()}")
            return
        yield from self._attend(job, wish, context)

    def _attend(
        self, job: Job, wish: dict[str, object], context: ToolContext
    ) -> Iterator[RuntimeEvent]:
        match wish.get("action"):
            case "stop":
                job.stop()
            case "wait":
                _wait(job, wish.get("seconds"), context)
            case "read":
                pass
            case other:
                known = "There are: list, read, wait, stop."
                yield ExecutionFinished("invalid", f"There is no action {other!r}. {known}")
                return
        if job.tail:
            yield OutputDelta(job.tail)
        yield ExecutionFinished("ok", _state(job))

    def _list(self) -> Iterator[RuntimeEvent]:
        yield ExecutionFinished("ok", self._overview())

    def _overview(self) -> str:
        return " ".join(map(_state, self._jobs.all())) or "There are no jobs."


def jobs(parts: ToolParts) -> Tool:
    """The tool of the name, for the toolbox."""
    return JobControl(parts.jobs)


def _wait(job: Job, seconds: object, context: ToolContext) -> None:
    left = float(seconds) if isinstance(seconds, int | float) else 60.0
    left = min(left, LONGEST_WAIT)
    while left > 0 and not context.interrupt.requested and not job.wait(min(left, WAIT_STEP)):
        left -= WAIT_STEP


def _state(job: Job) -> str:
    first = job.code.source.strip().partition("\n")[0][:60]
    if job.running or job.finished is None:
        how = "still runs"
    else:
        how = f"has ended: {job.finished.outcome} {job.finished.summary}".rstrip()
    return f"Job {job.number} ({job.code.language}: {first}) {how}; {job.printed} characters since."


def _arguments(action: Action) -> dict[str, object]:
    try:
        wish = json.loads(action.arguments) if isinstance(action, ActionCall) else {}
    except ValueError:
        return {}
    return wish if isinstance(wish, dict) else {}
