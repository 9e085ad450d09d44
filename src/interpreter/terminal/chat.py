"""The conversation in a terminal: the prompt, the approval question, and Ctrl-C."""

from __future__ import annotations

import contextlib
import getpass
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ModelError
from interpreter.protocol.events import ApprovalRequested, Event, InputRequested, TurnFinished
from interpreter.session.session import Session
from interpreter.terminal.plain import PlainFace

LEAVE_WITHIN = 1.0  # seconds between two Ctrl-C at the prompt
QUESTION = "Run this? [y]es / [n]o, with a reason / [a]lways / [s]top: "
GREETING = "Say what you want done. Code runs when you approve it. Ctrl-C stops, Ctrl-D leaves."


def chat(session: Session, face: PlainFace) -> None:
    """Take messages at the prompt until the user leaves."""
    face.note(GREETING)
    last_interrupt = -LEAVE_WITHIN
    while True:
        try:
            text = input("> ")
        except EOFError:
            face.note("")
            return
        except KeyboardInterrupt:
            if time.monotonic() - last_interrupt < LEAVE_WITHIN:
                return
            last_interrupt = time.monotonic()
            face.note("\nPress Ctrl-C again to leave.")
            continue
        if text.strip():
            say(session, text, face)


def say(session: Session, text: str, face: PlainFace) -> TurnFinished:
    """One message and the turn it starts; a model that fails is shown, and the chat goes on."""
    with interrupting(session):
        return face.show(_without_model_errors(session.send(text)))


def _without_model_errors(events: Iterator[Event]) -> Iterator[Event]:
    with contextlib.suppress(ModelError):  # the TurnFinished before it has said why
        yield from events


@contextlib.contextmanager
def interrupting(session: Session) -> Iterator[None]:
    """Within this block Ctrl-C stops the turn instead of the program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        session.interrupt()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def someone_is_there() -> bool:
    """Whether there is a person at both ends of the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def approve(request: ApprovalRequested) -> Decision:
    """Ask the person at the terminal; when there is none, nothing runs."""
    if not someone_is_there():
        return Decision("stop", "it needs approval and nobody is there to ask; -y runs it")
    if request.reason:
        print(request.reason, file=sys.stderr)
    for finding in request.findings:
        print(f"line {finding.line}: {finding.reason}", file=sys.stderr)
    try:
        with _ctrl_c_raises():
            return _ask()
    except (EOFError, KeyboardInterrupt):
        return Decision("stop")


def _ask() -> Decision:
    while True:
        match _prompt(QUESTION).strip().lower().split(maxsplit=1):
            case ["y" | "yes"]:
                return Decision("yes")
            case ["n" | "no"]:
                return Decision("no", _prompt("Why not? (empty: stop here) ").strip())
            case ["n" | "no", reason]:
                return Decision("no", reason)
            case ["a" | "always"]:
                return Decision("always")
            case ["s" | "stop"]:
                return Decision("stop")
            case _:
                continue


def answer(request: InputRequested) -> str | None:
    """Pass a block's question on to the person; end of file when there is none."""
    if not someone_is_there():
        return None
    try:
        with _ctrl_c_raises():
            return getpass.getpass("") if request.hidden else input()
    except (EOFError, KeyboardInterrupt):
        return None


def _prompt(question: str) -> str:
    """Ask on stderr: stdout may be a pipe."""
    print(question, end="", file=sys.stderr, flush=True)
    return input()


@contextlib.contextmanager
def _ctrl_c_raises() -> Iterator[None]:
    """Within this block, which waits for the person, Ctrl-C ends the waiting."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
