"""`wtf`: why the last command failed, and the command that would mend it, for you to approve.

A hook in the shell keeps the last command, its exit code and the end of its output. Nothing is run
again, and nothing is ever typed into the terminal.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.terminal.ansi import tame_plain
from interpreter.terminal.commands import guarded

USAGE = """\
usage: wtf [question]         explain the last command that failed; needs the hook below
       command 2>&1 | wtf     explain this output
       wtf hook bash|zsh|fish print the hook: eval "$(wtf hook bash)" in ~/.bashrc
                              (zsh: eval "$(wtf hook zsh)" · fish: wtf hook fish | source)"""
TAIL = 9_000
TASK = """\
You explain why a command in a terminal failed. Say in a few plain sentences what went wrong. If a \
command or a small script can mend it, propose exactly one block that does; it is shown to the \
user, who decides whether it runs. Do not run the failed command again just to see its output."""
TRACEBACK = re.compile(r'File "([^"\n]+)", line (\d+)')
AROUND = 4


def main() -> int:
    """The command `wtf`."""
    return guarded(lambda: wtf_command(sys.argv[1:]))


def wtf_command(arguments: list[str]) -> int:
    """Explain, or print the hook of a shell."""
    match arguments:
        case ["-h" | "--help"]:
            print(USAGE)
            return 0
        case ["hook", shell] if shell in ("bash", "zsh", "fish"):
            print(Path(__file__).with_name("hooks").joinpath(f"wtf.{shell}").read_text().rstrip())
            return 0
        case _:
            return _explain(" ".join(arguments))


def _explain(question: str) -> int:
    message = describe(_evidence(), question)
    from interpreter.terminal.start import run  # noqa: PLC0415  (the hook needs none of it)

    flags = {"custom_instructions": TASK, "once": True, "message": [message]}
    return run(flags)


def _evidence() -> dict[str, str]:
    """What is known about the command that failed."""
    if not sys.stdin.isatty():
        text = sys.stdin.buffer.read().decode(errors="replace")
        _take_terminal_as_stdin()
        return {"output": text}
    kept = {
        name: os.environ.get(f"WTF_{name.upper()}", "")
        for name in ("command", "status", "output_file", "directory")
    }
    if not kept["command"]:
        raise ConfigurationError('wtf knows no command yet: eval "$(wtf hook bash)" (see wtf -h)')
    if kept["output_file"]:
        kept["output"] = _tail(Path(kept["output_file"]))
    return kept


def _take_terminal_as_stdin() -> None:
    """The pipe has been read; questions are answered at the terminal, where there is one."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return
    os.dup2(terminal, sys.stdin.fileno())
    os.close(terminal)


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4 * TAIL))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def describe(kept: dict[str, str], question: str) -> str:
    """The message to the model."""
    output = tame_plain(kept.get("output", ""))[-TAIL:].strip()
    lines = [question or "Why did this fail, and how do I mend it?"]
    if kept.get("command"):
        lines.append(f"Command: {kept['command']}")
    if kept.get("status"):
        lines.append(f"Exit code: {kept['status']}")
    if kept.get("directory"):
        lines.append(f"Directory: {kept['directory']}")
    lines.append(f"Output:\n```\n{output}\n```" if output else "Its output was not kept.")
    return "\n".join([*lines, *_source_around(output)])


def _source_around(output: str) -> list[str]:
    """The lines around the place that a Python traceback names last."""
    places = TRACEBACK.findall(output)
    if not places:
        return []
    path, number = Path(places[-1][0]), int(places[-1][1])
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    first = max(0, number - 1 - AROUND)
    shown = [f"{n:5} {line}" for n, line in enumerate(lines[first : number + AROUND], first + 1)]
    return [f"{path}:\n```\n" + "\n".join(shown) + "\n```"] if shown else []
