"""Languages that run a file and end: every block is a program of its own."""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.events import Notice, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.runtimes.process.driven_block import DrivenBlock, ended
from interpreter.runtimes.process.leftovers import Leftovers
from interpreter.runtimes.process.pipes import LinePipe, StreamPipe, launched
from interpreter.runtimes.resident import Resident, when_it_ends

_numbers = itertools.count(1)


@frozen
class OneShotProgram:
    """A command that runs a file; `{file}` stands for it, else it comes last."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    interrupt_seconds: float = 5.0

    def argv(self, file: Path) -> list[str]:
        """The command for one file."""
        if any("{file}" in part for part in self.command):
            return [part.replace("{file}", str(file)) for part in self.command]
        return [*self.command, str(file)]


def applescript(launch: Launch, exchange: Path) -> OneShot:
    """The runtime of the language AppleScript."""
    language = Language("applescript", ("osascript",), ".applescript")
    return OneShot(launch, exchange, language, OneShotProgram(("osascript",)))


class OneShot(Resident):
    """Runs each block as a program; nothing but files stays from one to the next."""

    def __init__(
        self, launch: Launch, exchange: Path, language: Language, program: OneShotProgram
    ) -> None:
        super().__init__(language)
        self.leftovers = Leftovers()
        self._launch = launch
        self._directory = exchange / f"o{next(_numbers)}"
        self._program = program
        self._blocks = 0
        self._marks: LinePipe | None = None
        self._processes: list[Process] = []

    def _block(self, source: str, answer: Answerer) -> Iterator[RuntimeEvent]:
        for text in self.leftovers.news():
            yield Notice(text)
        yield from self._run(source)

    def restart(self) -> None:
        """End all that blocks have left running."""
        for process in self._processes:
            process.signal_group(signal.SIGKILL)
        with self._turnstile.emptied():
            self._processes.clear()
            self.leftovers.close()

    def close(self) -> None:
        """End all, and remove our files."""
        self.restart()
        if self._marks is not None:
            self._marks.close()
            self._marks = None
        shutil.rmtree(self._directory, ignore_errors=True)

    def _run(self, source: str) -> Iterator[RuntimeEvent]:
        self._blocks += 1
        safe_files.make_folder(self._directory)
        self._marks = self._marks or LinePipe(self._directory / "marks")
        name = str(self._blocks)
        pipes = (
            StreamPipe(self._directory / f"{name}.out", "stdout"),
            StreamPipe(self._directory / f"{name}.err", "stderr"),
        )
        file = self._directory / f"block{name}{self.language.suffix}"
        handover.write(file, source)
        try:
            process = self._start(file, pipes)
            block = DrivenBlock(
                process, self._marks, self._turnstile, self._program.interrupt_seconds
            )
            try:
                yield from block.run(lambda token: ("", ""), pipes)
            finally:
                block.stop(pipes)
            status = process.wait()
            yield ended(status if status >= 0 else 128 - status, interrupted=block.interrupted)
        finally:
            self.leftovers.take(f"block {name}: {source.strip()[:60]}", pipes)

    def _start(self, file: Path, pipes: tuple[StreamPipe, StreamPipe]) -> Process:
        argv = self._program.argv(file)
        stdin, env = subprocess.DEVNULL, self._program.env
        process = launched(self._launch, argv, pipes, env=env, stdin=stdin)
        when_it_ends(process, self._turnstile.bell.ring)
        self._processes = [*self._processes[-19:], process]
        return process
