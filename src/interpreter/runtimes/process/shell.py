"""Persistent shells: each block is sourced as one unit, and its state survives `exit`."""

from __future__ import annotations

from pathlib import Path

from interpreter.protocol.ports import Language, Launch
from interpreter.runtimes.process.driven import PLAIN, Dialect, DrivenOptions, DrivenProcess

GREETING = ". '{driver}'\n"
ORDER = "{{ . '{file}'; __reploop_leave; }} </dev/null >'{out}' 2>'{err}'\n__reploop_done {token}\n"
FOREWORD = ". '{file}' </dev/null >|'{told}' 2>/dev/null\n"
REMINDER = "__reploop_done {token}\n"

# Interactive, because only then does an interrupt end the block and not the shell.
BASH = Dialect(
    Language("shell", ("bash", "sh", "terminal", "console"), ".sh"),
    ("bash", "--noprofile", "--norc", "--noediting", "-i", "+m"),
    "shell_driver.bash",
    GREETING,
    ORDER,
    REMINDER,
    FOREWORD,
)
ZSH = Dialect(
    Language("zsh", (), ".zsh"),
    ("zsh", "-f", "-i", "+m", "+Z"),
    "shell_driver.zsh",
    GREETING,
    ORDER,
    REMINDER,
    FOREWORD,
)


def bash(launch: Launch, exchange: Path, options: DrivenOptions = PLAIN) -> DrivenProcess:
    """The runtime of the language shell."""
    return DrivenProcess(launch, exchange, BASH, options)


def zsh(launch: Launch, exchange: Path, options: DrivenOptions = PLAIN) -> DrivenProcess:
    """The runtime of the language zsh."""
    return DrivenProcess(launch, exchange, ZSH, options)
