"""From a plan to a conversation: the face, the factory, the session, the first message."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from interpreter.assembly import SessionFactory
from interpreter.assembly.model_choice import FaceCallbacks, Progress
from interpreter.protocol.errors import ModelError
from interpreter.protocol.events import TurnFinished
from interpreter.protocol.json.codec import encode
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Approver
from interpreter.runtimes.kernel.choose_python import INLINE
from interpreter.session.session import Session
from interpreter.settings.own import ProfileParts
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.terminal.chat import Chat
from interpreter.terminal.commands import EXIT_CODES, EXIT_FAILED
from interpreter.terminal.desk import Desk, PlainDesk
from interpreter.terminal.input.approval import as_dry_runs
from interpreter.terminal.input.keys import ctrl_c
from interpreter.terminal.input.piped import someone_is_there
from interpreter.terminal.profile_parts import equip, run_first
from interpreter.terminal.render.greeting import greeting
from interpreter.terminal.start import AskInFront, ChatPlan, can_be_live

if TYPE_CHECKING:
    from interpreter.terminal.input.talking import Listener

WALLS = {
    "read-only": "sandbox: writes nothing, asks for the network",
    "workspace": "sandbox: writes only here, asks for the network",
    "trusted": "sandbox: writes only here, has the network",
}

OUTSIDE = "NOT in the sandbox: runs with all of your rights"


def talk(plan: ChatPlan) -> int:
    """Answer the message of the plan, then go on if somebody is there; the exit code."""
    with contextlib.closing(open_chat(plan)) as chat:
        if plan.json:
            return _as_json(chat.session, plan.text)
        chat.show_notices()
        code = EXIT_CODES.get(chat.say(plan.text).end, EXIT_FAILED) if plan.text.strip() else 0
        if not plan.interactive:
            return code
        if not plan.text.strip():
            chat.desk.note(greeting(plan.settings, first=False, colourful=chat.desk.colourful))
        listener = partial(getattr, chat, "listener")
        read = reader(plan.settings, live=plan.live, more=chat.suggestions, listener=listener)
        chat.run(read)
        return 0


def open_chat(plan: ChatPlan) -> Chat:
    """The conversation of a plan, before its first message."""

    def walls(language: str) -> str:
        if _runs_outside(language, plan.settings, plan.own):
            return OUTSIDE
        return _walls(factory, plan.settings.sandbox)

    desk = live_desk(plan.settings, walls) if plan.live else PlainDesk()
    desk.verbose = plan.settings.verbose
    notices: list[str] = []  # a prompt may be on the screen when they come
    notice = notices.append if plan.live else desk.note
    face = FaceCallbacks(notice, partial(_may_download, plan), progress())
    settings = plan.settings
    approve: Approver = desk.approve
    if settings.dry_run:
        approve = as_dry_runs(desk.approve, without_asking=settings.auto_run)
        settings = replace(settings, auto_run=False)
    factory = SessionFactory(settings, approve, desk.answer, face)
    equip(factory, plan.own)
    desk.background = factory.background
    try:
        session = factory.open_session(settings, resume=plan.resume)
        run_first(factory, plan.own)
    except BaseException:
        factory.close()
        raise
    if not plan.text.strip():
        factory.warm()  # while the user types
    chat = Chat(desk, factory, session, settings, notices)
    chat.talk()
    return chat


def progress() -> Progress:
    """A bar that is made when there is something to show: models are slow to import."""

    def make() -> Progress:
        from interpreter.terminal.subcommands.models import Bar  # noqa: PLC0415

        return Bar()

    bar = Lazy(make)
    return lambda stage, done, total: bar.get()(stage, done, total)


def _may_download(plan: ChatPlan, question: str) -> bool:
    if plan.behind_prompt and not os.environ.get("REPLOOP_DOWNLOAD"):
        raise AskInFront
    return may_download(question, live=plan.live)


def may_download(question: str, *, live: bool) -> bool:
    """Ask whether a model may be downloaded; when nobody is there, it may not."""
    if os.environ.get("REPLOOP_DOWNLOAD"):  # who started us has agreed, as `make run` does
        print(f"{question} yes", file=sys.stderr)
        return True
    if not someone_is_there():
        return False
    if not live:
        print(f"{question} [y/n] ", end="", file=sys.stderr, flush=True)
        return input().strip().lower().startswith("y")
    from interpreter.terminal.input.keys import one_key  # noqa: PLC0415  (asked once in a life)

    return one_key(f"{question} [y/n]", "yn") == "y"


def desk_for(settings: Settings) -> Desk:
    """A live desk at a real terminal, a plain one elsewhere."""
    at_terminal = someone_is_there() and sys.stdout.isatty()
    live = at_terminal and can_be_live(settings)
    return live_desk(settings) if live else PlainDesk()


def live_desk(settings: Settings, walls: Callable[[str], str] = lambda language: "") -> Desk:
    """A desk that draws live lines and reads single keys."""
    from interpreter.terminal.live_desk import LiveDesk  # noqa: PLC0415
    from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS  # noqa: PLC0415  (a real terminal)
    from interpreter.terminal.render.look import TerminalLook  # noqa: PLC0415
    from interpreter.terminal.render.pictures.painter import painter  # noqa: PLC0415
    from interpreter.terminal.render.screen import Screen  # noqa: PLC0415
    from interpreter.terminal.render.shown_files import ShownFiles  # noqa: PLC0415

    look = TerminalLook(
        palette=NO_COLOURS if os.environ.get("NO_COLOR") else COLOURS,
        draw=painter(settings.images, os.environ),
        keep=ShownFiles(data_directory() / "shown").keep,
        active_line=settings.highlight_active_line,
        verbose=settings.verbose,
        directory=settings.directory(),
        walls=walls,
    )
    return LiveDesk(Screen(sys.stdout), look)


def _walls(factory: SessionFactory, level: str) -> str:
    """How code is confined, in a few words."""
    return "no sandbox" if factory.unconfined or level == "off" else WALLS.get(level, "")


def reader(
    settings: Settings,
    *,
    live: bool,
    more: Callable[[], Mapping[str, str]] = dict,
    listener: Callable[[], Listener | None] = lambda: None,
) -> Callable[[str], str]:
    """What reads a message, given what was typed already."""
    if not live:
        return lambda draft: input("> ")
    from interpreter.terminal.input.prompt_first import make_prompt  # noqa: PLC0415  (a real terminal)

    prompt = make_prompt(settings, more)
    prompt.listener = listener
    return prompt.ask


def _as_json(session: Session, text: str) -> int:
    code = EXIT_FAILED
    events = contextlib.closing(session.send(text))
    told = contextlib.suppress(ModelError)  # TurnFinished has said why
    with ctrl_c(session.interrupt), told, events as turn:
        for event in turn:
            print(encode(event), flush=True)
            if isinstance(event, TurnFinished):
                code = EXIT_CODES.get(event.end, EXIT_FAILED)
    return code


def _runs_outside(language: str, settings: Settings, own: ProfileParts) -> bool:
    """Whether a language runs in a process of the user's own, where no sandbox holds it."""
    if own.languages is None and not settings.kernel and settings.python != INLINE:
        return False
    from interpreter.lmc.languages import answers_to, is_inside, language_named  # noqa: PLC0415
    from interpreter.runtimes.kernel.python import PYTHON  # noqa: PLC0415  (few bring any)

    named = [entry for entry in own.languages or () if language_named(entry, language)]
    if named:
        return not all(map(is_inside, named))
    return bool(settings.kernel or settings.python == INLINE) and answers_to(PYTHON, language)
