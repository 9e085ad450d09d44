"""The plain face: everything as text, in the order it happens, for terminals, pipes and logs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TextIO, assert_never

from interpreter.protocol import events as ev
from interpreter.protocol.calls import CallLines
from interpreter.protocol.changed_files import change_list
from interpreter.protocol.messages import Code, MalformedCall
from interpreter.protocol.visible import sentence, visible
from interpreter.terminal.render.ansi import tame_plain
from interpreter.terminal.render.markdown.highlight import highlight

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
        self._code: list[str] = []  # of a block that is being written
        self._language = ""
        self._last_code = ""
        self._at_line_start = True
        self._last = answer  # where something was written last
        self.verbose = False
        """Whether checkpoints and tokens are shown, too."""

    @classmethod
    def for_terminal(cls) -> PlainFace:
        """Everything on stdout; in a pipe the answer alone, and the rest on stderr."""
        return cls(sys.stdout, sys.stdout if sys.stdout.isatty() else sys.stderr)

    def show(self, events: Iterable[ev.Event]) -> ev.TurnFinished:
        """Show a whole turn; how it ended."""
        end = ev.TurnFinished("failed", "the turn did not end")
        for event in events:
            self.show_event(event)
            if isinstance(event, ev.TurnFinished):
                end = event
        return end

    def show_event(self, event: ev.Event) -> None:
        """Show one event."""
        if isinstance(event, ev.ModelEvent):
            self._show_reply(event)
        elif isinstance(event, ev.RuntimeEvent):
            self._show_block(event)
        else:
            self._show_turn(event)

    def _show_reply(self, event: ev.ModelEvent) -> None:
        match event:
            case ev.TextDelta(text):
                self._broken_off()
                self._write(self._answer, text)
            case ev.CodeDelta(language, text):
                self._language = language
                self._code.append(text)
            case ev.ActionProposed(action):
                self._proposed(action)
            case ev.ModelRetrying(reason, seconds):
                self._tell(f"{reason} Trying again in {seconds:.0f} s.")
            case ev.ReasoningDelta(text):
                self._write(self._around, text)
            case ev.ReplyFinished(_, usage):
                if usage and self.verbose:
                    self._tell(f"[tokens] {usage.input:,} in, {usage.output:,} out")
            case _:
                assert_never(event)

    def note(self, text: str) -> None:
        """A sentence of our own; nobody misses it where what it is written to has been closed."""
        if self._around.closed:
            return
        shown = sentence(text)
        self._line(self._around, _in_whole_words(shown) if self._around.isatty() else shown)

    def show_code(self, language: str, source: str) -> None:
        """A whole block of code, drawn so that no character of it is hidden."""
        width = _width() - 1 if self._around.isatty() else None
        fence = fence_around(source)
        lines = highlight(source, language, colour=False, width=width)
        self._line(self._around, "\n".join([fence + visible(language), *lines, fence]))
        self._last_code = source

    def _show_block(self, event: ev.RuntimeEvent) -> None:
        match event:
            case ev.OutputDelta(text):
                self._write_output(text)
            case ev.DisplayShown(display):
                self._line(self._around, tame_plain(display.text) or "[a picture]")
            case ev.ExecutionFinished(outcome, summary) if outcome != "ok":
                self._tell(f"[{outcome}] {summary}".rstrip())
            case ev.Notice() | ev.ApprovalRequested() | ev.HostCallRuled() | ev.HostCallFinished():
                self._show_beside(event)
            case ev.InputRequested(prompt):
                self._write(self._around, prompt)
            case (
                ev.ExecutionFinished()
                | ev.ModelTold()
                | ev.OutputCleared()
                | ev.ActiveLine()
                | ev.HostCallProposed()
            ):
                pass
            case _:
                assert_never(event)

    def _show_beside(
        self, event: ev.Notice | ev.ApprovalRequested | ev.HostCallRuled | ev.HostCallFinished
    ) -> None:
        match event:
            case ev.Notice(text):
                self._tell(text)
            case ev.HostCallRuled() | ev.HostCallFinished():
                if line := self._call_lines.next(event):
                    self._tell(f"[call] {line}")
            case ev.ApprovalRequested(action):
                if isinstance(action, Code) and action.source != self._last_code:
                    self.show_code(action.language, action.source)  # another was shown since
            case _:
                assert_never(event)

    def _show_turn(self, event: ev.TurnEvent) -> None:
        match event:
            case ev.TurnFinished(end, detail):
                self._broken_off()
                self._line(self._answer, "")
                self._ended(end, detail)
            case ev.Decided(_, decision) if decision.answer == "no" and decision.reason:
                self._tell(f"Not run: {decision.reason}")
            case ev.FilesChanged(changes):
                listed = change_list(changes, visible)
                names = [f"{one.kind} {one.text}" for one in listed[:FILES_NAMED]]
                more = f" and {len(listed) - FILES_NAMED} more" if listed[FILES_NAMED:] else ""
                self._tell(f"[files] {', '.join(names)}{more}")
            case ev.CheckpointDiscarded(told=text):
                self._tell(text)
            case ev.CheckpointTaken(name) if self.verbose:
                self._tell(f"[checkpoint] {name}")
            case ev.ActionStarted():
                self._call_lines = CallLines()
            case ev.Decided() | ev.CheckpointTaken() | ev.MessageFinished():
                pass
            case _:
                assert_never(event)

    def _proposed(self, action: object) -> None:
        self._code.clear()  # what is proposed is what will run, whatever was written before
        if isinstance(action, Code):
            self.show_code(action.language, action.source)
        if isinstance(action, MalformedCall):
            self._tell(f"[unreadable call] {action.problem}")

    def _broken_off(self) -> None:
        """A block that was begun and never proposed."""
        if self._code:
            source = "".join(self._code)
            self._code.clear()
            self.show_code(self._language, source)

    def _ended(self, end: str, detail: str) -> None:
        if end in ENDS:
            self._tell(ENDS[end] + (f" ({detail})" if detail else ""))

    def _tell(self, text: str) -> None:
        self._line(self._around, sentence(text))

    def _line(self, stream: TextIO, text: str) -> None:
        if not self._at_line_start:
            self._write(self._last, "\n")
        if text:
            self._write(stream, text + "\n")

    def _write(self, stream: TextIO, text: str) -> None:
        """Write what a model said or what we say; nothing in it steers a terminal, now or later."""
        if safe := tame_plain(text):
            if stream is not self._last and not self._at_line_start:
                self._last.write("\n")  # they may lead to one place, or be read apart
                self._last.flush()
            self._last = stream
            stream.write(safe)
            stream.flush()
            self._at_line_start = safe.endswith("\n")

    def _write_output(self, text: str) -> None:
        """Write what code printed; it may go back to the beginning of its own line."""
        for place, part in enumerate(text.split("\r")):
            if place and not part.startswith("\n"):
                self._around.write("\r")
            self._write(self._around, part)


def fence_around(source: str) -> str:
    """Backticks that no line of a text can end."""
    longest = max(map(len, re.findall("`+", source)), default=0)
    return "`" * max(3, longest + 1)


def _in_whole_words(text: str) -> str:
    """A terminal would break long lines in the middle of words."""
    from interpreter.terminal.render.markdown.wrap import in_width  # noqa: PLC0415  (only at a terminal)

    return "\n".join(line for long in text.split("\n") for line in in_width(long, _width()))


def _width() -> int:
    import shutil  # noqa: PLC0415  (only at a terminal)

    return shutil.get_terminal_size().columns
