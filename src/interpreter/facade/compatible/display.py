"""How a chat is shown when a program asks for a display: in its terminal, or in its notebook."""

from __future__ import annotations

import atexit
import contextlib
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from interpreter.assembly import SessionFactory
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested, Event, InputRequested, TurnFinished
from interpreter.session.session import Session
from interpreter.settings.settings import Settings
from interpreter.terminal import opening
from interpreter.terminal.chat import Chat
from interpreter.terminal.desk import AnsweredByVoice, Desk, PlainDesk, by_key_only
from interpreter.terminal.opening import desk_for, reader
from interpreter.terminal.plain_face import PlainFace
from interpreter.terminal.render.edits import Diff, nothing_known
from interpreter.terminal.render.speech import speak

if TYPE_CHECKING:
    from interpreter.terminal.voice import TerminalVoice


def desk(settings: Settings) -> Desk:
    """Where somebody sits: a notebook, a real terminal, or whatever takes lines of text."""
    if _in_notebook():
        return NotebookDesk()
    if threading.current_thread() is not threading.main_thread():
        return PlainDesk()  # keys and Ctrl-C belong to the main thread
    return desk_for(settings)


def shown(events: Generator[Event, None, None]) -> Generator[Event, None, None]:
    """The same events, each shown as it passes."""
    show, end = _one_by_one()
    with closing(events):
        try:
            for event in events:
                show(event)
                yield event
        finally:
            end()


def converse(place: Desk, factory: SessionFactory, session: Session, settings: Settings) -> Chat:
    """A conversation at the prompt with all its commands, until the user leaves."""
    chat = Chat(place, factory, session, settings)
    chat.run(reader(settings, live=place.colourful))
    return chat


def may_download(question: str) -> bool:
    """Whether a model may be downloaded: asked by a line, in the terminal of the program."""
    return opening.may_download(question, live=False)


def choose_local() -> dict[str, Any]:
    """The menu of local models; where nobody can pick, what was picked before."""
    from interpreter.terminal.subcommands.local_models import choose_local as choose  # noqa: PLC0415  (rare)

    return choose()


def voice(settings: Settings) -> TerminalVoice:
    """Who reads answers aloud sentence by sentence; a program that ends lets it finish."""
    from interpreter.terminal.voice import TerminalVoice  # noqa: PLC0415  (few want it)

    made = TerminalVoice(settings, note)
    atexit.register(made.finish)
    return made


def say(text: str) -> None:
    """Read an answer aloud, where something here can."""
    if not speak(text):
        note("Nothing on this machine can speak; try: apt install espeak-ng")


def note(text: str) -> None:
    """A sentence of the program's own."""
    PlainFace.for_terminal().note(text)


class NotebookDesk:
    """The cell that runs: rich output, and questions as prompts."""

    def __init__(self) -> None:
        from interpreter.facade.notebook.face import NotebookFace  # noqa: PLC0415  (in notebooks)

        self.verbose = False
        self.colourful = False
        self.background: Callable[[], bool] = lambda: False
        self.diff: Diff = nothing_known
        self.answered_by_voice: AnsweredByVoice = by_key_only
        self._face = NotebookFace()

    def show(self, events: Iterator[Event]) -> TurnFinished:
        """Show a turn."""
        end = TurnFinished("failed", "the turn did not end")
        try:
            for event in events:
                self._face.show(event)
                end = event if isinstance(event, TurnFinished) else end
        finally:
            self._face.close()
        return end

    def note(self, text: str) -> None:
        """Show a sentence of our own."""
        self._face.error(text)

    def take_draft(self) -> str:
        """Nothing: a cell cannot be typed into."""
        return ""

    def approve(self, request: ApprovalRequested) -> Decision:
        """Ask by a prompt."""
        from interpreter.facade.notebook.face import ask  # noqa: PLC0415

        return ask(request)

    def answer(self, request: InputRequested) -> str | None:
        """Pass the question on."""
        from interpreter.facade.notebook.face import answer  # noqa: PLC0415

        return answer(request)

    def attend(self, stop: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
        """The notebook's own interrupt stops the turn."""
        return contextlib.nullcontext()


def _one_by_one() -> tuple[Callable[[Event], None], Callable[[], None]]:
    if _in_notebook():
        from interpreter.facade.notebook.face import NotebookFace  # noqa: PLC0415  (in notebooks)

        face = NotebookFace()
        return face.show, face.close
    return PlainFace.for_terminal().show_event, lambda: None


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return hasattr(ipython.get_ipython() if ipython is not None else None, "kernel")
