"""Commands about sessions: begin anew, list, find, go on, copy, and what this is."""

from __future__ import annotations

import platform
import sys
import time

from interpreter._version import __version__
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import OutputDelta
from interpreter.protocol.messages import Code
from interpreter.protocol.visible import visible
from interpreter.settings.paths import config_directory, data_directory
from interpreter.terminal.chat import Chat
from interpreter.terminal.render.recap import recap

SHOWN = 15


def reset(chat: Chat, argument: str) -> None:
    """Forget the conversation and the variables; the old session stays kept."""
    spent = chat.factory.budget.session
    chat.factory.start_over()
    chat.factory.budget.start_over()
    chat.session = chat.factory.open_session(chat.settings)
    chat.news.clear()
    chat.desk.note("A new conversation; the variables are gone, files are as they are.")
    if spent.requests:
        chat.desk.note(f"Its cost and its budget begin at zero; the last: {spent.describe()}.")


def sessions(chat: Chat, argument: str) -> None:
    """The kept sessions."""
    lines = []
    for info in chat.factory.store.list(SHOWN):
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated))
        here = "*" if info.id == chat.session.id else " "
        lines.append(f"{here} {info.id}  {when}  {visible(info.title)}")
    chat.desk.note("\n".join(lines) or "No session is kept yet.")


def search(chat: Chat, argument: str) -> None:
    """Find a session by its words."""
    if not argument:
        raise ConfigurationError("Which words? For example: %search sales plot")
    hits = chat.factory.store.search(argument)
    lines = [f"{hit.session}  {visible(' '.join(hit.excerpt.split()))}" for hit in hits]
    chat.desk.note("\n".join(lines) or "Nothing was found.")


def resume(chat: Chat, argument: str) -> None:
    """Go on with another session."""
    if argument:
        name = argument
    else:
        from interpreter.terminal.input.picker import pick_session  # noqa: PLC0415  (a real terminal)

        name = pick_session()
    if name:
        place = str(chat.settings.directory())
        _go_on(chat, chat.factory.store.find(name, place))


def fork(chat: Chat, argument: str) -> None:
    """Go on in a copy of this conversation, with the files and variables as they are."""
    _needs_store(chat)
    copy = chat.factory.store.fork(chat.session.id)
    chat.session = chat.factory.open_session(chat.settings, resume=copy, in_this_environment=True)
    _say_where(chat)


def info(chat: Chat, argument: str) -> None:
    """Versions, the Python of code, model, session, directories."""
    facts = {
        "interpreter": __version__,
        "its Python": f"{platform.python_version()} ({sys.executable})",
        "code runs in": _python_of_code(chat),
        "system": platform.platform(),
        "model": chat.session.engine.model.name,
        "languages": ", ".join(chat.factory.languages),
        "session": chat.session.id or "not kept",
        "messages": len(chat.session.transcript),
        "workspace": chat.settings.directory(),
        "settings": config_directory(),
        "data": data_directory(),
    }
    chat.desk.note("\n".join(f"{name:12} {value}" for name, value in facts.items()))


def _python_of_code(chat: Chat) -> str:
    """The Python that blocks run in, as it says itself: often another one than ours."""
    events = chat.factory.run(Code("python", "print(__import__('sys').executable)"))
    said = "".join(event.text for event in events if isinstance(event, OutputDelta))
    return visible(said.strip()) or "no Python that answers now"


def _go_on(chat: Chat, session_id: str) -> None:
    chat.session = chat.factory.open_session(chat.settings, resume=session_id)
    _say_where(chat)


def _say_where(chat: Chat) -> None:
    chat.desk.note(recap(chat.session.id, chat.session.transcript))


def _needs_store(chat: Chat) -> None:
    if not chat.session.id:
        raise ConfigurationError("This session is not kept (--no-history), so it has no copy.")
