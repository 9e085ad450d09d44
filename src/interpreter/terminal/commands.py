"""What the command line can ask for: a chat, one message, events as JSON, or a subcommand."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from interpreter._version import __version__
from interpreter.protocol.errors import ConfigurationError, InterpreterError, StoreError

EXIT_CODES = {"answered": 0, "declined": 3, "interrupted": 130}
EXIT_FAILED = 1  # the task could not be done: the model failed, got stuck, ran out of steps
EXIT_WRONG = 2  # an argument, a setting, a file or the data directory is wrong
EXIT_INTERRUPTED = 130
EXIT_PIPE = 141  # nobody reads our output any more, as the shell reports it
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
WRONG = (ConfigurationError, StoreError)
SUBCOMMANDS = {
    "sessions": "sessions:sessions_command",
    "config": "config:config_command",
    "models": "local_models:command",
    "doctor": "doctor:doctor_command",
    "trust": "trust:trust_command",
    "hooks": "trust:hooks_command",
    "mcp": "mcp:mcp_command",
    "completion": "completion:completion_command",
    "wtf": "wtf:wtf_command",
}


def run(arguments: list[str]) -> int:
    """Do what the arguments say; every error of ours becomes one line and an exit code."""
    return guarded(lambda: _dispatch(arguments))


def guarded(work: Callable[[], int]) -> int:
    """Do some work; every error of ours becomes one line and an exit code."""
    try:
        code = work()
        sys.stdout.flush()
        return code
    except InterpreterError as error:
        _complain(str(error))
        return EXIT_WRONG if isinstance(error, WRONG) else EXIT_FAILED
    except BrokenPipeError:
        _let_go_of_stdout()  # and not a word, as every Unix tool does
        return EXIT_PIPE
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        _let_go_of_stdout()
        _complain(f"The output cannot be written: {error.strerror}. What happened so far is kept.")
        return EXIT_FAILED
    except KeyboardInterrupt:
        _complain("interrupted.")
        return EXIT_INTERRUPTED
    except SystemExit as leaving:  # argparse has shown the help
        return int(leaving.code or 0)


def _dispatch(arguments: list[str]) -> int:
    if arguments and arguments[0] in SUBCOMMANDS:
        module, _, name = SUBCOMMANDS[arguments[0]].partition(":")
        command = getattr(
            importlib.import_module(f"interpreter.terminal.subcommands.{module}"), name
        )
        return int(command(arguments[1:]))
    from interpreter.terminal.arguments import parse  # noqa: PLC0415  (subcommands have their own)

    options = parse(arguments)
    if "--" not in arguments:
        _refuse_misspelt(options.get("message", []))
    return _chat_command(options)


def _refuse_misspelt(message: list[str]) -> None:
    """One word that is nearly a subcommand is a slip, not a message that a model answers."""
    from difflib import get_close_matches  # noqa: PLC0415  (only where there is one word)

    known = (*SUBCOMMANDS, "serve")
    close = get_close_matches(message[0], known, n=1, cutoff=0.8) if len(message) == 1 else []
    if close:
        meant = f"did you mean `interpreter {close[0]}`?"
        raise ConfigurationError(
            f"{message[0]!r} is no command; {meant} As a message: interpreter -- {message[0]}"
        )


def _chat_command(options: dict[str, Any]) -> int:
    if options.get("version"):
        print(f"interpreter {__version__}")
        return 0
    from interpreter.terminal import start  # noqa: PLC0415  (--version needs neither)
    from interpreter.terminal.subcommands import errands  # noqa: PLC0415  (--version needs neither)

    done = errands.run(options)
    return start.run(options) if done is None else done


def _complain(text: str) -> None:
    from interpreter.protocol.visible import sentence  # noqa: PLC0415  (only to complain)

    with contextlib.suppress(OSError):
        print(_wrapped(f"interpreter: {sentence(text)}"), file=sys.stderr)


def _wrapped(text: str) -> str:
    """In whole words on a terminal; one line elsewhere, for programs that read it."""
    if not sys.stderr.isatty():
        return text
    import shutil  # noqa: PLC0415  (only to complain)
    import textwrap  # noqa: PLC0415

    width = shutil.get_terminal_size().columns
    lines = [textwrap.fill(line, width, break_on_hyphens=False) for line in text.split("\n")]
    return "\n".join(lines)


def _let_go_of_stdout() -> None:
    """So that the interpreter's exit does not try to flush into the closed pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
