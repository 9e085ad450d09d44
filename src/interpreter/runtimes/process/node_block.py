"""One block running in Node, and the pipes that lead there."""

from __future__ import annotations

import json
import selectors
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.events import (
    DisplayShown,
    ExecutionFinished,
    Notice,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Display, Face
from interpreter.protocol.ports import Process
from interpreter.runtimes.kernel.host import ending
from interpreter.runtimes.process.pipes import LinePipe, StreamPipe, joined
from interpreter.runtimes.resident import Insistence, Turnstile


class NodePipes:
    """The named pipes of one Node process."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        safe_files.make_folder(directory)
        self.events = LinePipe(directory / "events")
        self.blocks = LinePipe(directory / "blocks")
        self.interrupts = LinePipe(directory / "interrupts")
        self.stdout = StreamPipe(directory / "stdout", "stdout")
        self.stderr = StreamPipe(directory / "stderr", "stderr")

    def close(self) -> None:
        """Close and remove all."""
        for pipe in (self.events, self.blocks, self.interrupts, self.stdout, self.stderr):
            pipe.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class NodeBlock:
    """Sends a block and follows it to its end."""

    def __init__(
        self,
        number: int,
        process: Process,
        pipes: NodePipes,
        turnstile: Turnstile,
        patience: float,
    ) -> None:
        self._number = number
        self._process = process
        self._pipes = pipes
        self._turnstile = turnstile
        self._insistence = Insistence(patience, self._ask_to_stop, self._kill, most=1)
        self._end: dict[str, Any] | None = None
        self._sent = False
        self._settled = True
        self._broken = False

    def run(self, source: str) -> Iterator[RuntimeEvent]:
        """Run the block to its end."""
        with selectors.DefaultSelector() as selector:
            self._listen(selector)
            self._send(source)
            while not self._is_over():
                for key, _ in selector.select(self._insistence.pause()):
                    yield from self._serve(key.fileobj, selector)
                self._mind_interrupts(self._turnstile.interrupts)
            for pipe in (self._pipes.stdout, self._pipes.stderr):
                yield from pipe.rest()
        yield from self._ending()

    def stop(self) -> None:
        """Make sure that the block does not go on; what it still prints is dropped."""
        if not self._sent or self._is_over():
            return
        with selectors.DefaultSelector() as selector:
            self._listen(selector)
            while not self._is_over():
                self._mind_interrupts(1)
                for key, _ in selector.select(self._insistence.pause()):
                    list(self._serve(key.fileobj, selector))

    def _listen(self, selector: selectors.BaseSelector) -> None:
        pipes = self._pipes
        for source in (pipes.events, pipes.stdout, pipes.stderr, self._turnstile.bell):
            if not getattr(source, "ended", False):
                selector.register(source, selectors.EVENT_READ)

    def _send(self, source: str) -> None:
        self._sent = True
        line = json.dumps({"block": self._number, "code": source}).encode() + b"\n"
        while line and self._process.poll() is None:
            line = line[self._pipes.blocks.write(line) :]

    def _serve(self, source: object, selector: selectors.BaseSelector) -> Iterator[RuntimeEvent]:
        if isinstance(source, StreamPipe):
            text = source.read()
            if source.ended:
                selector.unregister(source)
            if text:
                yield OutputDelta(text, source.stream)
        elif source is self._pipes.events:
            lines = self._pipes.events.read()
            yield from joined(event for line in lines for event in self._take(line))
        else:
            self._turnstile.bell.silence()

    def _take(self, line: bytes) -> Iterator[RuntimeEvent]:
        event = _parsed(line)
        kind, text = event.get("kind"), event.get("text")
        if kind == "end" and event.get("block") == self._number:
            self._end = event
        elif kind == "broken" and event.get("block") == self._number:
            self._broken = True
            self._kill()
        elif kind == "settled" and event.get("block") == self._number:
            self._settled = True
        elif kind in ("stdout", "stderr") and isinstance(text, str):
            if event.get("block") == self._number:
                yield OutputDelta(text, "stderr" if kind == "stderr" else "stdout")
            else:
                yield Notice(f"An earlier block still prints: {text[:4000]}")

    def _is_over(self) -> bool:
        ended = self._end is not None and self._settled
        return ended or self._process.poll() is not None

    def _mind_interrupts(self, count: int) -> None:
        if not self._is_over():
            self._insistence.mind(count)

    def _ask_to_stop(self, time: int) -> None:
        self._settled = False  # not before Node says so does the interrupt stop striking
        self._pipes.interrupts.write(b"%d\n" % self._number)

    def _kill(self) -> None:
        self._end = None
        self._process.signal_group(signal.SIGKILL)
        self._process.wait()

    def _ending(self) -> Iterator[RuntimeEvent]:
        end = self._end
        if end is None:
            yield self._lost()
            return
        value, error = end.get("value"), end.get("error")
        if isinstance(value, str):
            yield DisplayShown(Display((Face("text/plain", value),)))
        if isinstance(error, str):
            yield OutputDelta(f"Uncaught {error}\n", "stderr")
        outcome = end.get("outcome")
        if outcome == "failed" and self._insistence.begun:
            outcome = "interrupted"
        yield _finished(outcome, error, end.get("status"))

    def _lost(self) -> ExecutionFinished:
        if self._broken:
            why = "The block used a descriptor that is Node's own, so Node was ended"
        elif self._insistence.begun:
            why = "It did not obey the interrupt and was ended"
        else:
            why = f"Node ended ({ending(self._process.wait())})"
        return ExecutionFinished(
            "died", f"{why}; its variables are gone and the next block starts afresh."
        )


def _finished(outcome: object, error: object, status: object) -> ExecutionFinished:
    if outcome == "ok":
        return ExecutionFinished("ok")
    if outcome == "interrupted":
        return ExecutionFinished("interrupted", "It was stopped.")
    if outcome == "exit":
        code = status if isinstance(status, int) else 1
        if code == 0:
            return ExecutionFinished("ok", exit_code=0)
        return ExecutionFinished("failed", f"exit status {code}", code)
    summary = error.partition("\n")[0] if isinstance(error, str) else "it failed"
    return ExecutionFinished("failed", summary)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
