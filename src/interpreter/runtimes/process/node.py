"""JavaScript and TypeScript on Node: a driver inside, JSON lines between us."""

from __future__ import annotations

import itertools
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.ports import Answerer, Language, Launch, Process
from interpreter.protocol.values import frozen
from interpreter.runtimes import handover
from interpreter.runtimes.process.node_block import NodeBlock, NodePipes
from interpreter.runtimes.process.pipes import launched
from interpreter.runtimes.resident import ResidentProcess, when_it_ends

JAVASCRIPT = Language("javascript", ("js", "node", "nodejs"), ".js")
TYPESCRIPT = Language("typescript", ("ts",), ".ts")
_numbers = itertools.count(1)


@frozen
class NodeOptions:
    """Which Node, its environment, and how long it may ignore an interrupt."""

    node: str = "node"
    env: Mapping[str, str] = field(default_factory=dict)
    interrupt_seconds: float = 5.0


ORDINARY = NodeOptions()


def javascript(launch: Launch, exchange: Path, options: NodeOptions = ORDINARY) -> Node:
    """The runtime of the language JavaScript."""
    return Node(launch, exchange, JAVASCRIPT, options)


def typescript(launch: Launch, exchange: Path, options: NodeOptions = ORDINARY) -> Node:
    """The runtime of the language TypeScript."""
    return Node(launch, exchange, TYPESCRIPT, options)


class Node(ResidentProcess):
    """One live Node process with a global scope that persists."""

    def __init__(
        self, launch: Launch, exchange: Path, language: Language, options: NodeOptions
    ) -> None:
        super().__init__(language)
        self._launch = launch
        self._exchange = exchange
        self._options = options
        self._blocks = 0
        self._process: Process | None = None
        self._pipes: NodePipes | None = None

    def warm(self) -> None:
        """Start Node, if it does not run yet."""
        with self._starting:
            self._ready()

    def _block(self, source: str, answer: Answerer) -> Iterator[RuntimeEvent]:
        with self._starting:
            process, pipes = self._ready()
        self._blocks += 1
        block = NodeBlock(
            self._blocks, process, pipes, self._turnstile, self._options.interrupt_seconds
        )
        try:
            yield from block.run(source)
        finally:
            block.stop()

    def _ready(self) -> tuple[Process, NodePipes]:
        if self._process is None or self._pipes is None or self._process.poll() is not None:
            self._forget()
            self._pipes = NodePipes(self._exchange / f"n{next(_numbers)}")
            self._process = self._start(self._pipes)
        return self._process, self._pipes

    def _start(self, pipes: NodePipes) -> Process:
        driver = handover.copy(INSIDE / "drivers" / "node_driver.js", pipes.directory)
        argv = [self._options.node, str(driver), str(pipes.directory), self.language.name]
        streams, env = (pipes.stdout, pipes.stderr), self._options.env
        process = launched(self._launch, argv, streams, env=env, stdin=subprocess.DEVNULL)
        when_it_ends(process, self._turnstile.bell.ring)
        return process

    def _kill(self) -> None:
        if self._process is not None:
            self._process.signal_group(signal.SIGKILL)
            self._process.kill()
            self._process.wait()

    def _forget(self) -> None:
        self._kill()
        self._process = None
        if self._pipes is not None:
            self._pipes.close()
            self._pipes = None
