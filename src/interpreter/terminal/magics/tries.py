"""Commands for trying several ways: go off in a copy of everything, compare, keep one."""

from __future__ import annotations

from interpreter.protocol.errors import CheckpointConflict, ConfigurationError
from interpreter.terminal.chat import FIRST, Chat


def attempt(chat: Chat, argument: str) -> None:
    """Go on in a copy of conversation, variables and files; by name, in one that is there."""
    if argument and not argument.isidentifier():
        raise ConfigurationError("A try has a plain name. For example: %try forest")
    name = argument or f"try{len(chat.tries) + 1}"
    if name == FIRST:
        chat.go_to(FIRST)
        chat.desk.note("Back where everything is as it was before the tries.")
        return
    if name not in chat.tries:
        from interpreter.assembly.attempts import Attempt  # noqa: PLC0415  (rarely asked for)

        first = chat.first
        chat.tries[name] = Attempt(first.factory, first.session, first.settings)
    chat.go_to(name)
    chat.desk.note(
        f"This is {name}: the same conversation, variables, and files in a copy, in "
        f"{chat.settings.directory()}. %compare shows what it did, %keep makes it what happened, "
        f"%drop forgets it, %try {FIRST} goes back for now."
    )


def compare(chat: Chat, argument: str) -> None:
    """What each try did."""
    wanted = [argument] if argument else list(chat.tries)
    if not chat.tries or any(name not in chat.tries for name in wanted):
        raise ConfigurationError(f"There is no try {argument}; %try begins one.".replace("  ", " "))
    here = {chat.here: "  (you are here)"}
    for name in wanted:
        chat.desk.note(f"{name}{here.get(name, '')}: {chat.tries[name].compare().rstrip()}")


def keep(chat: Chat, argument: str) -> None:
    """Make the try that we are in what happened; the others are forgotten."""
    name = _current(chat)
    if argument not in ("", "keep", "overwrite"):
        raise ConfigurationError("%keep takes nothing, or one of keep and overwrite.")
    try:
        told = chat.tries[name].keep(argument or "refuse")  # type: ignore[arg-type]
    except CheckpointConflict as error:
        raise ConfigurationError(f"{error} Say %keep keep, or %keep overwrite.") from error
    chat.go_to(FIRST)
    del chat.tries[name]
    chat.drop_tries()
    chat.desk.note(told)


def drop(chat: Chat, argument: str) -> None:
    """Forget the try that we are in, or the one of that name."""
    name = argument or _current(chat)
    if name not in chat.tries:
        raise ConfigurationError(f"There is no try {name}.")
    if name == chat.here:
        chat.go_to(FIRST)
    chat.tries.pop(name).close()
    chat.desk.note(f"{name} is forgotten.")


def _current(chat: Chat) -> str:
    if chat.here == FIRST:
        raise ConfigurationError("This is no try; %try begins one, %try NAME goes to it.")
    return chat.here
