"""What the command line can ask for: a chat, one message, events as JSON, or the kept sessions."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from interpreter._version import __version__
from interpreter.assembly import Workshop
from interpreter.protocol.codec import encode
from interpreter.protocol.errors import ConfigurationError, InterpreterError, ModelError, StoreError
from interpreter.protocol.events import Event, TurnFinished
from interpreter.session.session import Session
from interpreter.settings.profiles import with_profile
from interpreter.settings.settings import Settings, changed
from interpreter.terminal import chat
from interpreter.terminal.arguments import parse
from interpreter.terminal.plain import PlainFace
from interpreter.terminal.sessions import sessions_command

EXIT_CODES = {"answered": 0, "declined": 3, "interrupted": 130}
EXIT_FAILED = 1  # the task could not be done: the model failed, got stuck, ran out of steps
EXIT_WRONG = 2  # an argument, a setting, a file or the data directory is wrong
EXIT_INTERRUPTED = 130
EXIT_PIPE = 141  # nobody reads our output any more, as the shell reports it
RUN_OPTIONS = ("message", "profile", "once", "resume", "json", "version")
WRONG = (ConfigurationError, StoreError)


def run(arguments: list[str]) -> int:
    """Do what the arguments say; every error of ours becomes one line and an exit code."""
    try:
        if arguments[:1] == ["sessions"]:
            return sessions_command(arguments[1:])
        return _chat_command(parse(arguments))
    except InterpreterError as error:
        _complain(str(error))
        return EXIT_WRONG if isinstance(error, WRONG) else EXIT_FAILED
    except BrokenPipeError:
        _let_go_of_stdout()
        _complain("Nobody reads the output any more; what happened so far is kept.")
        return EXIT_PIPE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SystemExit as leaving:  # argparse has shown the help
        return int(leaving.code or 0)


def _chat_command(options: dict[str, Any]) -> int:
    if options.get("version"):
        print(f"interpreter {__version__}")
        return 0
    settings = _settings(options)
    text = _message(options)
    workshop = Workshop(settings, chat.approve, chat.answer)
    with contextlib.closing(workshop):
        session = workshop.open_session(settings, resume=options.get("resume", ""))
        if options.get("json"):
            return _as_json(session, text)
        return _in_terminal(session, text, once=options.get("once", False))


def _settings(options: dict[str, Any]) -> Settings:
    settings = with_profile(Settings(), options.get("profile", ""))
    given = {name: value for name, value in options.items() if name not in RUN_OPTIONS}
    return changed(settings, given, source="command line")


def _message(options: dict[str, Any]) -> str:
    """The message of the command line, or all of stdin when that is a pipe."""
    text = " ".join(options.get("message", ()))
    if text or sys.stdin.isatty():
        return text
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is {error.object[error.start]:#04x}"
        raise ConfigurationError(f"The standard input is not UTF-8 text: {reason}.") from error


def _in_terminal(session: Session, text: str, *, once: bool) -> int:
    face = PlainFace.for_terminal()
    interactive = chat.someone_is_there() and sys.stdout.isatty() and not once
    if not text.strip() and not interactive:
        raise ConfigurationError("There is no message, and no terminal to ask for one.")
    code = 0
    if text.strip():
        end = chat.say(session, text, face)
        code = EXIT_CODES.get(end.end, EXIT_FAILED)
    if interactive:
        chat.chat(session, face)
        return 0
    return code


def _as_json(session: Session, text: str) -> int:
    if not text.strip():
        raise ConfigurationError("--json needs a message.")
    code = EXIT_FAILED
    with chat.interrupting(session):
        for event in _quietly(session.send(text)):
            print(encode(event), flush=True)
            if isinstance(event, TurnFinished):
                code = EXIT_CODES.get(event.end, EXIT_FAILED)
    return code


def _quietly(events: Iterator[Event]) -> Iterator[Event]:
    with contextlib.suppress(ModelError):  # the TurnFinished before it has said why
        yield from events


def _complain(text: str) -> None:
    with contextlib.suppress(OSError):
        print(f"interpreter: {text}", file=sys.stderr)


def _let_go_of_stdout() -> None:
    """So that the interpreter's exit does not try to flush into the closed pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
