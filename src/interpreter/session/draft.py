"""A message while it is being made, so that whatever ends it early, what was streamed is kept."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from interpreter.protocol import events as ev
from interpreter.protocol.calls import CallLines
from interpreter.protocol.messages import (
    Code,
    Completion,
    Display,
    Message,
    Output,
    Part,
    Reasoning,
    Role,
    Stream,
    Text,
)

OUTPUT_KEPT = 64_000  # characters of a block's output that a message keeps, half head, half tail
PIECES_KEPT = 4_000  # alternating streams make many small pieces; their number is bounded too
DISPLAYS_KEPT = 50


class Draft:
    """Collects the events of one message."""

    def __init__(self, role: Role) -> None:
        self._role: Role = role
        self._parts: list[Part] = []
        self._prose: list[str] = []
        self._thought: list[str] = []
        self._code: list[str] = []
        self._language = ""
        self._output = _Output()

    def add(self, event: ev.ModelEvent | ev.RuntimeEvent) -> None:
        """Take in one event; those that belong to no message are passed over."""
        match event:
            case ev.TextDelta(text):
                self._flush(except_prose=True)
                self._prose.append(text)
            case ev.ReasoningDelta(text, signature):
                self._think(text, signature)
            case ev.CodeDelta(language, text):
                self._flush(except_code=True)
                self._language = language
                self._code.append(text)
            case ev.ActionProposed(action):
                self._code.clear()
                self.put(action)
            case ev.ModelRetrying():  # half a block of a lost stream must never become an action
                self._code.clear()
            case ev.ReplyFinished():
                pass
            case _:
                self._output.add(event)

    def put(self, part: Part) -> None:
        """Add a whole part."""
        self._flush()
        self._parts.append(part)

    def message(self, completion: Completion = "complete") -> Message | None:
        """What has come together, or None when there is nothing."""
        self._flush()
        if not self._parts:
            return None
        return Message(self._role, tuple(self._parts), completion)

    def _think(self, text: str, signature: str) -> None:
        self._thought.append(text)
        if signature:
            self._parts.append(Reasoning("".join(self._thought), signature))
            self._thought.clear()

    def _flush(self, *, except_prose: bool = False, except_code: bool = False) -> None:
        if self._thought:
            self._parts.append(Reasoning("".join(self._thought)))
            self._thought.clear()
        if self._prose and not except_prose:
            self._parts.append(Text("".join(self._prose)))
            self._prose.clear()
        if self._code and not except_code:
            self._parts.append(Code(self._language, "".join(self._code)))
            self._code.clear()
        self._parts.extend(self._output.take())


@dataclass(slots=True)
class _Output:
    """What a block printed and showed, bounded: the head, the tail, and how much lies between."""

    head: list[Output | Display] = field(default_factory=list)
    tail: deque[Output | Display] = field(default_factory=deque)
    head_size: int = 0
    tail_size: int = 0
    omitted: int = 0
    omitted_lines: int = 0
    displays: int = 0
    calls: CallLines | None = None
    clear_next: bool = False

    def add(self, event: ev.RuntimeEvent) -> None:
        match event:
            case ev.OutputDelta(text, stream):
                self.write(text, stream)
            case ev.ModelTold(text):
                self.write(f"[{text}]\n", "stderr")
            case ev.DisplayShown(display, updates):
                self.show(display, updates=updates)
            case ev.OutputCleared(wait):
                self.clear(wait=wait)
            case ev.HostCallRuled() | ev.HostCallFinished():
                self.calls = self.calls or CallLines()
                if line := self.calls.next(event):
                    self.write(f"[{line}]\n", "stderr")
            case _:
                _passed_over(event)

    def write(self, text: str, stream: Stream) -> None:
        self._clear_if_due()
        room = max(0, OUTPUT_KEPT // 2 - self.head_size)
        if room and len(self.head) < PIECES_KEPT:
            self.head.append(Output(text[:room], stream))
            self.head_size += min(room, len(text))
            text = text[room:]
        if not text:
            return
        kept = text[-OUTPUT_KEPT // 2 :]
        self._omit(text[: len(text) - len(kept)])
        self.tail.append(Output(kept, stream))
        self.tail_size += len(kept)
        self._trim()

    def show(self, display: Display, *, updates: bool) -> None:
        self._clear_if_due()
        if updates and self._replace(display):
            return
        if self.displays < DISPLAYS_KEPT:
            self.displays += 1
            self.head.append(display) if not self.tail else self.tail.append(display)

    def clear(self, *, wait: bool) -> None:
        self.clear_next = wait
        if not wait:
            self.take()

    def take(self) -> list[Output | Display]:
        """Everything, with neighbours of one stream joined; afterwards it is empty."""
        if self.calls and self.calls.left_out:
            self.write(f"[{self.calls.left_out} more calls of the host]\n", "stderr")
        parts = _joined(self.head)
        if self.omitted:
            gap = Output("", omitted=self.omitted, omitted_lines=self.omitted_lines)
            parts.append(gap)
        parts += _joined(self.tail)
        self.__init__()  # type: ignore[misc]
        return parts

    def _clear_if_due(self) -> None:
        if self.clear_next:
            self.take()

    def _replace(self, display: Display) -> bool:
        for shelf in (self.head, self.tail):
            for place, item in enumerate(shelf):
                if isinstance(item, Display) and item.display_id == display.display_id:
                    shelf[place] = display
                    return True
        return False

    def _trim(self) -> None:
        while self.tail_size > OUTPUT_KEPT // 2 or len(self.tail) > PIECES_KEPT:
            first = self.tail.popleft()
            if isinstance(first, Output):
                self.tail_size -= len(first.text)
                self._omit(first.text)

    def _omit(self, text: str) -> None:
        self.omitted += len(text)
        self.omitted_lines += text.count("\n")


def _passed_over(
    event: ev.ActiveLine
    | ev.InputRequested
    | ev.ApprovalRequested
    | ev.HostCallProposed
    | ev.Notice
    | ev.ExecutionFinished,
) -> None:
    """What belongs to no message."""


def _joined(items: list[Output | Display] | deque[Output | Display]) -> list[Output | Display]:
    joined: list[Output | Display] = []
    run: list[str] = []
    stream: Stream = "stdout"
    for item in items:
        if run and not (isinstance(item, Output) and item.stream == stream):
            joined.append(Output("".join(run), stream))
            run = []
        if isinstance(item, Output):
            stream = item.stream
            run.append(item.text)
        else:
            joined.append(item)
    if run:
        joined.append(Output("".join(run), stream))
    return joined
