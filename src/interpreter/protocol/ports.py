"""The sockets that rooms plug into; `assembly` is the only one who knows what is plugged in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal, Protocol, runtime_checkable

from interpreter.protocol.actions import Asks, Decision, Verdict
from interpreter.protocol.events import (
    ApprovalRequested,
    FilesChanged,
    InputRequested,
    ModelEvent,
    RuntimeEvent,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Action, ActionCall, Message
from interpreter.protocol.values import frozen

Approver = Callable[[ApprovalRequested], Decision]
"""Asked before an action runs; silence means no."""

Answerer = Callable[[InputRequested], str | None]
"""Asked for a line of input; None means that there is none (end of file)."""


def nobody_approves(request: ApprovalRequested) -> Decision:
    """The approver of those who have nobody to ask: silence means no, and the turn goes on.

    Only code that needs a yes like any other ends it: the next block would need one, too.
    """
    if request.proposed and not request.reason:
        return Decision("stop", "it needs approval and nobody is there to ask")
    return Decision("no", f"{request.reason.rstrip('.?')}, and nobody is there to ask")


def nobody_answers(request: InputRequested) -> str | None:
    """The answerer of those who have nobody to ask."""
    return None


# Models.


@frozen
class Capabilities:
    """What a model can do, as data."""

    tools: bool = True
    images: bool = False
    reasoning: bool = False
    context_window: int = 8_000
    max_output: int | None = None
    local: bool = False
    """Whether it runs on this machine, so that asking it costs nothing."""


@frozen
class ToolSpec:
    """How a tool is described to a model; `parameters` is a JSON schema as text."""

    name: str
    description: str
    parameters: str
    display: tuple[int, int] | None = None
    """The size of the pictures of a tool that uses a screen: some vendors have words of their own
    for such a tool, in which their models were trained."""


@frozen
class Request:
    """One question to a model. `messages` may be a live view: read it, never keep it."""

    system: str
    messages: Sequence[Message]
    tools: tuple[ToolSpec, ...] = ()
    frame: str = ""
    """What the reply has to be, for engines that can hold a model to it: `block` for one block of
    Python, `file` for one that is a whole file, or a JSON schema; nothing where it may be
    anything."""


class Model(Protocol):
    """A language model. `stream` ends with ReplyFinished, or raises a ModelError."""

    name: str
    capabilities: Capabilities

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request; stop soon, without an error, once `interrupt` is requested."""
        ...

    def close(self) -> None:
        """Give back connections and processes."""
        ...


# Runtimes.


@frozen
class Language:
    """A language by name, with the other names people use for it and its files' suffix."""

    name: str
    aliases: tuple[str, ...] = ()
    suffix: str = ""


class Runtime(Protocol):
    """One live REPL. Blocks run one after the other; state stays."""

    language: Language

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Run a block. The last event is ExecutionFinished; closing the iterator stops it."""
        ...

    def interrupt(self) -> None:
        """Stop the running block and keep the state; callable from any thread."""
        ...

    def restart(self) -> None:
        """Start afresh; what the old process held is gone."""
        ...

    def close(self) -> None:
        """End the process and all that it started."""
        ...


@runtime_checkable
class Forethoughtful(Protocol):
    """A runtime that can do something else right before a block, with no way there and back."""

    def before_next(self, source: str) -> Path | None:
        """Run source before the next block, unseen; the file in which it will have printed, or
        None where this language cannot do so after all."""
        ...


Follow = Callable[[Callable[[str], int]], None]


class Companion(Protocol):
    """Somebody who lives beside a kernel and keeps what it holds."""

    def bootstrap(self) -> str:
        """The source that a new kernel runs first."""
        ...

    def attach(self, run: Callable[[str], str], follow: Follow) -> None:
        """The kernel has run it; `run` executes source there, unseen, and returns its output.

        `follow` goes on with another process as the kernel: it is handed a function that has it
        listen at an address and returns its process id.
        """
        ...

    def died(self) -> None:
        """The kernel is gone."""
        ...

    def go_on(self) -> str:
        """Have another process be the kernel, which is gone; a sentence, or nothing if none can."""
        ...

    def revive(self) -> str:
        """Fill the new kernel with what the dead one held; one sentence about it, or nothing."""
        ...


class Runtimes(Protocol):
    """The runtimes of a session, started when first asked for."""

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names; UnknownLanguage tells what exists."""
        ...

    def names(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        ...

    def close(self) -> None:
        """Close every runtime that was started."""
        ...


# Sandboxes.


class Process(Protocol):
    """A running program, shaped like `subprocess.Popen`."""

    pid: int
    returncode: int | None
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, signal: int) -> None: ...
    def kill(self) -> None: ...

    def signal_group(self, signal: int) -> None:
        """Signal the program and all that it started and did not move to a group of its own."""
        ...


class Launch(Protocol):
    """Starts a program in its cell. Streams and `pass_fds` mean what they mean to Popen."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        pass_fds: Sequence[int] = (),
    ) -> Process:
        """Start `argv` in its own process group. `env` adds to the cell's environment."""
        ...


class Cell(Protocol):
    """A confined place that holds all runtimes of one session."""

    workspace: Path
    exchange: Path
    """A private directory that has the same path inside and outside: sockets and hand-overs."""
    protected: tuple[Path, ...]
    """Places of the workspace that the cell cannot write: nothing may be written for it there."""

    @property
    def launch(self) -> Launch:
        """Starts programs in the cell."""
        ...

    def describe(self) -> str:
        """One line for the user and the model: what is confined, and what is not."""
        ...

    def close(self) -> None:
        """End everything inside."""
        ...


class Sandbox(Protocol):
    """A way of confining programs."""

    def open(self, workspace: Path) -> Cell:
        """Make a cell around a workspace; SandboxUnavailable says why it cannot be had."""
        ...


# Decisions.


class CallPolicy(Protocol):
    """Says which functions of the host code may call; the code itself has been judged before."""

    def review_call(self, call: ActionCall, *, asks: Asks) -> Verdict:
        """Judge one call; `asks` says that the function does what the user wants to know of."""
        ...

    def remember_call(self, call: ActionCall, decision: Decision) -> None:
        """Learn from an answer that is wider than this one call."""
        ...


class Policy(CallPolicy, Protocol):
    """Says what may run. Never prompts: an `ask` verdict is carried out by the turn."""

    def review(self, action: Action) -> Verdict:
        """Judge one action."""
        ...

    def remember(self, action: Action, decision: Decision) -> None:
        """Learn from an answer, for those that say "always"."""
        ...

    def allowed(self) -> tuple[str, ...]:
        """The blocks that are no longer asked about in this session, in a line each."""
        ...

    def forget(self) -> None:
        """Ask about all of them again."""
        ...


# Checkpoints.

OnConflict = Literal["refuse", "keep", "overwrite"]
"""What an undo does with files that somebody else changed: raise CheckpointConflict and change
nothing, leave those files as they are, or overwrite them (a redo brings them back)."""


@frozen
class Checkpoint:
    """A state that can be gone back to: the one before a block."""

    name: str
    label: str
    created: float
    undone: bool = False


class Checkpoints(Protocol):
    """Files and variables, kept and restored together."""

    def warnings(self, action: Action) -> tuple[str, ...]:
        """What should be said before a block runs: what it names and could not be undone."""
        ...

    def preview(self, action: Action) -> str:
        """What an action will do to files, as far as that is known before it runs."""
        ...

    def begin(self, action: Action) -> str | None:
        """A block is about to run; the checkpoint's name, or None where nothing is kept."""
        ...

    def end(self) -> FilesChanged | None:
        """The block has ended; what it did to files, where that is known."""
        ...

    def effects(self) -> str:
        """One line about what the last block did: files, bytes, hosts; empty if nothing."""
        ...

    def undo(self, count: int = 1, conflicts: OnConflict = "refuse") -> str:
        """Go back `count` blocks; one line that says what was restored."""
        ...

    def redo(self, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo back; one line that says what was done."""
        ...

    def discard(self) -> str:
        """Undo the last block for good, as after a dry run; one line that says what was done."""
        ...

    def diff(self, name: str, only: Collection[str] = ()) -> str:
        """What a block changed, as text; of these files alone, if any are named."""
        ...

    def list(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, oldest first."""
        ...

    def close(self) -> None:
        """Give back space and processes."""
        ...


# Tools.


@frozen
class ToolContext:
    """What a tool is handed for one run."""

    answer: Answerer
    interrupt: Interrupt
    approve: Approver = nobody_approves


class Tool(Protocol):
    """Something a model can do. Running code is itself a tool."""

    @property
    def spec(self) -> ToolSpec:
        """How it is described to the model."""
        ...

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Do it. The last event is ExecutionFinished; closing the iterator stops the work."""
        ...
