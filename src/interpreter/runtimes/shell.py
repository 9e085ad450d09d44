"""A persistent shell: each block is sourced as one unit and ends with a word on a side channel."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from interpreter.protocol.errors import StartFailed
from interpreter.protocol.events import ExecutionFinished, Notice, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Launch, Process, nobody_answers
from interpreter.runtimes.leftovers import Leftovers
from interpreter.runtimes.pipes import Marks, Pipe
from interpreter.runtimes.shell_block import ShellBlock, ended
from interpreter.runtimes.wake import Bell, when_it_ends

INSIDE = Path(__file__).parent.parent / "inside"
ABANDONED_SECONDS = 2.0
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A kind of shell: how it is started, and which of our drivers it understands."""

    language: Language
    argv: tuple[str, ...]
    driver: str


BASH = Dialect(
    Language("shell", ("bash", "sh", "terminal", "console"), ".sh"),
    ("bash", "--noprofile", "--norc", "--noediting", "-i", "+m"),
    "shell_driver.bash",
)
ZSH = Dialect(Language("zsh", (), ".zsh"), ("zsh", "-f", "-i", "+m", "+Z"), "shell_driver.zsh")


@dataclass(frozen=True, slots=True)
class ShellOptions:
    """What the shell finds in its environment, and how long it may ignore an interrupt."""

    env: Mapping[str, str] = field(default_factory=dict)
    interrupt_seconds: float = 5.0


PLAIN = ShellOptions()


def bash(launch: Launch, exchange: Path, options: ShellOptions = PLAIN) -> Shell:
    """The runtime of the language shell."""
    return Shell(launch, exchange, BASH, options)


def zsh(launch: Launch, exchange: Path, options: ShellOptions = PLAIN) -> Shell:
    """The runtime of the language zsh."""
    return Shell(launch, exchange, ZSH, options)


class Shell:
    """One live shell. What it knew survives `exit`: a new process goes on from where it ended."""

    def __init__(
        self, launch: Launch, exchange: Path, dialect: Dialect = BASH, options: ShellOptions = PLAIN
    ) -> None:
        self.language = dialect.language
        self.leftovers = Leftovers()
        self._launch = launch
        self._exchange = exchange
        self._dialect = dialect
        self._options = options
        self._bell = Bell()
        self._busy = threading.Lock()
        self._interrupts = 0
        self._blocks = 0
        self._process: Process | None = None
        self._former: list[Process] = []
        self._directory: Path | None = None
        self._marks: Marks | None = None

    def warm(self) -> None:
        """Start the shell, if it does not run yet."""
        with self._busy:
            self._ready()

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Run a block; its standard input is empty."""
        if not self._busy.acquire(blocking=False):
            yield ExecutionFinished("invalid", f"{self.language.name} still runs an earlier block.")
            return
        try:
            self._interrupts = 0
            yield from self._news_of_earlier_blocks()
            yield from self._run(source.replace("\r\n", "\n"))
        finally:
            self._busy.release()

    def interrupt(self) -> None:
        """Stop the running block and keep the state; asked twice, stop it at any price."""
        self._interrupts += 1
        self._bell.ring()

    def restart(self) -> None:
        """End the shell; the next block finds a fresh one."""
        self._kill()
        was_free = self._busy.acquire(timeout=ABANDONED_SECONDS)
        self._forget()
        if was_free:
            self._busy.release()

    def close(self) -> None:
        """End the shell and all that it started."""
        self.restart()

    def _run(self, source: str) -> Iterator[RuntimeEvent]:
        process, marks, directory = self._ready()
        self._blocks += 1
        block = ShellBlock(process, marks, self._bell, self._options.interrupt_seconds)
        pipes = (
            Pipe(directory / f"{self._blocks}.out", "stdout"),
            Pipe(directory / f"{self._blocks}.err", "stderr"),
        )
        file = directory / f"{self._blocks}{self.language.suffix}"
        file.write_text(source + "\n", errors="replace")
        try:
            yield from block.run(file, pipes, lambda: self._interrupts)
            yield self._end(block)
        finally:
            block.stop(pipes)
            self.leftovers.take(f"block {self._blocks}: {source.strip()[:60]}", pipes)
            file.unlink(missing_ok=True)

    def _end(self, block: ShellBlock) -> ExecutionFinished:
        kept = None if block.finished else self._kept_status()
        if kept is not None:
            return ended(kept, interrupted=False)
        return block.ending()

    def _kept_status(self) -> int | None:
        """The status that the shell itself left with, if it left in good order."""
        state = self._state_file()
        if state is None or not state.exists():
            return None
        with state.open(errors="replace") as lines:
            word = lines.readline().removeprefix("# ").strip()
        return int(word) if word.isdecimal() else None

    def _state_file(self) -> Path | None:
        return None if self._directory is None else self._directory / "state"

    def _news_of_earlier_blocks(self) -> Iterator[RuntimeEvent]:
        for text in self.leftovers.news():
            yield Notice(text)

    def _ready(self) -> tuple[Process, Marks, Path]:
        if self._directory is None or self._marks is None:
            self._directory = self._exchange / f"s{next(_numbers)}"
            self._directory.mkdir(mode=0o700)
            self._marks = Marks(self._directory / "marks")
        if self._process is None or self._process.poll() is not None:
            self._process = self._start(self._directory)
        return self._process, self._marks, self._directory

    def _start(self, directory: Path) -> Process:
        if self._process is not None:
            self._former.append(self._process)  # its background jobs live on in its group
        driver = shutil.copy(INSIDE / self._dialect.driver, directory)
        try:
            process = self._launch(
                self._dialect.argv,
                env={"REPLOOP_DIRECTORY": str(directory), **self._options.env},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise StartFailed(f"{self._dialect.argv[0]} could not be started: {error}") from error
        when_it_ends(process, self._bell.ring)
        assert process.stdin is not None
        process.stdin.write(_first_words(directory, str(driver)))
        process.stdin.flush()
        return process

    def _kill(self) -> None:
        for process in (*self._former, self._process):
            if process is not None:
                process.signal_group(signal.SIGKILL)
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._bell.ring()

    def _forget(self) -> None:
        self.leftovers.close()
        self._former.clear()
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process = None
        if self._marks is not None:
            self._marks.close()
            self._marks = None
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None
        self._bell.silence()


def _first_words(directory: Path, driver: str) -> bytes:
    words = f". '{driver}'\n"
    state = directory / "state"
    if state.exists():
        state.replace(directory / "restored")
        words += f". '{directory / 'restored'}' 2>/dev/null\n"
    return words.encode()
