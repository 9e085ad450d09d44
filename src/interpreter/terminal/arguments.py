"""The command line: what may be said to `interpreter`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import field
from typing import Any, NoReturn

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.system.host_programs import find_program
from interpreter.protocol.values import frozen
from interpreter.settings.settings import CHOICES

DESCRIPTION = """\
Say what you want; a model writes code; it runs here, in a persistent REPL, when you approve it.

  interpreter                         a conversation
  interpreter "plot sales.csv"        one message, then the conversation goes on
  interpreter -y --once "…"           one message, run without asking, and exit
  interpreter --print "…"             only the answer, for scripts; also as JSON
  cat log | interpreter "why?"        the input is attached as a file
  interpreter --resume last           go on where you left off
  interpreter sessions                list what was kept; also: search, show, fork, delete, export,
                                      import
  interpreter models                  local models: list, pull, rm; also: check, prices
  interpreter serve                   the web page, and the protocols for programs
  interpreter config | doctor         settings and where they come from | what works here
  interpreter mcp                     servers of tools: add, list, test, remove, login; also: serve
  interpreter trust | hooks           let a project's files have a say | the hooks that count here
  interpreter wtf                     why the last command failed
  interpreter completion bash         completion for the shell: bash, zsh or fish
"""
EPILOG = """\
for programs (docs/headless.md):
  --print, --output-format text|json|stream-json, --input-format stream-json; and with these:
  --permission-mode MODE, --dangerously-skip-permissions, --permission-prompt-tool stdio,
  --allowed-tools RULES, --disallowed-tools RULES, --tools NAMES, --add-dir DIR, --max-turns N,
  --max-budget-usd USD, --task-budget N, --effort HOW, --json-schema SCHEMA,
  --system-prompt TEXT, --append-system-prompt TEXT (or …-file FILE), --settings JSON,
  --setting-sources NAMES, --mcp-config JSON, --strict-mcp-config, --include-partial-messages,
  --replay-user-messages, --continue, --fork-session, --session-id ID, --no-session-persistence

Exit codes: 0 done, 1 not done, 2 wrong argument or setting, 3 code not approved, 130 interrupted.
Ctrl-C or Esc stops what is going on and keeps everything; %help at the prompt lists the commands.
"""


class UsageError(ConfigurationError):
    """The command line cannot be understood."""


class OneLineParser(argparse.ArgumentParser):
    """Tells a mistake as all of ours are told."""

    def error(self, message: str) -> NoReturn:
        """In one line, with where to read more."""
        raise UsageError(f"{message} (see {self.prog} --help)")


class _Parser(OneLineParser):
    def print_help(self, file: Any = None) -> None:
        """By the pager where a person would have to scroll back."""
        text = self.format_help()
        if file is None and sys.stdout.isatty() and _paged(text):
            return
        super().print_help(file)

    def error(self, message: str) -> NoReturn:
        super().error(f"{message}{_meant(message)}")


def _meant(message: str) -> str:
    """The flag that an unknown one looks like, or what one of a program's is missing."""
    import difflib  # noqa: PLC0415  (only to complain)
    import re  # noqa: PLC0415

    unknown = message.partition("unrecognized arguments: ")[2].split(" ")[0].partition("=")[0]
    of_programs = _underscored(re.findall(r"--[a-z-]+", EPILOG))
    wanted = unknown.replace("-", "_")
    if wanted.removesuffix("_file") in of_programs:
        return "; it is for programs, and needs --print"
    ours = [name for flags in GROUPS.values() for flag in flags for name in flag.names]
    known = {**of_programs, **_underscored(ours)}
    close = difflib.get_close_matches(wanted, known, n=1)
    return f"; did you mean {known[close[0]]}?" if unknown and close else ""


def _underscored(names: list[str]) -> dict[str, str]:
    return {name.replace("-", "_"): name for name in names}


def _paged(text: str) -> bool:
    """Show a long text by `less`; False where that is not to be had."""
    import shutil  # noqa: PLC0415  (few ask for help)
    import subprocess  # noqa: PLC0415

    less = find_program("less")
    if less is None or text.count("\n") < shutil.get_terminal_size().lines:
        return False
    return subprocess.run([less, "-FRX"], input=text, text=True, check=False).returncode == 0


@frozen
class CommandFlag:
    """One flag: its names, what argparse makes of it, and what completes it."""

    names: tuple[str, ...]
    help: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def takes_value(self) -> bool:
        """Whether something follows it."""
        return "action" not in self.options


def _flag(names: str, help: str, **options: Any) -> CommandFlag:
    return CommandFlag(tuple(names.split()), help, options)


def _switch(names: str, help: str, **options: Any) -> CommandFlag:
    return CommandFlag(tuple(names.split()), help, {"action": "store_true", **options})


def _optional(names: str, help: str) -> CommandFlag:
    return CommandFlag(tuple(names.split()), help, {"action": argparse.BooleanOptionalAction})


EFFORTS = CHOICES["reasoning_effort"]
GROUPS: dict[str, tuple[CommandFlag, ...]] = {
    "the model": (
        _flag("-m --model", "e.g. gpt-4o, claude-…, ollama/…, scripted/FILE"),
        _flag("-ab --api_base", "where it is served", metavar="URL"),
        _flag("-ak --api_key", "better: `interpreter config key`", metavar="KEY"),
        _flag("-av --api_version", "for servers that want one", metavar="V"),
        _flag("-t --temperature", "0 is steady, 1 is lively", type=float, metavar="N"),
        _flag("-cw --context_window", "tokens it can read", type=int, metavar="N"),
        _flag("-x --max_tokens", "tokens it may answer with", type=int, metavar="N"),
        _flag("--reasoning_effort", "from none to max", choices=EFFORTS, metavar="HOW"),
        _flag("--dialect", "native, fenced or mixed", choices=CHOICES["dialect"], metavar="HOW"),
        _flag("--model_timeout", "seconds it may be silent", type=float, metavar="S"),
        _optional("-lsv --llm_supports_vision", "whether it sees pictures"),
        _optional("-lsf --llm_supports_functions", "whether it calls tools"),
        _switch("-o --offline", "never leave this machine"),
        _switch("-l --local", "a model that runs here"),
        _switch("-f --fast", "few words"),
        _switch("-vi --vision", "it sees pictures"),
        _switch("--codestral", "codestral, by Ollama"),
        _switch("--llama3", "llama3, by Ollama"),
        _switch("--groq", "a model of groq"),
        _switch("--assistant", "help with everyday things"),
        _switch("-os --os", "it sees the screen and uses mouse and keyboard"),
    ),
    "the work": (
        _switch("-y --auto_run", "run without asking"),
        _flag("--approval", "who decides about code", choices=CHOICES["approval"]),
        _flag("--rules", "a file with rules about what may run", metavar="FILE"),
        _flag("-safe --safe_mode", "scan code before it runs", choices=CHOICES["safe_mode"]),
        _flag("--sandbox", "read-only, workspace, trusted, off", metavar="LEVEL"),
        _flag("--workspace", "where code works (default: here)", metavar="DIR"),
        _flag("--python", "the Python that code runs in", metavar="PATH"),
        _flag("--kernel", "a running Jupyter kernel for Python; no sandbox", metavar="FILE"),
        _flag("--timeout", "seconds a block may take", type=float, metavar="S"),
        _switch("--dry-run", "take back what each block did", dest="dry_run"),
        _flag("-xo --max_output", "characters of output it reads", type=int, metavar="N"),
        _switch("--loop", "go on until the task is done"),
        _flag("-ci --custom_instructions", "add to the prompt", metavar="TEXT"),
        _flag("-sm --system_message", "replace the prompt", metavar="TEXT"),
        _switch("--trust_profile", "run {{ … }} in a profile's prompt"),
        _flag("-p --profile", "a profile, by name, path or address", metavar="NAME"),
    ),
    "what it may use": (
        _flag("-b --max_budget", "dollars a session may cost", type=float, metavar="USD"),
        _flag("--max_memory", "megabytes code may hold", type=int, metavar="MB"),
        _flag("--max_programs", "programs at once", type=int, metavar="N"),
        _flag("--max_turn_budget", "dollars a message may cost", type=float, metavar="USD"),
        _flag("--max_turn_tokens", "tokens a message may use", type=int, metavar="N"),
        _flag("--max_session_tokens", "tokens a session may use", type=int, metavar="N"),
        _flag("--max_session_steps", "model calls per session", type=int, metavar="N"),
        _flag("--max_turn_seconds", "time a message may take", type=float, metavar="S"),
        _flag("--max_session_seconds", "time a session may take", type=float, metavar="S"),
        _flag("--max-steps", "model calls per message", type=int, metavar="N", dest="max_steps"),
    ),
    "the terminal": (
        _switch("-pl --plain", "plain text: logs, dumb terminals, screen readers"),
        _flag("--images", "how pictures are drawn", choices=CHOICES["images"]),
        _flag(
            "-nhl --no_highlight_active_line",
            "do not mark the running line",
            action="store_false",
            dest="highlight_active_line",
        ),
        _switch("-ml --multi_line", "several lines between triple quotes (always on)"),
        _switch("-sp --speak_messages", "read answers aloud"),
        _switch("--voice", "talk: Ctrl-T begins and ends it, answers are read aloud"),
        _switch("--hands_free", "with --voice: a message ends when you stop speaking"),
        _flag("--voice_ear", "what hears: a server's provider/model", metavar="NAME"),
        _flag("--voice_mouth", "what speaks: provider/model, or system", metavar="NAME"),
        _flag("--voice_name", "the voice that a server speaks with", metavar="NAME"),
        _flag("--voice_language", "the language you speak, such as en", metavar="CODE"),
        _flag("--voice_api_base", "where that server is", metavar="URL"),
        _switch("-v --verbose", "show what else happens"),
        _switch("-debug --debug --debug_mode", "the same as --verbose"),
    ),
    "how it runs": (
        _switch("--once", "exit after the message is answered"),
        _switch("-s --stdin", "one message from the standard input, then exit"),
        _switch("--json", "one event per line, as JSON"),
        _flag("--resume", "a session's id, a file, or last", nargs="?", const="last", metavar="ID"),
        _switch("--conversations", "pick a session to go on with"),
        _flag("--no-history", "do not keep the session", action="store_false", dest="keep_history"),
        _switch("--server", "the same as `interpreter serve`"),
        _switch("--profiles", "show the directory of profiles"),
        _flag("--reset_profile", "restore a profile", nargs="?", const="default", metavar="NAME"),
        _switch("--local_models", "show the directory of models"),
        _switch("--version", "show the version and exit"),
    ),
    "for old habits": (
        _switch("-dt --disable_telemetry", "there is none; accepted, does nothing"),
        _switch("--contribute_conversation", "nothing is ever sent; accepted, does nothing"),
    ),
}  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The parser of the chat command. Flags of settings are absent when they are not given."""
    made = _Parser(
        prog="interpreter",
        usage="interpreter [flags] [message]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_formatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    made.add_argument("message", nargs="*", help=argparse.SUPPRESS)
    for title, flags in GROUPS.items():
        group = made.add_argument_group(title)
        for flag in flags:
            group.add_argument(*flag.names, help=flag.help, **flag.options)
    return made


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=42, width=100)


def parse(arguments: list[str]) -> dict[str, Any]:
    """What was given, by name; UsageError in one line for anything unknown."""
    given = vars(parser().parse_args(list(_as_written(arguments))))
    return {name.removeprefix("llm_"): value for name, value in given.items()}


def _as_written(arguments: list[str]) -> Iterator[str]:
    """The flags as they are defined: `--auto-run` means `--auto_run`, and the other way round."""
    known = {name for flags in GROUPS.values() for flag in flags for name in flag.names}
    known |= {name.replace("--", "--no-", 1) for name in known if name.startswith("--llm")}
    spelled = {name.replace("_", "-"): name for name in known if name.startswith("--")}
    for place, argument in enumerate(arguments):
        if argument == "--":
            yield from arguments[place:]
            return
        name, equals, value = argument.partition("=")
        yield spelled.get(name.replace("_", "-"), name) + equals + value
