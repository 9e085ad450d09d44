"""One block running in a shell: its output, and its end."""

from __future__ import annotations

import secrets
import selectors
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.ports import Process
from interpreter.runtimes.kernel_host import ending
from interpreter.runtimes.pipes import Marks, Pipe
from interpreter.runtimes.wake import Bell

INSISTENCE = ((0.0, signal.SIGINT), (1.0, signal.SIGINT), (2.0, signal.SIGTERM))


class ShellBlock:
    """Hands a file to the shell and follows it to its end."""

    def __init__(self, process: Process, marks: Marks, bell: Bell, patience: float) -> None:
        self._process = process
        self._marks = marks
        self._bell = bell
        self._patience = patience
        self._token = secrets.token_hex(8)
        self._status: int | None = None
        self._started = False
        self._interrupting: float | None = None
        self._insisted = 0

    @property
    def finished(self) -> bool:
        """Whether the shell told that the block has ended."""
        return self._status is not None

    def run(
        self, file: Path, pipes: tuple[Pipe, Pipe], interrupts: Callable[[], int]
    ) -> Iterator[RuntimeEvent]:
        """Run the file; what it prints comes out as it is printed."""
        with selectors.DefaultSelector() as selector:
            for source in (*pipes, self._marks, self._bell):
                selector.register(source, selectors.EVENT_READ)
            self._say(
                f"{{ . '{file}'; __reploop_leave; }} </dev/null "
                f">'{pipes[0].path}' 2>'{pipes[1].path}'\n"
            )
            while not self._is_over():
                for key, _ in selector.select(self._next_step()):
                    yield from self._serve(key.fileobj, selector)
                self._mind_interrupts(interrupts())
            for pipe in pipes:
                yield from _rest_of(pipe)

    def stop(self, pipes: tuple[Pipe, Pipe]) -> None:
        """Make sure that the block does not go on; what it still prints is dropped."""
        with selectors.DefaultSelector() as selector:
            for source in (*pipes, self._marks, self._bell):
                selector.register(source, selectors.EVENT_READ)
            while self._started and not self._is_over():
                self._mind_interrupts(1)
                for key, _ in selector.select(self._next_step()):
                    list(self._serve(key.fileobj, selector))

    def ending(self) -> ExecutionFinished:
        """How the block ended."""
        interrupted = self._interrupting is not None
        if self._status is not None:
            return ended(self._status, interrupted=interrupted)
        if interrupted:
            why = "It did not obey the interrupt and was ended"
        else:
            why = f"The shell ended ({ending(self._process.wait())})"
        return ExecutionFinished(
            "died", f"{why}; its state is gone and the next block starts a new shell."
        )

    def _serve(self, source: object, selector: selectors.BaseSelector) -> Iterator[RuntimeEvent]:
        if isinstance(source, Pipe):
            text = source.read()
            if source.ended:
                selector.unregister(source)
            if text:
                yield OutputDelta(text, source.stream)
        elif source is self._marks:
            self._read_marks()
        else:
            self._bell.silence()

    def _read_marks(self) -> None:
        for words in self._marks.read():
            if len(words) >= 2 and words[0] == self._token and words[1].isdecimal():
                self._status = int(words[1])

    def _is_over(self) -> bool:
        return self._status is not None or self._process.poll() is not None

    def _next_step(self) -> float | None:
        return None if self._interrupting is None else 0.25

    def _mind_interrupts(self, count: int) -> None:
        if count == 0 or self._is_over():
            return
        now = time.monotonic()
        if self._interrupting is None:
            self._interrupting = now
        waited = now - self._interrupting
        if count > 1 or waited > self._patience:
            self._process.signal_group(signal.SIGKILL)
            self._process.wait()
        elif self._insisted < len(INSISTENCE) and waited >= INSISTENCE[self._insisted][0]:
            self._process.signal_group(INSISTENCE[self._insisted][1])
            self._insisted += 1
            self._ask_for_the_end()

    def _say(self, line: str) -> None:
        self._started = True
        self._write(line)
        self._ask_for_the_end()

    def _ask_for_the_end(self) -> None:
        self._write(f"__reploop_done {self._token}\n")

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            self._process.wait()  # it is gone; the loop sees that


def ended(status: int, *, interrupted: bool) -> ExecutionFinished:
    """The end of a block that left with a status."""
    if interrupted:
        return ExecutionFinished("interrupted", "It was stopped.", status)
    if status == 0:
        return ExecutionFinished("ok", exit_code=0)
    return ExecutionFinished("failed", f"exit status {status}", status)


def _rest_of(pipe: Pipe) -> Iterator[RuntimeEvent]:
    while not pipe.ended:
        text = pipe.read()
        if text:
            yield OutputDelta(text, pipe.stream)
        elif not pipe.ended:
            return
