"""Any REPL that reads standard input: blocks end with a sentinel it prints, or with its prompt."""

from __future__ import annotations

import itertools
import secrets
import selectors
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes.kernel.host import ending
from interpreter.runtimes.process.pipes import StreamPipe, launched
from interpreter.runtimes.resident import (
    Insistence,
    ResidentProcess,
    Turnstile,
    close_stdin,
    when_it_ends,
)

_numbers = itertools.count(1)


@frozen
class Repl:
    """A command that starts a REPL, and how the end of a block is known.

    `sentinel` is a statement that prints `{token}`; `prompt` is what the REPL shows when it waits.
    """

    command: tuple[str, ...]
    sentinel: str = ""
    prompt: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    interrupt_seconds: float = 5.0


class ProcessRepl(ResidentProcess):
    """One live REPL, told what to do on its standard input."""

    def __init__(self, launch: Launch, exchange: Path, language: Language, repl: Repl) -> None:
        super().__init__(language)
        self._launch = launch
        self._directory = exchange / f"p{next(_numbers)}"
        self._repl = repl
        self._process: Process | None = None
        self._pipes: tuple[StreamPipe, StreamPipe] | None = None
        self._greeted = False
        self._prefix = secrets.token_hex(8)

    def _block(self, source: str, answer: Answerer) -> Iterator[RuntimeEvent]:
        block: _ReplBlock | None = None
        try:
            process, pipes = self._ready()
            block = _ReplBlock(process, pipes, self._turnstile, self._repl, self._prefix)
            yield from block.run(source, greeted=self._greeted)
            self._greeted = True
        finally:
            if block is not None and not block.over:
                self._kill()

    def _ready(self) -> tuple[Process, tuple[StreamPipe, StreamPipe]]:
        if self._process is None or self._pipes is None or self._process.poll() is not None:
            self._forget()
            safe_files.make_folder(self._directory)
            self._pipes = (
                StreamPipe(self._directory / "out", "stdout"),
                StreamPipe(self._directory / "err", "stderr"),
            )
            self._process = self._start(self._pipes)
            self._greeted = False
        return self._process, self._pipes

    def _start(self, pipes: tuple[StreamPipe, StreamPipe]) -> Process:
        repl = self._repl
        process = launched(self._launch, repl.command, pipes, env=repl.env, stdin=subprocess.PIPE)
        when_it_ends(process, self._turnstile.bell.ring)
        return process

    def _kill(self) -> None:
        if self._process is not None:
            self._process.signal_group(signal.SIGKILL)
            self._process.kill()
            self._process.wait()

    def _forget(self) -> None:
        self._kill()
        if self._process is not None:
            close_stdin(self._process)
            self._process = None
        for pipe in self._pipes or ():
            pipe.close()
        self._pipes = None
        shutil.rmtree(self._directory, ignore_errors=True)


class _ReplBlock:
    """One block: sent, and followed until its end is seen in what the REPL prints."""

    def __init__(
        self,
        process: Process,
        pipes: tuple[StreamPipe, StreamPipe],
        turnstile: Turnstile,
        repl: Repl,
        prefix: str,
    ) -> None:
        self._process = process
        self._pipes = pipes
        self._turnstile = turnstile
        self._repl = repl
        self._prefix = prefix  # lines with it are ours, whichever block they were meant for
        self._token = f"{prefix}{secrets.token_hex(4)}"
        self._sentinel = repl.sentinel.replace("{token}", self._token)
        self._held = ""
        self._prompts = 0
        self._insistence = Insistence(repl.interrupt_seconds, self._ask_to_stop, self._kill)
        self.over = False

    def run(self, source: str, *, greeted: bool) -> Iterator[RuntimeEvent]:
        self._send(source)
        self._prompts += not greeted  # one for each line that we sent, and the first of all
        with selectors.DefaultSelector() as selector:
            for pipe in (*self._pipes, self._turnstile.bell):
                selector.register(pipe, selectors.EVENT_READ)
            while not self.over and self._process.poll() is None:
                for key, _ in selector.select(self._insistence.pause()):
                    yield from self._serve(key.fileobj, selector)
                self._mind_interrupts()
        for pipe in self._pipes:
            yield from pipe.rest()
        yield self._end()

    def _send(self, source: str) -> None:
        text = source.rstrip("\n") + "\n"
        self._prompts = text.count("\n")
        self._write(text + (f"{self._sentinel}\n" if self._sentinel else ""))

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            self._process.wait()

    def _serve(self, source: object, selector: selectors.BaseSelector) -> Iterator[RuntimeEvent]:
        if not isinstance(source, StreamPipe):
            self._turnstile.bell.silence()
            return
        text = source.read()
        if source.ended:
            selector.unregister(source)
        text = self._without_the_end(text) if source is self._pipes[0] else text
        if text:
            yield OutputDelta(text, source.stream)

    def _without_the_end(self, text: str) -> str:
        """What may be shown; a last line that could become the sentinel waits for more."""
        self._held += text
        shown, self._held = (self._by_sentinel if self._repl.sentinel else self._by_prompt)()
        return shown

    def _by_sentinel(self) -> tuple[str, str]:
        *lines, rest = self._held.split("\n")
        kept = []
        for line in lines:
            if self._prefix not in line:
                kept.append(line)
            elif self._token in line and self._sentinel.strip() not in line:  # no mere echo
                self.over = True
        return "".join(f"{line}\n" for line in kept), rest

    def _by_prompt(self) -> tuple[str, str]:
        prompt = self._repl.prompt
        self._prompts -= self._held.count(prompt)
        shown = self._held.replace(prompt, "")
        self.over = self._prompts <= 0
        for size in range(min(len(prompt) - 1, len(shown)), 0, -1):
            if shown.endswith(prompt[:size]):
                return shown[:-size], shown[-size:]
        return shown, ""

    def _mind_interrupts(self) -> None:
        if not self.over:
            self._insistence.mind(self._turnstile.interrupts)

    def _ask_to_stop(self, time: int) -> None:
        self._process.signal_group(signal.SIGINT)
        if self._sentinel:
            self._write(f"{self._sentinel}\n")  # the first may have gone with the block

    def _kill(self) -> None:
        self._process.signal_group(signal.SIGKILL)
        self._process.wait()

    def _end(self) -> ExecutionFinished:
        if self.over:
            return ExecutionFinished("interrupted" if self._insistence.begun else "ok")
        self.over = True
        how = ending(self._process.wait())
        return ExecutionFinished(
            "died",
            f"The process ended ({how}); its state is gone and the next block starts afresh.",
        )
