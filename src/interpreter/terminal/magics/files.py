"""Commands that write the session to a file, and read one."""

from __future__ import annotations

import time
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.session.export.formats import LARGEST, export_session, from_json
from interpreter.terminal.chat import Chat


def save(chat: Chat, argument: str) -> None:
    """The messages as JSON."""
    _write(chat, _path(argument or "messages.json", ".json"))


def load(chat: Chat, argument: str) -> None:
    """Messages from JSON, in a new session that goes on from them."""
    path = _path(argument or "messages.json", ".json")
    try:
        place = safe_files.named_by_user(path, Path.cwd(), chat.settings.directory())
        text = safe_files.read_bytes(place, LARGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"Cannot read {path}: {reason}.") from error
    messages = from_json(text)
    chat.factory.budget.start_over()
    chat.session = chat.factory.open_session(chat.settings, messages=messages)
    chat.desk.note(f"{len(messages)} messages from {path}; the conversation goes on from them.")


def export(chat: Chat, argument: str) -> None:
    """To a file whose suffix says how."""
    if not argument:
        raise ConfigurationError("Where to? For example: %export analysis.ipynb")
    _write(chat, Path(argument).expanduser())


def jupyter(chat: Chat, argument: str) -> None:
    """A notebook."""
    _write(chat, _path(argument or _name(), ".ipynb"))


def markdown(chat: Chat, argument: str) -> None:
    """Markdown."""
    _write(chat, _path(argument or _name(), ".md"))


def html(chat: Chat, argument: str) -> None:
    """One HTML file with its pictures."""
    _write(chat, _path(argument or _name(), ".html"))


def _name() -> str:
    return time.strftime("session-%Y%m%d-%H%M%S")


def _path(wish: str, suffix: str) -> Path:
    path = Path(wish).expanduser()
    return path if path.suffix == suffix else path.with_name(path.name + suffix)


def _write(chat: Chat, path: Path) -> None:
    place = export_session(list(chat.session.transcript), path, chat.settings.directory())
    chat.desk.note(f"written to {place}")
