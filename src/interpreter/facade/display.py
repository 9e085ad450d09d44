"""How a chat is shown when a program asks for a display: in the terminal it runs in."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from interpreter.protocol.events import Event
from interpreter.session.session import Session
from interpreter.terminal import chat
from interpreter.terminal.plain import PlainFace


def shown(events: Generator[Event, None, None]) -> Generator[Event, None, None]:
    """The same events, each shown as it passes."""
    face = PlainFace.for_terminal()
    with closing(events):
        for event in events:
            face.show_event(event)
            yield event


def converse(session: Session) -> None:
    """A conversation at the prompt, until the user leaves."""
    chat.chat(session, PlainFace.for_terminal())


def note(text: str) -> None:
    """A sentence of the program's own."""
    PlainFace.for_terminal().note(text)


approve, answer = chat.approve, chat.answer
