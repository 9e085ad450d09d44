"""A language whose interpreter is driven by a small script of ours, with a side channel."""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import StartFailed
from interpreter.protocol.events import ExecutionFinished, Notice, RuntimeEvent
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.ports import Answerer, Language, Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.runtimes.process.driven_block import DrivenBlock, Words, ended
from interpreter.runtimes.process.leftovers import Leftovers
from interpreter.runtimes.process.pipes import LinePipe, StreamPipe
from interpreter.runtimes.resident import ResidentProcess, close_stdin, when_it_ends

_numbers = itertools.count(1)


@frozen
class Dialect:
    """A kind of interpreter: how it is started and spoken to.

    The texts may name `{driver}`, `{directory}`, `{file}`, `{out}`, `{err}` and `{token}`.
    """

    language: Language
    argv: tuple[str, ...]
    driver: str
    """One of our files in `inside/drivers/`, copied to where the cell can read it."""
    greeting: str = ""
    """What it is told first."""
    order: str = "{file}\t{out}\t{err}\t{token}\n"
    """What makes it run a block and tell its end."""
    reminder: str = ""
    """What makes it tell the end of a block once more."""
    foreword: str = ""
    """What makes it run `{file}` before a block, unseen, and print to `{told}`; empty: nothing."""
    redirects: bool = True
    """Whether each block has streams of its own, or the process keeps the same ones."""


@frozen
class DrivenOptions:
    """What the process finds in its environment, and how long it may ignore an interrupt."""

    env: Mapping[str, str] = field(default_factory=dict)
    interrupt_seconds: float = 5.0


PLAIN = DrivenOptions()


class DrivenProcess(ResidentProcess):
    """One live interpreter. A block's end is told on a pipe of its own, never in its output."""

    def __init__(
        self, launch: Launch, exchange: Path, dialect: Dialect, options: DrivenOptions = PLAIN
    ) -> None:
        super().__init__(dialect.language)
        self.leftovers = Leftovers()
        self._launch = launch
        self._exchange = exchange
        self._dialect = dialect
        self._options = options
        self._blocks = 0
        self._process: Process | None = None
        self._former: list[Process] = []
        self._directory: Path | None = None
        self._marks: LinePipe | None = None
        self._streams: tuple[StreamPipe, StreamPipe] | None = None
        self._foreword: tuple[str, Path] | None = None
        self._foreword_file = ("", Path())

    def before_next(self, source: str) -> Path | None:
        """Run source before the next block, unseen; the file in which it will have printed."""
        if not self._dialect.foreword:
            return None
        told = self._exchange / f"told-{next(_numbers)}"
        self._foreword = (source, told)
        return told

    def warm(self) -> None:
        """Start it, if it does not run yet."""
        with self._starting:
            self._ready()

    def _block(self, source: str, answer: Answerer) -> Iterator[RuntimeEvent]:
        yield from self._news_of_earlier_blocks()
        yield from self._run(source.replace("\r\n", "\n"))

    def _run(self, source: str) -> Iterator[RuntimeEvent]:
        with self._starting:
            process, marks, directory = self._ready()
        self._blocks += 1
        block = DrivenBlock(process, marks, self._turnstile, self._options.interrupt_seconds)
        pipes = self._streams or self._open_streams(directory, str(self._blocks))
        file = directory / f"{self._blocks}{self.language.suffix}"
        handover.write(file, source + "\n")
        foreword = self._begin_with(directory)
        try:
            yield from block.run(self._words(file, pipes, foreword), pipes)
            yield self._end(block)
        finally:
            block.stop(pipes)
            if not self._streams:
                self.leftovers.take(f"block {self._blocks}: {source.strip()[:60]}", pipes)
            safe_files.remove(file)

    def _words(self, file: Path, pipes: tuple[StreamPipe, StreamPipe], foreword: str) -> Words:
        def fill(text: str, token: str) -> str:
            return text.format(file=file, out=pipes[0].path, err=pipes[1].path, token=token)

        dialect = self._dialect
        return lambda token: (foreword + fill(dialect.order, token), fill(dialect.reminder, token))

    def _begin_with(self, directory: Path) -> str:
        """What is said before the order of a block, where something is to run before it."""
        if self._foreword is None:
            return ""
        (source, told), self._foreword = self._foreword, None
        file = directory / f"foreword{self.language.suffix}"
        if self._foreword_file != (source, file):  # it is nearly always the same
            handover.write(file, source)
            self._foreword_file = (source, file)
        return self._dialect.foreword.format(file=file, told=told)

    def _end(self, block: DrivenBlock) -> ExecutionFinished:
        kept = None if block.finished else self._kept_status()
        if kept is not None:
            return ended(kept, interrupted=False)
        return block.ending()

    def _kept_status(self) -> int | None:
        """The status that the shell itself left with, if it left in good order."""
        state = self._state_file()
        if state is None:
            return None
        try:
            first = safe_files.read_start(state, 100).decode(errors="replace").partition("\n")[0]
        except OSError:  # it left none, or code has put something else there
            return None
        word = first.removeprefix("# ").strip()
        return int(word) if word.isdecimal() else None

    def _state_file(self) -> Path | None:
        return None if self._directory is None else self._directory / "state"

    def _news_of_earlier_blocks(self) -> Iterator[RuntimeEvent]:
        for text in self.leftovers.news():
            yield Notice(text)

    def _ready(self) -> tuple[Process, LinePipe, Path]:
        if self._directory is None or self._marks is None:
            self._directory = self._exchange / f"s{next(_numbers)}"
            safe_files.make_folder(self._directory)
            self._marks = LinePipe(self._directory / "marks")
        if self._process is None or self._process.poll() is not None:
            self._process = self._start(self._directory)
        return self._process, self._marks, self._directory

    def _start(self, directory: Path) -> Process:
        if self._process is not None:
            close_stdin(self._process)
            self._former.append(self._process)  # its background jobs live on in its group
        driver = handover.copy(INSIDE / "drivers" / self._dialect.driver, directory)
        self._renew_streams(directory)
        out, err = self._streams or (None, None)
        argv = [part.format(driver=driver, directory=directory) for part in self._dialect.argv]
        try:
            process = self._launch(
                argv,
                env={"REPLOOP_DIRECTORY": str(directory), **self._options.env},
                stdin=subprocess.PIPE,
                stdout=out.writer() if out else subprocess.DEVNULL,
                stderr=err.writer() if err else subprocess.DEVNULL,
            )
        except OSError as error:
            raise StartFailed(f"{argv[0]} could not be started: {error}") from error
        finally:
            for pipe in self._streams or ():
                pipe.close_writer()
        when_it_ends(process, self._turnstile.bell.ring)
        self._greet(process, directory, str(driver))
        return process

    def _greet(self, process: Process, directory: Path, driver: str) -> None:
        words = self._dialect.greeting.format(driver=driver)
        state = directory / "state"
        if safe_files.is_file(state):
            safe_files.move(state, "restored")
            words += f". '{directory / 'restored'}' 2>/dev/null\n"
        if words:
            assert process.stdin is not None
            process.stdin.write(words.encode())
            process.stdin.flush()

    def _renew_streams(self, directory: Path) -> None:
        for pipe in self._streams or ():
            pipe.close()
        redirects = self._dialect.redirects
        self._streams = None if redirects else self._open_streams(directory, "all")

    def _open_streams(self, directory: Path, name: str) -> tuple[StreamPipe, StreamPipe]:
        out = StreamPipe(directory / f"{name}.out", "stdout")
        return out, StreamPipe(directory / f"{name}.err", "stderr")

    def _kill(self) -> None:
        for process in (*self._former, self._process):
            if process is not None:
                process.signal_group(signal.SIGKILL)
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _forget(self) -> None:
        self.leftovers.close()
        self._former.clear()
        if self._process is not None:
            close_stdin(self._process)
            self._process = None
        if self._marks is not None:
            self._marks.close()
            self._marks = None
        for pipe in self._streams or ():
            pipe.close()
        self._streams = None
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None
