"""The command `interpreter`: arguments become settings, settings become one face."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run the command; its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments == ["--version"]:  # scripts ask this often, so it loads nothing
        from interpreter._version import __version__

        print(f"interpreter {__version__}")
        return 0
    from interpreter.terminal.commands import run

    return run(arguments)
