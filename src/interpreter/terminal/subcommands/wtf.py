"""`wtf`: why the last command failed, and the command that would mend it, for you to approve.

A hook in the shell keeps the last command, its exit code and the end of its output. Nothing is run
again, and nothing is ever typed into the terminal.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.system.host_programs import find_program
from interpreter.terminal.commands import guarded
from interpreter.terminal.render.ansi import tame_plain

USAGE = """\
usage: wtf [flags] [question] explain the last command that failed; needs the hook below
                              (flags: as interpreter has them, such as --model NAME)
       command 2>&1 | wtf     explain this output
       wtf hook bash|zsh|fish print the hook: eval "$(wtf hook bash)" in ~/.bashrc
                              (zsh: eval "$(wtf hook zsh)" · fish: wtf hook fish | source)"""
TAIL = 9_000
LARGEST_SOURCE = 1 << 22  # bytes
SCROLLBACK = 500  # lines
TMUX_SECONDS = 5.0
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
            return _explain(arguments)


def _explain(arguments: list[str]) -> int:
    from interpreter.terminal.arguments import parse  # noqa: PLC0415  (the hook needs none of it)

    options = parse(arguments)
    message = describe(_evidence(), " ".join(options.get("message", ())))
    from interpreter.terminal.start import run  # noqa: PLC0415

    return run({"custom_instructions": TASK, **options, "once": True, "message": [message]})


def _evidence() -> dict[str, str]:
    """What is known about the command that failed."""
    if not sys.stdin.isatty():
        text = sys.stdin.buffer.read().decode(errors="replace")
        _take_terminal_as_stdin()
        if text.strip():
            return {"output": text}
    kept = {
        name: os.environ.get(f"WTF_{name.upper()}", "")
        for name in ("command", "status", "output_file", "directory")
    }
    if not kept["command"]:
        raise ConfigurationError('wtf knows no command yet: eval "$(wtf hook bash)" (see wtf -h)')
    file = kept["output_file"]
    kept["output"] = _tail(Path(file)) if file else after_command(_scrollback(), kept["command"])
    return kept


def _take_terminal_as_stdin() -> None:
    """The pipe has been read; questions are answered at the terminal, where there is one."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return
    os.dup2(terminal, sys.stdin.fileno())
    os.close(terminal)


def _scrollback() -> list[str]:
    """The last lines of the pane that we are in, where tmux has them."""
    pane = os.environ.get("TMUX_PANE", "")
    if not os.environ.get("TMUX") or not pane:
        return []
    argv = [
        find_program("tmux") or "",
        "capture-pane",
        "-p",
        "-J",
        "-S",
        f"-{SCROLLBACK}",
        "-t",
        pane,
    ]
    try:
        done = subprocess.run(argv, capture_output=True, check=True, timeout=TMUX_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.decode(errors="replace").rstrip().split("\n")


def after_command(lines: list[str], command: str) -> str:
    """What stands below the line where the command was typed and above the one with `wtf`."""
    typed = command.strip().split("\n")[-1]
    places = [number for number, line in enumerate(lines) if line.rstrip().endswith(typed)]
    return "\n".join(lines[places[-1] + 1 : -1]) if places and typed else ""


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
    if path.suffix not in (".py", ".pyi"):
        return []  # what was printed may name any file
    try:
        place = safe_files.named_by_user(path, Path.cwd())
        lines = safe_files.read_start(place, LARGEST_SOURCE).decode(errors="replace").splitlines()
    except OSError:
        return []
    first = max(0, number - 1 - AROUND)
    shown = [f"{n:5} {line}" for n, line in enumerate(lines[first : number + AROUND], first + 1)]
    return [f"{path}:\n```\n" + "\n".join(shown) + "\n```"] if shown else []
