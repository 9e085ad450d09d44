"""Where a person sits: a face that shows, and hands that answer. This one is plain."""

from __future__ import annotations

import contextlib
import getpass
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested, Event, InputRequested, TurnFinished
from interpreter.protocol.ports import nobody_approves
from interpreter.terminal.input.approval import ApprovalInput, ask
from interpreter.terminal.input.keys import ctrl_c
from interpreter.terminal.input.piped import someone_is_there
from interpreter.terminal.plain_face import PlainFace
from interpreter.terminal.render.ansi import NO_COLOURS
from interpreter.terminal.render.edits import Diff, nothing_known

Press = Callable[[str], None]
AnsweredByVoice = Callable[[ApprovalRequested, Press], contextlib.AbstractContextManager[None]]


def by_key_only(
    request: ApprovalRequested, press: Press
) -> contextlib.AbstractContextManager[None]:
    """For those who cannot be spoken to."""
    return contextlib.nullcontext()


class Desk(Protocol):
    """What a chat needs of the place where it happens."""

    verbose: bool
    colourful: bool
    background: Callable[[], bool]
    """Lets the block that runs now go on alone."""
    diff: Diff
    answered_by_voice: AnsweredByVoice
    """Within what it gives, a question may be answered by word of mouth."""

    def show(self, events: Iterator[Event]) -> TurnFinished:
        """Show a turn."""
        ...

    def note(self, text: str) -> None:
        """Show a sentence of our own."""
        ...

    def take_draft(self) -> str:
        """What was typed while a turn ran."""
        ...

    def approve(self, request: ApprovalRequested) -> Decision:
        """Ask whether something may run."""
        ...

    def answer(self, request: InputRequested) -> str | None:
        """Answer a block that asks for input."""
        ...

    def attend(self, stop: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
        """Within this block a turn runs and can be stopped."""
        ...


class _Face(Protocol):
    verbose: bool

    def show(self, events: Iterator[Event]) -> TurnFinished: ...

    def note(self, text: str) -> None: ...


class Faced:
    """What desks have in common: a face that shows."""

    _face: _Face

    @property
    def verbose(self) -> bool:
        """Whether more is shown than most want to see."""
        return self._face.verbose

    @verbose.setter
    def verbose(self, wish: bool) -> None:
        self._face.verbose = wish

    def show(self, events: Iterator[Event]) -> TurnFinished:
        """Show a turn."""
        return self._face.show(events)

    def note(self, text: str) -> None:
        """Show a sentence of our own."""
        self._face.note(text)


class PlainDesk(Faced):
    """Everything line by line: pipes, dumb terminals, screen readers."""

    def __init__(self, *, dry_run: bool = True) -> None:
        self._face: PlainFace = PlainFace.for_terminal()
        self._dry_run = dry_run
        self.colourful = False
        self.background: Callable[[], bool] = lambda: False
        self.diff: Diff = nothing_known
        self.answered_by_voice: AnsweredByVoice = by_key_only

    @contextlib.contextmanager
    def attend(self, stop: Callable[[], None]) -> Iterator[None]:
        """Ctrl-C stops the turn."""
        with ctrl_c(stop):
            yield

    def take_draft(self) -> str:
        """Nothing: what is typed meanwhile waits in the terminal."""
        return ""

    def approve(self, request: ApprovalRequested) -> Decision:
        """Ask by a line; when nobody is there, nothing runs, and no block gets more."""
        if not someone_is_there():
            decision = nobody_approves(request)
            hint = "; -y runs it" if decision.answer == "stop" else ""
            return replace(decision, reason=decision.reason + hint)
        hands = ApprovalInput(self._key, _line, self._face.note, self._face.show_code)
        try:
            with ctrl_c(None):
                return ask(request, hands, NO_COLOURS, dry_run=self._dry_run)
        except (EOFError, KeyboardInterrupt):
            return Decision("stop")

    def answer(self, request: InputRequested) -> str | None:
        """Pass the question on; end of file when nobody is there."""
        if not someone_is_there():
            return None
        return input_line("", hidden=request.hidden)

    def _key(self, question: str, keys: str) -> str:
        while True:
            words = _line(f"{question} ").strip().lower()
            if words and words[0] in keys:
                return words[0]


def _line(question: str) -> str:
    """Ask on stderr: stdout may be a pipe."""
    print(question, end="", file=sys.stderr, flush=True)
    return input()


def input_line(question: str, *, hidden: bool = False) -> str | None:
    """A line from the person; None when they refuse."""
    try:
        with ctrl_c(None):
            return getpass.getpass(question) if hidden else input(question)
    except (EOFError, KeyboardInterrupt):
        print()  # the line was not ended
        return None
