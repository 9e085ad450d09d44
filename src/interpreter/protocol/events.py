"""What is happening now: the one stream that comes out of a turn."""

from __future__ import annotations

from typing import Literal

from interpreter.protocol.actions import Decision, Finding
from interpreter.protocol.messages import Action, ActionCall, Display, Message, Outcome, Stream
from interpreter.protocol.values import frozen

ReplyEnd = Literal["stop", "length", "actions", "filtered"]
TurnEnd = Literal[
    "answered",  # the model has nothing more to run
    "declined",  # the user said no
    "interrupted",  # the user stopped it
    "out_of_steps",  # the limit of steps is reached
    "out_of_budget",  # the limit of money, tokens or time is reached
    "stuck",  # the model goes round in circles, or says nothing
    "failed",  # the model could not be reached or understood
]
FileChangeKind = Literal["added", "modified", "deleted", "renamed"]
NoticeLevel = Literal["info", "warning", "error"]
STILL_RUNS = "still runs an earlier block."
"""What a runtime says, behind its name, that takes no other block yet."""


@frozen
class Usage:
    """What one request cost. `cached` is the part of `input` that was read from a cache."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    dollars: float | None = None


# From the model.


@frozen
class TextDelta:
    """The next piece of prose."""

    text: str


@frozen
class ReasoningDelta:
    """The next piece of thought; `signature` comes with the last piece where a provider has one."""

    text: str
    signature: str = ""


@frozen
class CodeDelta:
    """The next piece of a block being written; ActionProposed follows with all of it."""

    language: str
    text: str
    call_id: str = ""


@frozen
class ActionProposed:
    """A whole action: a block of code, a tool call, or a call that cannot be understood."""

    action: Action


@frozen
class ModelRetrying:
    """The model did not answer; the request is sent again in `seconds`."""

    reason: str
    seconds: float
    attempt: int


@frozen
class ReplyFinished:
    """The model has stopped talking."""

    end: ReplyEnd
    usage: Usage | None = None


# From a runtime, through the tool that drives it.


@frozen
class OutputDelta:
    """Text that a block printed, in the order it was printed."""

    text: str
    stream: Stream = "stdout"


@frozen
class ModelTold:
    """A sentence for the model, beside what a block printed; the user has been told already."""

    text: str


@frozen
class DisplayShown:
    """A rich result; `updates` says that it replaces the earlier one with the same display id."""

    display: Display
    updates: bool = False


@frozen
class OutputCleared:
    """The block asked for its output to be wiped; with `wait`, only when something new arrives."""

    wait: bool = False


@frozen
class ActiveLine:
    """The line of the block that is running now, from 1; None when it has ended."""

    line: int | None


@frozen
class InputRequested:
    """The block waits for a line of input; the caller's `answer` function is asked next."""

    prompt: str
    hidden: bool = False


@frozen
class ExecutionFinished:
    """A block ended. Failure of the user's code is news, not an exception."""

    outcome: Outcome
    summary: str = ""
    exit_code: int | None = None


@frozen
class ApprovalRequested:
    """The user is asked whether this may be done; `approve` is called next.

    It comes before an action runs, and from a block that wants more than its walls allow.
    """

    action: Action
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    offers_scan: bool = False
    proposed: bool = False
    """Whether it is about an action that has not run: only that stays to be answered later."""
    preview: str = ""
    """What it will do to files, as far as that is known."""


@frozen
class HostCallProposed:
    """Code in the cell wants a function of the host to be called."""

    call: ActionCall


@frozen
class HostCallRuled:
    """Whether it may be: what a policy ruled, or the user answered."""

    call: ActionCall
    decision: Decision


@frozen
class HostCallFinished:
    """A call that was allowed has ended; `summary` says why it failed, if it did."""

    call: ActionCall
    outcome: Outcome
    seconds: float
    summary: str = ""


# From the turn itself.


@frozen
class Decided:
    """What was answered, or what a rule ruled without asking."""

    action: Action
    decision: Decision


@frozen
class ActionStarted:
    """An action begins to run."""

    action: Action


@frozen
class CheckpointTaken:
    """The state before a block can be restored under this name."""

    checkpoint: str


@frozen
class CheckpointDiscarded:
    """The last block is undone for good, and its checkpoint is gone: it was a dry run, or an
    attempt that did not succeed."""

    told: str
    checkpoint: str


@frozen
class FileChange:
    """What a block did to one file."""

    path: str
    kind: FileChangeKind
    size: int | None = None
    renamed_from: str = ""


@frozen
class FilesChanged:
    """What a block did to the disk; `notes` says what of it could not be kept."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()


@frozen
class Notice:
    """One plain sentence that the user should see."""

    text: str
    level: NoticeLevel = "info"


@frozen
class MessageFinished:
    """A message is complete, stored, and part of the transcript."""

    message: Message


@frozen
class TurnFinished:
    """The turn is over, and why."""

    end: TurnEnd
    detail: str = ""


ModelEvent = TextDelta | ReasoningDelta | CodeDelta | ActionProposed | ModelRetrying | ReplyFinished
RuntimeEvent = (
    OutputDelta
    | ModelTold
    | DisplayShown
    | OutputCleared
    | ActiveLine
    | InputRequested
    | ApprovalRequested
    | HostCallProposed
    | HostCallRuled
    | HostCallFinished
    | Notice
    | ExecutionFinished
)
TurnEvent = (
    Decided
    | ActionStarted
    | CheckpointTaken
    | CheckpointDiscarded
    | FilesChanged
    | MessageFinished
    | TurnFinished
)
Event = ModelEvent | RuntimeEvent | TurnEvent
"""Whoever takes in all of them ends in `assert_never`, so that a new one is not forgotten."""
