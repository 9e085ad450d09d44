"""The command `interpreter`: arguments become settings, settings become one face."""

from __future__ import annotations

import gc
import sys

GARBAGE = 20_000  # objects; a tenth of the start went into looking for it among what is imported
HEADLESS = frozenset({"--print", "--output-format", "--input-format"})  # a program is answered


def main(argv: list[str] | None = None) -> int:
    """Run the command; its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments == ["--version"]:  # scripts ask this often, so it loads nothing
        from interpreter._version import __version__

        print(f"interpreter {__version__}")
        return 0
    if argv is None:  # the process is ours
        gc.set_threshold(GARBAGE)
    from interpreter.terminal.commands import SUBCOMMANDS, guarded, run

    if arguments[:1] == ["serve"]:
        return guarded(lambda: _serve(arguments[1:]))
    if arguments[:2] == ["mcp", "serve"]:
        return guarded(lambda: _serve_tools(arguments[2:]))
    if "--server" in arguments:
        return guarded(lambda: _serve([one for one in arguments if one != "--server"]))
    if arguments[:1] and arguments[0] not in SUBCOMMANDS and _is_headless(arguments):
        return guarded(lambda: _answer_program(arguments))
    return run(arguments)


def _serve(arguments: list[str]) -> int:
    from interpreter.server.command import run, split
    from interpreter.terminal.arguments import parse
    from interpreter.terminal.start import settings_of

    options, others = split(arguments)
    return run(options, settings_of(parse(others)), lambda text: print(text, flush=True))


def _is_headless(arguments: list[str]) -> bool:
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(one.partition("=")[0].replace("_", "-") in HEADLESS for one in before)


def _answer_program(arguments: list[str]) -> int:
    from interpreter.headless.command import run
    from interpreter.headless.flags import split
    from interpreter.protocol.errors import ConfigurationError
    from interpreter.terminal.arguments import parse
    from interpreter.terminal.input.questions import confirm_no_sandbox
    from interpreter.terminal.start import first_message, opened_session, settings_of

    options, others = split(arguments)
    given = parse(others)
    if given.get("json"):
        raise ConfigurationError("--json and --output-format are two formats; take one.")
    settings = options.applied(settings_of(given))
    if settings.sandbox == "off":
        confirm_no_sandbox()
    text = first_message(given, settings) if options.input == "text" else ""
    return run(options, settings, text, resume=opened_session(given.get("resume", "")))


def _serve_tools(arguments: list[str]) -> int:
    from interpreter.headless.mcp_stdio import serve
    from interpreter.terminal.arguments import parse
    from interpreter.terminal.start import settings_of

    return serve(settings_of(parse(arguments)))
