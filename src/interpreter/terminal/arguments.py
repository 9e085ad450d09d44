"""The command line: what may be said to `interpreter`."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from interpreter.protocol.errors import ConfigurationError

DESCRIPTION = """\
Say what you want; a model writes code; it runs here, in a persistent REPL, when you approve it.

  interpreter                         a conversation
  interpreter "plot sales.csv"        one message, then the conversation goes on
  interpreter -y --once "…"           one message, run without asking, and exit
  interpreter --resume last           go on where you left off
  interpreter sessions                list what was kept; also: search WORDS, show, fork, delete ID
"""
EPILOG = """\
Exit codes: 0 done, 1 not done, 2 wrong argument or setting, 3 code not approved, 130 interrupted.
"""


class UsageError(ConfigurationError):
    """The command line cannot be understood."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see interpreter --help)")


def parser() -> argparse.ArgumentParser:
    """The parser of the chat command. Flags of settings are absent when they are not given."""
    made = _Parser(
        prog="interpreter",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    made.add_argument("message", nargs="*", help="what you want done")
    settings = made.add_argument_group("settings (they win over the profile)")
    settings.add_argument("-m", "--model", help="the model, e.g. gpt-4o, ollama/…, scripted/FILE")
    settings.add_argument("-y", "--auto_run", action="store_true", help="run without asking")
    settings.add_argument("-ci", "--custom_instructions", metavar="TEXT", help="add to the prompt")
    settings.add_argument("-sm", "--system_message", metavar="TEXT", help="replace the prompt")
    settings.add_argument("-ab", "--api_base", metavar="URL", help="where the model is served")
    settings.add_argument("-ak", "--api_key", metavar="KEY", help="better: an environment variable")
    settings.add_argument("--max-steps", dest="max_steps", type=int, help="model calls per message")
    settings.add_argument("--workspace", metavar="DIR", help="where code works (default: here)")
    settings.add_argument("--sandbox", metavar="LEVEL", help="read-only, workspace, trusted, off")
    settings.add_argument("-p", "--profile", metavar="NAME", help="a profile, by name or path")
    settings.add_argument(
        "--no-history", dest="keep_history", action="store_false", help="do not keep the session"
    )
    work = made.add_argument_group("how it runs")
    work.add_argument("--once", action="store_true", help="exit after the message is answered")
    work.add_argument("--resume", metavar="ID", help="go on with a session: its id, or last")
    work.add_argument("--json", action="store_true", help="one event per line, as JSON")
    work.add_argument("--version", action="store_true", help="show the version and exit")
    return made


def parse(arguments: list[str]) -> dict[str, Any]:
    """What was given, by name; UsageError in one line for anything unknown."""
    return vars(parser().parse_args(arguments))
