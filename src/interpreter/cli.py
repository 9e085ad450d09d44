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
    from interpreter.terminal.commands import guarded, run

    if arguments[:1] == ["serve"]:
        return guarded(lambda: _serve(arguments[1:]))
    if arguments[:2] == ["mcp", "serve"]:
        return guarded(lambda: _serve_tools(arguments[2:]))
    if "--server" in arguments:
        return guarded(lambda: _serve([one for one in arguments if one != "--server"]))
    return run(arguments)


def _serve(arguments: list[str]) -> int:
    from interpreter.server.command import run, split
    from interpreter.terminal.arguments import parse
    from interpreter.terminal.start import settings_of

    options, others = split(arguments)
    return run(options, settings_of(parse(others)), lambda text: print(text, flush=True))


def _serve_tools(arguments: list[str]) -> int:
    from interpreter.headless.mcp_stdio import serve
    from interpreter.terminal.arguments import parse
    from interpreter.terminal.start import settings_of

    return serve(settings_of(parse(arguments)))
