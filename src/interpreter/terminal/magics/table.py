"""Commands at the prompt, each by its name after `%`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible
from interpreter.terminal.chat import Chat
from interpreter.terminal.magics import files as magic_files
from interpreter.terminal.magics import project as magic_project
from interpreter.terminal.magics import sessions as magic_session
from interpreter.terminal.magics import state as magic_state
from interpreter.terminal.magics import tries as magic_tries

Do = Callable[[Chat, str], None]
SLASH = re.compile(r"/[\w.:-]+")


@frozen
class Command:
    """One command: its name, what may follow, what it does."""

    name: str
    argument: str
    about: str
    run: Do


def _shell(chat: Chat, argument: str) -> None:
    if not argument:
        raise ConfigurationError("What should the shell run? For example: %% ls")
    chat.shell(argument, tell=False)


def _help(chat: Chat, argument: str) -> None:
    """The names of all commands by what they are about; more about one group, one, or all."""
    chat.desk.note("\n".join(_overview() if not argument else _about(argument.lower())))


def _overview() -> list[str]:
    widest = max(map(len, GROUPS))
    lines = [f"{title:{widest}}  {' '.join(c.name for c in GROUPS[title])}" for title in GROUPS]
    return [*lines, "", *KEYS, "", MORE]


def _about(word: str) -> list[str]:
    """What is told about a group, a command with or without its sign, or `all`."""
    if word == "all":
        wanted = list(COMMANDS.values())
    elif word in GROUPS:
        wanted = list(GROUPS[word])
    else:
        one = COMMANDS.get(word) or COMMANDS.get(f"%{word}")
        wanted = [one] if one else []
    widest = max((len(f"{c.name} {c.argument}") for c in wanted), default=0)
    lines = [f"{f'{c.name} {c.argument}':{widest}}  {c.about}" for c in wanted]
    return lines or [_unknown(word if word.startswith("%") else f"%{word}")]


KEYS = (
    '!cmd  a shell line · !!cmd  the same, and the model is shown it · """  several lines',
    "@file  a path · Alt-Enter  a new line · Ctrl-R  search what you said · Ctrl-X Ctrl-E  editor",
    "Ctrl-C or Esc  stop, everything is kept · Ctrl-C twice or Ctrl-D  leave",
)
MORE = "%help undo  more of a line · %help %vars  of a command · %help all  of everything"


def _leave(chat: Chat, argument: str) -> None:
    chat.leaving = True


GROUPS: dict[str, tuple[Command, ...]] = {
    "undo": (
        Command("%undo", "[n]", "take back n blocks, `message`, or `to` a block", magic_state.undo),
        Command("%redo", "", "take the last undo back", magic_state.redo),
        Command("%diff", "[name]", "what a block changed (the last one)", magic_state.diff),
        Command("%checkpoints", "", "the states that can be gone back to", magic_state.checkpoints),
    ),
    "tries": (
        Command("%try", "[name]", "try a way in a copy of everything", magic_tries.attempt),
        Command(
            "%compare", "[name]", "what the tries did to files and variables", magic_tries.compare
        ),
        Command("%keep", "", "make the try we are in what happened", magic_tries.keep),
        Command("%drop", "[name]", "forget a try", magic_tries.drop),
    ),
    "work": (
        Command("%vars", "", "the live Python variables", magic_state.variables),
        Command("%jobs", "[stop n]", "blocks that go on in the background", magic_state.jobs),
        Command("%%", "cmd", "run a shell line (also: ! cmd)", _shell),
    ),
    "model": (
        Command("%model", "[name]", "the model, or another one", magic_state.model),
        Command("%models", "", "the models that can be reached", magic_state.models),
        Command("%cost", "", "tokens and money so far", magic_state.cost),
        Command(
            "%tokens", "[text]", "about how many tokens the conversation has", magic_state.tokens
        ),
        Command(
            "%compact", "", "shorten the conversation that the model sees", magic_state.compact
        ),
    ),
    "rules": (
        Command("%auto_run", "[on|off]", "run without asking", magic_state.auto_run),
        Command("%safe_mode", "[off|ask|auto]", "scan code before it runs", magic_state.safe_mode),
        Command("%sandbox", "", "how code is confined", magic_state.sandbox),
        Command(
            "%grants",
            "[forget value]",
            "the hosts and places that were allowed",
            magic_state.grants,
        ),
    ),
    "sessions": (
        Command("%sessions", "", "the kept sessions", magic_session.sessions),
        Command("%search", "words", "find a session by its words", magic_session.search),
        Command("%resume", "[id]", "go on with another session", magic_session.resume),
        Command("%fork", "", "go on in a copy of this conversation", magic_session.fork),
        Command("%reset", "", "forget the conversation and the variables", magic_session.reset),
    ),
    "files": (
        Command("%export", "path", "to .md, .html, .ipynb, .py or .json", magic_files.export),
        Command("%jupyter", "[path]", "a notebook of this session", magic_files.jupyter),
        Command("%markdown", "[path]", "this session in Markdown", magic_files.markdown),
        Command("%html", "[path]", "this session as one HTML file", magic_files.html),
        Command("%save_message", "[path]", "the messages as JSON", magic_files.save),
        Command(
            "%load_message", "[path]", "messages from JSON, in a new session", magic_files.load
        ),
    ),
    "program": (
        Command(
            "%memory", "[edit|forget]", "what is remembered of this project", magic_project.memory
        ),
        Command("%commands", "", "your own commands: /name", magic_project.commands),
        Command("%hooks", "", "the commands that are told what happens", magic_project.hooks),
        Command("%agents", "", "the agents that code can hand a task to", magic_project.agents),
        Command("%info", "", "versions, model, session, directories", magic_session.info),
        Command("%voice", "[on|off]", "talk, and hear the answers", magic_state.voice),
        Command("%verbose", "[on|off]", "show what else happens", magic_state.verbose),
        Command("%debug", "[on|off]", "as %verbose", magic_state.verbose),
        Command("%help", "[word|all]", "the commands, or more about some", _help),
        Command("%exit", "", "leave (also Ctrl-D)", _leave),
    ),
}
COMMANDS = {command.name: command for group in GROUPS.values() for command in group}


def summaries() -> dict[str, str]:
    """What the prompt completes."""
    return {command.name: command.about for command in COMMANDS.values()}


def run_command(chat: Chat, line: str) -> None:
    """Do what a line that begins with `%` says."""
    if line.startswith("%%"):
        _shell(chat, line[2:].strip())
        return
    name, _, argument = line.partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        chat.desk.note(_unknown(name))
        return
    command.run(chat, argument.strip())


def _unknown(name: str, more: Iterable[str] = ()) -> str:
    """That there is no such command, and which one was meant, whatever sign it begins with."""
    known = {one[1:]: one for one in (*COMMANDS, *more)}
    close = difflib.get_close_matches(name[1:].lower(), known, n=1, cutoff=0.5)
    hint = f" Did you mean {known[close[0]]}?" if close else ""
    return f"There is no command {visible(name)}.{hint} %help lists them."


def refuse_unknown(chat: Chat, text: str) -> None:
    """A line that begins with a `/name` that means nothing is a slip, not a message."""
    name = text.split(maxsplit=1)[0] if text.startswith("/") else ""
    if SLASH.fullmatch(name) and not Path(name).exists():
        theirs = [one for one in chat.suggestions() if one.startswith("/")]
        escape = "With a space in front it is a message."
        raise ConfigurationError(f"{_unknown(name, theirs)} {escape}")
