"""From options to a conversation: which face, which session, which message first."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interpreter.assembly import Workshop
from interpreter.protocol.codec import encode
from interpreter.protocol.errors import ConfigurationError, ModelError
from interpreter.protocol.events import TurnFinished
from interpreter.session.session import Session
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.settings.sources import gather
from interpreter.terminal.chat import Chat
from interpreter.terminal.commands import EXIT_CODES, EXIT_FAILED
from interpreter.terminal.desk import Desk, PlainDesk, someone_is_there
from interpreter.terminal.errands import profile
from interpreter.terminal.piped import attached, piped_text

RUN_OPTIONS = frozenset([
    "message",
    "profile",
    "once",
    "resume",
    "json",
    "version",
    "stdin",
    "conversations",
    "server",
    "os",
    "local",
    "fast",
    "vision",
    "codestral",
    "llama3",
    "groq",
    "assistant",
    "profiles",
    "local_models",
    "reset_profile",
])
ONE_SHOT = ("once", "json", "stdin")
GREETING = "Say what you want done. Code runs when you approve it. Ctrl-C stops, Ctrl-D leaves."
FIRST_RUN = """\
Welcome. Say what you want in plain words; the model writes code, you approve it, it runs here.
  Model: {model}. Another one: interpreter --model NAME, or interpreter config set model NAME.
  A key for it: interpreter config key PROVIDER. What works here: interpreter doctor.
  %help lists the commands, ! runs a shell line, Ctrl-C stops, Ctrl-D leaves."""


def run(options: dict[str, Any]) -> int:
    """Start what the options say; the exit code."""
    if options.get("server"):
        raise ConfigurationError("The server is not part of this installation.")
    settings = gather(_flags(options), profile=profile(options)).settings
    resume = options.get("resume", "")
    if options.get("conversations"):
        resume = _picked()
        if not resume:
            return 0
    text = _first_message(options, settings)
    at_terminal = someone_is_there() and sys.stdout.isatty()
    interactive = at_terminal and not any(options.get(name) for name in ONE_SHOT)
    if not text.strip() and not interactive:
        raise ConfigurationError("There is no message, and no terminal to ask for one.")
    live = at_terminal and not options.get("json") and _can_be_live(settings)
    desk = _live_desk(settings) if live else PlainDesk()
    workshop = Workshop(settings, desk.approve, desk.answer, desk.note)
    desk.background = workshop.background
    with contextlib.closing(workshop):
        session = workshop.open_session(settings, resume=resume)
        if options.get("json"):
            return _as_json(session, text)
        chat = Chat(desk, workshop, session, settings)
        code = EXIT_CODES.get(chat.say(text).end, EXIT_FAILED) if text.strip() else 0
        if not interactive:
            return code
        _converse(chat, desk, greet=not text.strip(), live=live)
        return 0


def _flags(options: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if name not in RUN_OPTIONS}
    if given.pop("debug_mode", False) or given.get("debug"):
        given["verbose"] = True
    return given


def _picked() -> str:
    from interpreter.terminal.picker import pick_session  # noqa: PLC0415  (rarely asked for)

    return pick_session()


def _first_message(options: dict[str, Any], settings: Settings) -> str:
    """The message of the command line; a pipe is the message, or is attached to it as a file."""
    text = " ".join(options.get("message", ()))
    if sys.stdin.isatty():
        return sys.stdin.readline() if options.get("stdin") and not text else text
    data = piped_text()
    if not text:
        return data
    return attached(text, data, settings.directory()) if data else text


def _can_be_live(settings: Settings) -> bool:
    """Whether the terminal can do more than print lines."""
    return not settings.plain and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def _live_desk(settings: Settings) -> Desk:
    from interpreter.terminal.ansi import COLOURS, NO_COLOURS  # noqa: PLC0415  (a real terminal)
    from interpreter.terminal.face import Look  # noqa: PLC0415
    from interpreter.terminal.live_desk import LiveDesk  # noqa: PLC0415
    from interpreter.terminal.pictures.painter import painter  # noqa: PLC0415
    from interpreter.terminal.screen import Screen  # noqa: PLC0415
    from interpreter.terminal.shown_files import ShownFiles  # noqa: PLC0415

    look = Look(
        palette=NO_COLOURS if os.environ.get("NO_COLOR") else COLOURS,
        draw=painter(settings.images, os.environ),
        keep=ShownFiles(data_directory() / "shown").keep,
        active_line=settings.highlight_active_line,
        verbose=settings.verbose,
    )
    return LiveDesk(Screen(sys.stdout), look)


def _converse(chat: Chat, desk: Desk, *, greet: bool, live: bool) -> None:
    history = data_directory() / "history"
    if greet:
        model = chat.session.engine.model.name
        desk.note(GREETING if history.exists() else FIRST_RUN.format(model=model))
    take_draft = getattr(desk, "take_draft", str)
    chat.run(_reader(chat.settings, history, live=live), take_draft)


def _reader(settings: Settings, history: Path, *, live: bool) -> Callable[[str], str]:
    if not live:
        return lambda draft: input("> ")
    from interpreter.terminal.ansi import COLOURS, NO_COLOURS  # noqa: PLC0415
    from interpreter.terminal.magic import summaries  # noqa: PLC0415
    from interpreter.terminal.prompt import Prompt  # noqa: PLC0415

    palette = NO_COLOURS if os.environ.get("NO_COLOR") else COLOURS
    kept = history if settings.keep_history else None
    vi = settings.edit_mode == "vi"
    return Prompt(commands=summaries(), history=kept, palette=palette, vi=vi).ask


def _as_json(session: Session, text: str) -> int:
    from interpreter.terminal.signals import ctrl_c  # noqa: PLC0415

    code = EXIT_FAILED
    with ctrl_c(session.interrupt), contextlib.suppress(ModelError):  # TurnFinished has said why
        for event in session.send(text):
            print(encode(event), flush=True)
            if isinstance(event, TurnFinished):
                code = EXIT_CODES.get(event.end, EXIT_FAILED)
    return code
