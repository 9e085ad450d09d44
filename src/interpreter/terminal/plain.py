"""The plain face: everything as text, in the order it happens, for terminals, pipes and logs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from interpreter.protocol.change_list import change_list
from interpreter.protocol.events import (
    ActionProposed,
    CheckpointDiscarded,
    CheckpointTaken,
    CodeDelta,
    Decided,
    DisplayShown,
    Event,
    ExecutionFinished,
    FilesChanged,
    InputRequested,
    ModelRetrying,
    Notice,
    OutputDelta,
    ReasoningDelta,
    ReplyFinished,
    TextDelta,
    TurnFinished,
)
from interpreter.protocol.messages import Code, MalformedCall
from interpreter.terminal.ansi import tame_plain

FILES_NAMED = 8
ENDS = {
    "declined": "Stopped: the code was not run.",
    "interrupted": "Interrupted; everything so far is kept.",
    "out_of_steps": "Stopped: the limit of steps is reached.",
    "out_of_budget": "Stopped: the budget is used up.",
    "stuck": "Stopped: the model is going round in circles.",
    "failed": "The model could not answer.",
}


class PlainFace:
    """Writes the answer to one stream and everything around it to another, often the same."""

    def __init__(self, answer: TextIO, around: TextIO) -> None:
        self._answer = answer
        self._around = around
        self._fence_open = False
        self._at_line_start = True
        self.verbose = False
        """Whether checkpoints and tokens are shown, too."""

    @classmethod
    def for_terminal(cls) -> PlainFace:
        """Everything on stdout; in a pipe the answer alone, and the rest on stderr."""
        return cls(sys.stdout, sys.stdout if sys.stdout.isatty() else sys.stderr)

    def show(self, events: Iterable[Event]) -> TurnFinished:
        """Show a whole turn; how it ended."""
        end = TurnFinished("failed", "the turn did not end")
        for event in events:
            self.show_event(event)
            if isinstance(event, TurnFinished):
                end = event
        return end

    def show_event(self, event: Event) -> None:
        """Show one event."""
        match event:
            case TextDelta(text):
                self._close_fence()
                self._write(self._answer, text)
            case CodeDelta(language, text):
                self._open_fence(language)
                self._write(self._around, text)
            case ActionProposed(action):
                self._proposed(action)
            case OutputDelta(text):
                self._write(self._around, text)
            case TurnFinished(end, detail):
                self._line(self._answer, "")
                self._ended(end, detail)
            case Decided(_, decision) if decision.answer == "no" and decision.reason:
                self._line(self._around, f"Not run: {decision.reason}")
            case _:
                self._around_the_work(event)

    def note(self, text: str) -> None:
        """A sentence of our own."""
        self._line(self._around, _in_whole_words(text) if self._around.isatty() else text)

    def show_code(self, language: str, source: str) -> None:
        """A whole block of code."""
        self._open_fence(language)
        self._write(self._around, source)
        self._close_fence()

    def _around_the_work(self, event: Event) -> None:
        match event:
            case DisplayShown(display):
                self._line(self._around, display.text or "[a picture]")
            case ExecutionFinished(outcome, summary) if outcome != "ok":
                self._line(self._around, f"[{outcome}] {summary}".rstrip())
            case FilesChanged(changes):
                listed = change_list(changes)
                names = [f"{one.kind} {one.text}" for one in listed[:FILES_NAMED]]
                more = f" and {len(listed) - FILES_NAMED} more" if listed[FILES_NAMED:] else ""
                self._line(self._around, f"[files] {', '.join(names)}{more}")
            case Notice(text) | CheckpointDiscarded(text):
                self._line(self._around, text)
            case ModelRetrying(reason, seconds):
                self._line(self._around, f"{reason} Trying again in {seconds:.0f} s.")
            case ReasoningDelta(text):
                self._write(self._around, text)
            case _:
                self._details(event)

    def _details(self, event: Event) -> None:
        match event:
            case InputRequested(prompt):
                self._write(self._around, prompt)
            case CheckpointTaken(name) if self.verbose:
                self._line(self._around, f"[checkpoint] {name}")
            case ReplyFinished(_, usage) if usage and self.verbose:
                self._line(self._around, f"[tokens] {usage.input:,} in, {usage.output:,} out")

    def _proposed(self, action: object) -> None:
        if isinstance(action, Code) and not self._fence_open:
            self._open_fence(action.language)
            self._write(self._around, action.source)
        if isinstance(action, MalformedCall):
            self._line(self._around, f"[unreadable call] {action.problem}")
        self._close_fence()

    def _ended(self, end: str, detail: str) -> None:
        if end in ENDS:
            self._line(self._around, ENDS[end] + (f" ({detail})" if detail else ""))

    def _open_fence(self, language: str) -> None:
        if not self._fence_open:
            self._line(self._around, f"```{language}")
            self._fence_open = True

    def _close_fence(self) -> None:
        if self._fence_open:
            self._line(self._around, "```")
            self._fence_open = False

    def _line(self, stream: TextIO, text: str) -> None:
        if not self._at_line_start:
            self._write(stream, "\n")
        if text:
            self._write(stream, text + "\n")

    def _write(self, stream: TextIO, text: str) -> None:
        if text:
            safe = tame_plain(text) if stream.isatty() else text.encode(errors="replace").decode()
            stream.write(safe)
            stream.flush()
            self._at_line_start = text.endswith("\n")


def _in_whole_words(text: str) -> str:
    """A terminal would break long lines in the middle of words."""
    import shutil  # noqa: PLC0415  (only at a terminal)

    from interpreter.terminal.wrap import in_width  # noqa: PLC0415

    width = shutil.get_terminal_size().columns
    return "\n".join(line for long in text.split("\n") for line in in_width(long, width))
