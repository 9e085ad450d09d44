"""`interpreter sessions`: what was kept, found, shown, forked and deleted."""

from __future__ import annotations

import time
from pathlib import Path

from interpreter import lmc
from interpreter.assembly.cell.kept_files import forget_session
from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError, why_unreadable
from interpreter.protocol.messages import Code, Message, Output, Text
from interpreter.protocol.visible import legible, tame_plain, visible
from interpreter.session.export.formats import LARGEST, export_session, from_json
from interpreter.session.export.markdown import fenced
from interpreter.session.store.database import Store
from interpreter.settings.paths import data_directory

USAGE = """\
interpreter sessions [list | search WORDS | show ID | fork ID | delete ID]
       interpreter sessions export ID FILE | import FILE...
       FILE ends in .md, .html, .ipynb, .py or .json; an import is JSON of ours,
       or a conversation that Open Interpreter saved"""


def sessions_command(arguments: list[str]) -> int:
    """Do one thing with the kept sessions."""
    store = Store(data_directory())
    match arguments:
        case [] | ["list"]:
            _list(store)
        case ["search", *words] if words:
            _search(store, " ".join(words))
        case ["show", name]:
            _show_all(store, store.find(name))
        case ["fork", name]:
            print(store.fork(store.find(name)))
        case ["delete", name]:
            session = store.find(name)
            store.delete(session)
            forget_session(session)
            print(f"deleted {session}")
        case _:
            _other(store, arguments)
    store.close()
    return 0


def opened(name: str) -> str:
    """The session that a file becomes: it is imported first."""
    store = Store(data_directory())
    try:
        return _import(store, Path(name))
    finally:
        store.close()


def _other(store: Store, arguments: list[str]) -> None:
    match arguments:
        case ["export", name, file]:
            export_session(list(store.messages(store.find(name))), Path(file))
        case ["import", *files] if files:
            for file in files:
                print(_import(store, Path(file)))
        case ["-h" | "--help"]:
            print(f"usage: {USAGE}")
        case _:
            said = " ".join(arguments)
            raise ConfigurationError(f"`sessions {said}`? See interpreter sessions -h.")


def _import(store: Store, path: Path) -> str:
    """Keep a session that was exported, or a conversation that Open Interpreter saved."""
    try:
        real = safe_files.named_by_user(path, Path.cwd())
        text = safe_files.read_bytes(real, LARGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"Cannot read {path}: {why_unreadable(error)}.") from error
    of_old = lmc.is_conversation(text)
    messages = lmc.decode_all(lmc.conversation(text)) if of_old else from_json(text)
    session = store.create(model="", directory=str(Path.cwd()))
    for place, message in enumerate(messages):
        store.append(session, place, message)
    return session


def _list(store: Store) -> None:
    for info in store.list():
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated))
        print(f"{info.id}  {when}  {info.messages:4} messages  {visible(info.title)}")


def _search(store: Store, words: str) -> None:
    for hit in store.search(words):
        print(f"{hit.session}  {visible(' '.join(hit.excerpt.split()))}")


def _show_all(store: Store, session: str) -> None:
    for message in store.messages(session):
        if not message.is_private:
            _show(message)


def _show(message: Message) -> None:
    for part in message.parts:
        match part:
            case Text(text):
                print(tame_plain(f"> {text}" if message.role == "user" else text))
            case Code(language, source):
                print(fenced(legible(source), language))
            case Output(text):
                print(tame_plain(text).rstrip())
            case _:
                pass
