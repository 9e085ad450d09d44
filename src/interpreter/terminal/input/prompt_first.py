"""A conversation that begins with its prompt: the rest of the house is opened while you type."""

from __future__ import annotations

import os
import signal
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.lazy import Lazy
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.terminal.input.prompt import InputPrompt
from interpreter.terminal.loop import converse
from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS
from interpreter.terminal.render.greeting import greeting
from interpreter.terminal.start import AskInFront, ChatPlan

if TYPE_CHECKING:
    from interpreter.terminal.chat import Chat


def make_prompt(settings: Settings, more: Callable[[], Mapping[str, str]] = dict) -> InputPrompt:
    """The prompt as the settings want it; `more` is what can be typed besides our own commands."""
    return InputPrompt(
        commands=lambda: {**_commands(), **more()},
        history=data_directory() / "history" if settings.keep_history else None,
        palette=NO_COLOURS if os.environ.get("NO_COLOR") else COLOURS,
        vi=settings.edit_mode == "vi",
    )


def _commands() -> Mapping[str, str]:
    from interpreter.terminal.magics.table import summaries  # noqa: PLC0415  (loads the whole house)

    return summaries()


def prompt_first(plan: ChatPlan) -> int:
    """Show the prompt, open the rest behind it, and converse."""
    used_before = (data_directory() / "history").exists()
    colourful = not os.environ.get("NO_COLOR")
    print(greeting(plan.settings, first=not used_before, colourful=colourful))
    if plan.resume:
        session, text = _recap(plan.resume, str(plan.settings.directory()))
        print(text)
        plan = replace(plan, resume=session)
    prompt = make_prompt(
        plan.settings, lambda: opening.made.suggestions() if opening.made is not None else {}
    )
    behind = replace(plan, behind_prompt=True)
    opening = Lazy(lambda: _open(behind, prompt))
    prompt.shown = opening.begin
    try:
        converse(lambda: _read(opening, prompt), lambda text: _take(opening, text), print)
        return 0
    except AskInFront:
        return _in_front(plan)
    except InterpreterError:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # it was for us, not for the shell
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl-C too many must not break the end
        opening.settle()
        if opening.made is not None:
            opening.made.close()


def _recap(name: str, directory: str) -> tuple[str, str]:
    """The session that goes on, and what it was about; StoreError where it is open elsewhere."""
    from interpreter.session.store.database import Store  # noqa: PLC0415  (only where one goes on)
    from interpreter.terminal.render.recap import recap  # noqa: PLC0415

    store = Store(data_directory())
    try:
        session = store.find(name, directory)
        store.owners.take(session)
        return session, recap(session, store.messages(session))
    finally:
        store.close()


def _in_front(plan: ChatPlan) -> int:
    from interpreter.terminal.opening import talk  # noqa: PLC0415  (loads the whole house)

    return talk(plan)


def _open(plan: ChatPlan, prompt: InputPrompt) -> Chat:
    from interpreter.terminal.opening import open_chat  # noqa: PLC0415  (loads the whole house)

    try:
        chat = open_chat(plan)
    except BaseException as error:
        prompt.fail(error)
        raise
    prompt.listener = lambda: chat.listener  # a voice may be switched on later
    if chat.listener is not None:
        prompt.redraw()
    return chat


def _read(opening: Lazy[Chat], prompt: InputPrompt) -> str:
    chat = opening.made
    return chat.next(prompt.ask) if chat else prompt.ask("")


def _take(opening: Lazy[Chat], text: str) -> bool:
    try:
        opening.begin()
        chat = opening.get()
    except KeyboardInterrupt:
        print("Interrupted; it was still starting.")
        return False
    return chat.handle(text)
