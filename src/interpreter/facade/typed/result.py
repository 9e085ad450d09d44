"""What came of a question: the answer, the blocks that ran, files, pictures and the cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from interpreter.protocol import events as ev
from interpreter.protocol.messages import Code, Display, Face, Message, Outcome
from interpreter.protocol.values import frozen
from interpreter.session.budget import Spent

OUTPUT_KEPT = 1_000_000  # characters of a block's output in a result; the end is what is kept


@frozen
class Block:
    """A block of code that ran, and what it did."""

    language: str
    source: str
    output: str = ""
    outcome: Outcome = "ok"
    summary: str = ""
    displays: tuple[Display, ...] = ()
    files: tuple[ev.FileChange, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it ran to its end."""
        return self.outcome == "ok"

    @property
    def text(self) -> str:
        """What it printed, and the text of what it showed."""
        return self.output + "".join(display.text for display in self.displays)

    @property
    def images(self) -> tuple[Face, ...]:
        """The pictures it showed."""
        return tuple(display.image for display in self.displays if display.image)


@frozen
class Result:
    """What came of a question."""

    text: str
    blocks: tuple[Block, ...]
    end: ev.TurnEnd
    detail: str
    cost: Spent
    messages: tuple[Message, ...]
    bring: Callable[[str], Any] = field(repr=False)

    @property
    def files(self) -> tuple[ev.FileChange, ...]:
        """What the blocks did to files."""
        return tuple(change for block in self.blocks for change in block.files)

    @property
    def images(self) -> tuple[Face, ...]:
        """The pictures the blocks showed."""
        return tuple(image for block in self.blocks for image in block.images)

    def value(self, name: str) -> Any:
        """A variable as it is now, brought over as data."""
        return self.bring(name)

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


class Collector:
    """Puts a result together while the events of a turn pass by."""

    def __init__(self) -> None:
        self._blocks: list[BlockCollector] = []
        self._messages: list[Message] = []
        self._cost = Spent()
        self._end = ev.TurnFinished("interrupted")

    def add(self, event: ev.Event) -> None:
        """Take in one event."""
        match event:
            case ev.ActionStarted(Code() as code):
                self._blocks.append(BlockCollector(code))
            case ev.MessageFinished(message):
                self._messages.append(message)
            case ev.ReplyFinished(_, usage):
                self._cost = self._cost.plus(usage) if usage is not None else self._cost
            case ev.TurnFinished():
                self._end = event
            case (
                ev.TextDelta()
                | ev.ReasoningDelta()
                | ev.CodeDelta()
                | ev.ActionProposed()
                | ev.ModelRetrying()
            ):
                pass
            case _:
                for block in self._blocks[-1:]:
                    block.add(event)

    def result(self, bring: Callable[[str], Any]) -> Result:
        """What came of it."""
        said = (message.text for message in reversed(self._messages) if message.role == "assistant")
        return Result(
            text=next((text for text in said if text), ""),
            blocks=tuple(block.block() for block in self._blocks),
            end=self._end.end,
            detail=self._end.detail,
            cost=self._cost,
            messages=tuple(self._messages),
            bring=bring,
        )


class BlockCollector:
    """Puts one block together."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._output: list[str] = []
        self._displays: list[Display] = []
        self._files: tuple[ev.FileChange, ...] = ()
        self._finished = ev.ExecutionFinished("interrupted")

    def add(self, event: ev.RuntimeEvent | ev.TurnEvent) -> None:
        """Take in one event of the block."""
        match event:
            case ev.OutputDelta(text):
                self._output.append(text)
            case ev.DisplayShown(display):
                self._displays.append(display)
            case ev.FilesChanged(changes):
                self._files = changes
            case ev.ExecutionFinished():
                self._finished = event
            case (
                ev.ModelTold()
                | ev.OutputCleared()
                | ev.ActiveLine()
                | ev.InputRequested()
                | ev.Notice()
            ):
                pass
            case (
                ev.ApprovalRequested()
                | ev.HostCallProposed()
                | ev.HostCallRuled()
                | ev.HostCallFinished()
            ):
                pass
            case _:
                _passed_over(event)

    def block(self) -> Block:
        """The block."""
        return Block(
            self._code.language,
            self._code.source,
            "".join(self._output)[-OUTPUT_KEPT:],
            self._finished.outcome,
            self._finished.summary,
            tuple(self._displays),
            self._files,
        )


def _passed_over(
    event: ev.Decided
    | ev.ActionStarted
    | ev.CheckpointTaken
    | ev.CheckpointDiscarded
    | ev.MessageFinished
    | ev.TurnFinished,
) -> None:
    """What says nothing about a block."""
