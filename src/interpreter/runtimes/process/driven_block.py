"""One block running in a driven process: its output, and its end."""

from __future__ import annotations

import secrets
import selectors
import signal
from collections.abc import Callable, Iterator

from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.ports import Process
from interpreter.runtimes.kernel.host import ending
from interpreter.runtimes.process.pipes import LinePipe, StreamPipe
from interpreter.runtimes.resident import Insistence, Turnstile

Words = Callable[[str], tuple[str, str]]
"""For a block's token: what starts the block, and what makes its end be told again."""

SIGNALS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM)


class DrivenBlock:
    """Hands a block to the process and follows it to its end."""

    def __init__(
        self, process: Process, marks: LinePipe, turnstile: Turnstile, patience: float
    ) -> None:
        self._process = process
        self._marks = marks
        self._turnstile = turnstile
        self._bell = turnstile.bell
        self._insistence = Insistence(patience, self._ask_to_stop, self._end, most=len(SIGNALS))
        self._token = secrets.token_hex(8)
        self._status: int | None = None
        self._started = False
        self._reminder = ""

    @property
    def interrupted(self) -> bool:
        """Whether it was asked to stop."""
        return self._insistence.begun

    @property
    def finished(self) -> bool:
        """Whether the process told that the block has ended."""
        return self._status is not None

    def run(self, words: Words, pipes: tuple[StreamPipe, StreamPipe]) -> Iterator[RuntimeEvent]:
        """Run the block; what it prints comes out as it is printed."""
        with selectors.DefaultSelector() as selector:
            self._listen(selector, pipes)
            order, self._reminder = words(self._token)
            self._started = True
            self._write(order)
            while not self._is_over():
                for key, _ in selector.select(self._insistence.pause()):
                    yield from self._serve(key.fileobj, selector)
                self._mind_interrupts(self._turnstile.interrupts)
            for pipe in pipes:
                yield from pipe.rest()

    def stop(self, pipes: tuple[StreamPipe, StreamPipe]) -> None:
        """Make sure that the block does not go on; what it still prints is dropped."""
        if not self._started or self._is_over():
            return
        with selectors.DefaultSelector() as selector:
            self._listen(selector, pipes)
            while not self._is_over():
                self._mind_interrupts(1)
                for key, _ in selector.select(self._insistence.pause()):
                    list(self._serve(key.fileobj, selector))

    def ending(self) -> ExecutionFinished:
        """How the block ended."""
        if self._status is not None:
            return ended(self._status, interrupted=self.interrupted)
        if self.interrupted:
            why = "It did not obey the interrupt and was ended"
        else:
            why = f"The process ended ({ending(self._process.wait())})"
        return ExecutionFinished(
            "died", f"{why}; its state is gone and the next block starts afresh."
        )

    def _listen(
        self, selector: selectors.BaseSelector, pipes: tuple[StreamPipe, StreamPipe]
    ) -> None:
        for source in (*pipes, self._marks, self._bell):
            if not getattr(source, "ended", False):
                selector.register(source, selectors.EVENT_READ)

    def _serve(self, source: object, selector: selectors.BaseSelector) -> Iterator[RuntimeEvent]:
        if isinstance(source, StreamPipe):
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
        for line in self._marks.read():
            token, _, status = line.decode(errors="replace").partition(" ")
            if token == self._token and status.isdecimal():
                self._status = int(status)

    def _is_over(self) -> bool:
        return self._status is not None or self._process.poll() is not None

    def _mind_interrupts(self, count: int) -> None:
        if not self._is_over():
            self._insistence.mind(count)

    def _ask_to_stop(self, time: int) -> None:
        self._process.signal_group(SIGNALS[time - 1])
        self._write(self._reminder)

    def _end(self) -> None:
        self._process.signal_group(signal.SIGKILL)
        self._process.wait()

    def _write(self, line: str) -> None:
        if not line:
            return
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
