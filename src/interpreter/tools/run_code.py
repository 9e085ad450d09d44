"""Running code, the tool that every model has: follow a block, mind its limits, keep it all.

All that a block printed is in memory while it is short, in a bounded file when it is long.
"""

from __future__ import annotations

import io
import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from interpreter.protocol import safe_files
from interpreter.protocol.errors import UnknownLanguage
from interpreter.protocol.events import (
    ExecutionFinished,
    InputRequested,
    Notice,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Action, Code
from interpreter.protocol.ports import Answerer, Runtimes, Tool, ToolContext, ToolSpec
from interpreter.protocol.values import frozen
from interpreter.tools.jobs import ENDED, LET_GO, Job, Jobs

if TYPE_CHECKING:
    from interpreter.tools.toolbox import ToolParts

IN_MEMORY = 7_000  # less than a model is shown whole
ON_DISK = 64_000_000
FILES_KEPT = 20
_numbers = itertools.count(1)


class Spill:
    """Takes text; once it is too long to be shown whole, there is a file that holds it."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._pieces: list[str] = []
        self._file: IO[str] | None = None
        self.characters = 0
        self.path: Path | None = None

    def add(self, text: str) -> None:
        """Take in the next piece."""
        self.characters += len(text)
        if self._file is not None:
            if self.characters <= ON_DISK:
                self._file.write(text)
        elif self._directory is not None:
            self._pieces.append(text)
            if self.characters > IN_MEMORY:
                self._open(self._directory)

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()

    def summary(self) -> str:
        """One sentence for the model; empty while the output is short."""
        if self.path is None:
            return ""
        cut = f"; the first {ON_DISK} are kept" if self.characters > ON_DISK else ""
        return f"All that was printed ({self.characters} characters{cut}) is in {self.path}."

    def _open(self, directory: Path) -> None:
        path = directory / f"output-{next(_numbers):06d}.txt"
        try:
            safe_files.make_folder(directory)
            _let_go_of_old_files(directory)
            self._file = io.TextIOWrapper(safe_files.create(path), "utf-8", "replace")
        except OSError:  # the disk is full, or code has put something else in its place
            self._directory = None
            return
        self.path = path
        self._file.writelines(self._pieces)
        self._pieces.clear()


def _let_go_of_old_files(directory: Path) -> None:
    names = [name for name in safe_files.names(directory) if fnmatch(name, "output-*.txt")]
    for name in sorted(names)[: -FILES_KEPT + 1]:
        safe_files.remove(directory / name)


TAIL_PIECES = 16


@frozen
class RunLimits:
    """How long and how much. None means without end."""

    seconds: float | None = None
    silent_seconds: float | None = 300.0
    when_over: Literal["background", "stop"] = "background"
    shown_characters: int = 10_000_000
    """What is passed on as it comes; beyond it only the last pieces follow, at the end."""
    output_directory: Callable[[], Path] | None = None
    """Where output too long to be shown whole is kept, at a path that the code can read too."""


ORDINARY = RunLimits()


class RunCode:
    """`execute(language, code)` over the session's runtimes."""

    def __init__(
        self, runtimes: Runtimes, limits: RunLimits = ORDINARY, jobs: Jobs | None = None
    ) -> None:
        self.use(runtimes)
        self.jobs = jobs or Jobs()
        self._limits = limits
        self._current: Job | None = None

    def use(self, runtimes: Runtimes) -> None:
        """Run code in these from now on."""
        self.spec = _spec(runtimes.names())
        self._runtimes = runtimes

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run a block of code."""
        if not isinstance(action, Code):
            yield ExecutionFinished("invalid", "execute takes a block of code.")
            return
        try:
            runtime = self._runtimes.get(action.language)
        except UnknownLanguage as unknown:
            yield ExecutionFinished("invalid", str(unknown))
            return
        busy = self.jobs.occupying(runtime)
        if busy is not None:
            yield ExecutionFinished("invalid", _busy(busy))
            return
        if context.interrupt.requested:
            yield ExecutionFinished("interrupted", "It was stopped before it began.")
            return
        job = self._current = Job(action, runtime)
        with context.interrupt.calls(runtime.interrupt):
            job.begin()
            yield from self._follow(job, context.answer)

    def inject(self, event: RuntimeEvent) -> bool:
        """Let an event come out of the block that runs now; False if there is none."""
        job = self._current
        return job is not None and job.inject(event)

    def background(self) -> bool:
        """Let the block that runs now go on alone; False if there is none. From any thread."""
        job = self._current
        return job is not None and job.let_go()

    def _follow(self, job: Job, answer: Answerer) -> Iterator[RuntimeEvent]:
        directory = self._limits.output_directory
        watch = _Watch(self._limits, Spill(directory() if directory else None))
        try:
            while (event := job.take(watch.patience())) is not ENDED:
                if event is LET_GO:
                    yield from self._leave(job, watch, "The user sent it to the background.")
                    return
                if event is None or isinstance(event, str):
                    yield from self._time_is_up(job, watch)
                    return
                yield from watch.pass_on(event)
                if isinstance(event, InputRequested):
                    job.reply(answer(event))
                    watch.restart()
        finally:
            watch.spill.close()
            if job.running and job.number not in {known.number for known in self.jobs.all()}:
                job.stop()

    def _time_is_up(self, job: Job, watch: _Watch) -> Iterator[RuntimeEvent]:
        if self._limits.when_over == "stop":
            job.stop()
            yield from watch.rest()
            stopped = watch.with_news(f"{watch.why_over()} It was stopped.")
            yield ExecutionFinished("timed_out", stopped)
            return
        yield from self._leave(job, watch, watch.why_over())

    def _leave(self, job: Job, watch: _Watch, why: str) -> Iterator[RuntimeEvent]:
        job.leave()
        self.jobs.add(job)
        yield from watch.rest()
        what = f"It goes on as job {job.number}: read, wait for or stop it with `jobs`."
        yield ExecutionFinished("backgrounded", watch.with_news(f"{why} {what}"))


def execute(parts: ToolParts) -> Tool:
    """The tool of the name, for the toolbox."""
    return parts.execute


@dataclass
class _Watch:
    """What is left of a block's time and of the room for its output."""

    limits: RunLimits
    spill: Spill
    notices: list[str] = field(default_factory=list)
    held: deque[OutputDelta] = field(default_factory=lambda: deque(maxlen=TAIL_PIECES))
    held_back: int = 0

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Start the clocks."""
        self._began = time.monotonic()

    def patience(self) -> float | None:
        """How long to wait for the next event."""
        whole = self.limits.seconds
        left = None if whole is None else max(0.0, self._began + whole - time.monotonic())
        silent = self.limits.silent_seconds
        return min((s for s in (left, silent) if s is not None), default=None)

    def pass_on(self, event: RuntimeEvent) -> Iterator[RuntimeEvent]:
        """The event as it goes on to the caller."""
        if isinstance(event, OutputDelta):
            self.spill.add(event.text)
            if self.spill.characters > self.limits.shown_characters:
                yield from self._hold(event)
                return
        if isinstance(event, Notice):
            self.notices.append(event.text)
        if isinstance(event, ExecutionFinished):
            yield from self.rest()
            event = replace(event, summary=self.with_news(event.summary))
        yield event

    def rest(self) -> Iterator[RuntimeEvent]:
        """The last of what was held back."""
        shown = sum(len(piece.text) for piece in self.held)
        if self.held_back > shown:
            yield Notice(f"{self.held_back - shown} characters are not shown here.")
        yield from self.held
        self.held.clear()

    def why_over(self) -> str:
        """Which of the limits was reached."""
        silent = self.limits.seconds is None or time.monotonic() < self._began + self.limits.seconds
        return "It has been silent for too long." if silent else "Its time is over."

    def _hold(self, event: OutputDelta) -> Iterator[RuntimeEvent]:
        if not self.held_back:
            yield Notice("It prints more than is shown; the end follows when it is done.")
        self.held_back += len(event.text)
        self.held.append(event)

    def with_news(self, summary: str) -> str:
        """A summary, and what the runtime had to say."""
        return " ".join(filter(None, (summary, *self.notices[-5:], self.spill.summary())))


def _busy(job: Job) -> str:
    return (
        f"{job.code.language} is busy with job {job.number}; "
        "read, wait for or stop it with `jobs` first."
    )


def _spec(languages: tuple[str, ...]) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": {
            "language": {"type": "string", "enum": list(languages)},
            "code": {"type": "string"},
        },
        "required": ["language", "code"],
    }
    return ToolSpec("execute", "Run a block of code; variables stay.", json.dumps(parameters))
