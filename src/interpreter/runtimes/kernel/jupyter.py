"""A language that lives in a Jupyter kernel: Python first, and every kernelspec on the machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from interpreter.protocol.errors import InterpreterError, StartFailed
from interpreter.protocol.events import ExecutionFinished, OutputDelta, RuntimeEvent
from interpreter.protocol.ports import Answerer, Companion, Language, nobody_answers
from interpreter.protocol.system.start_queue import place_to_start
from interpreter.protocol.values import frozen
from interpreter.runtimes.kernel.block import KernelBlock
from interpreter.runtimes.kernel.host import KernelHost
from interpreter.runtimes.kernel.wire import Channels, Connection
from interpreter.runtimes.resident import Resident

MOST_SILENT = 32_000_000  # characters that code of ours may print where nobody sees it


@frozen
class KernelOptions:
    """How patient we are with a kernel."""

    start_seconds: float = 60.0
    interrupt_seconds: float = 5.0
    """How long it may ignore an interrupt before it is ended; a second interrupt ends it."""


PATIENT = KernelOptions()


class JupyterKernel(Resident):
    """One live kernel. It starts with the first block, or earlier by `warm`."""

    def __init__(
        self,
        language: Language,
        host: KernelHost,
        options: KernelOptions = PATIENT,
        companion: Companion | None = None,
    ) -> None:
        super().__init__(language)
        self._companion = companion
        self._host = host
        self._options = options
        self._bell = self._turnstile.bell
        self._starting = threading.RLock()
        self._ending = self._closed = False
        self._connection: Connection | None = None
        self._channels: Channels | None = None
        self._unheard = False  # whether nothing was heard on the channels yet

    def warm(self) -> None:
        """Start the kernel, if it does not run yet."""
        with self._starting:
            if self._channels is None:
                self._start()

    def restart(self) -> None:
        """End the kernel; the next block finds a fresh one."""
        self._ending = True  # whoever is starting it in the background gives up
        self._host.kill()
        with self._turnstile.emptied(), self._starting:
            self._end()
            self._ending = False

    def close(self) -> None:
        """End the kernel and all that it started, for good."""
        self._closed = True
        self.restart()

    def _block(self, source: str, answer: Answerer) -> Iterator[RuntimeEvent]:
        with self._starting:
            channels = self._ready()
        block = KernelBlock(channels, self._host, self._options.interrupt_seconds)
        end: ExecutionFinished | None = None
        try:
            for event in block.run(source, answer, lambda: self._turnstile.interrupts):
                if isinstance(event, ExecutionFinished):
                    end = event
                else:
                    yield event
        finally:
            block.stop()
        if end is not None:
            yield self._revived(end)

    def _revived(self, end: ExecutionFinished) -> ExecutionFinished:
        """After a death a new kernel is started and filled, where somebody kept what was there."""
        if end.outcome != "died" or self._companion is None:
            return end
        try:
            told = self._revive(self._companion)
        except InterpreterError as error:
            told = f"its variables could not be restored: {error}"
        why = end.summary.partition(";")[0]
        return replace(end, summary=f"{why}; a new one has started. {told}") if told else end

    def _revive(self, companion: Companion) -> str:
        """Go on with what was kept: as another process, or in a new kernel; a sentence about it."""
        with self._starting:
            companion.died()
            told = companion.go_on()
            if told:
                return told
            self._start()
        return companion.revive()

    def _follow(self, become: Callable[[str], int]) -> None:
        """Go on with another process: `become` has it listen at an address, and returns its id."""
        connection = self._host.successor()
        self._host.succeeded(become(connection.ip))
        if self._channels is not None:
            self._channels.close()
        self._connection = connection
        self._channels = Channels(connection, self._bell)
        self._unheard = True  # who needs the channels next waits until they are open

    def _run_silently(self, source: str) -> str:
        """Execute source in the idle kernel without a trace; what it printed."""
        assert self._channels is not None, "somebody attached to a kernel that is not there"
        block = KernelBlock(
            self._heard(self._channels), self._host, self._options.interrupt_seconds
        )
        printed: list[str] = []
        room = MOST_SILENT
        for event in block.run(source, nobody_answers, lambda: 0, silent=True):
            if isinstance(event, OutputDelta) and len(event.text) <= room:
                printed.append(event.text)
                room -= len(event.text)
        return "".join(printed)

    def _ready(self) -> Channels:
        if self._channels is not None and not self._host.gone():
            return self._heard(self._channels)
        if self._channels is None or self._companion is None:
            return self._start()
        self._companion.died()  # between two blocks
        if self._companion.go_on():
            return self._heard(self._channels)
        channels = self._start()
        self._companion.revive()
        return channels

    def _start(self) -> Channels:
        with place_to_start():
            return self._started()

    def _started(self) -> Channels:
        connection = self._launched()
        self._channels = Channels(connection, self._bell)
        self._unheard = True
        try:
            self._heard(self._channels)
        except StartFailed:
            self._end()
            raise
        if self._companion is not None:
            self._run_silently(self._companion.bootstrap())
            self._companion.attach(self._run_silently, self._follow)
        return self._channels

    def _launched(self) -> Connection:
        """The connection of a kernel that runs, perhaps only since now."""
        if self._connection is not None and not self._host.gone():
            return self._connection
        if self._closed:
            raise StartFailed(f"The {self.language.name} kernel was closed.")
        self._end()
        self._connection = self._host.start(self._bell.ring)
        return self._connection

    def _heard(self, channels: Channels) -> Channels:
        """Channels on which a kernel has answered: what it says from now on reaches us."""
        if self._unheard:
            self._wait_for_an_answer(channels)
            self._unheard = False
        return channels

    def _wait_for_an_answer(self, channels: Channels) -> None:
        deadline = time.monotonic() + self._options.start_seconds
        asked: set[str] = set()
        replied = heard = False
        while not (replied and heard):
            if not asked or (replied and not heard):
                asked.add(channels.send("shell", "kernel_info_request", {}))
                replied = False
            message = channels.receive(min(1.0, deadline - time.monotonic()))
            if message is not None and message.parent in asked:
                replied = replied or message.channel == "shell"
                heard = heard or message.channel == "iopub"
            self._give_up_if_gone(deadline)

    def _give_up_if_gone(self, deadline: float) -> None:
        self._bell.silence()
        gone = "it was closed" if self._ending else self._host.gone()
        if gone:
            words = self._host.last_words()
            raise StartFailed(f"The {self.language.name} kernel did not start ({gone}): {words}")
        if time.monotonic() >= deadline:
            seconds = self._options.start_seconds
            raise StartFailed(
                f"The {self.language.name} kernel did not answer within {seconds:g} seconds."
            )

    def _end(self) -> None:
        if self._channels is not None:
            self._channels.close()
            self._channels = None
            if self._companion is not None:
                self._companion.died()
        self._connection = None
        self._host.kill()
        self._bell.silence()
