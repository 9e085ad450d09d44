"""`interpreter trust`: in which directories a project's files may instruct and start programs;
`interpreter hooks`: which programs those are."""

from __future__ import annotations

from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.visible import visible
from interpreter.settings import trust
from interpreter.settings.sources import gather
from interpreter.terminal.arguments import OneLineParser


def trust_command(arguments: list[str]) -> int:
    """Trust a directory, list those that are trusted, or take it back."""
    parser = OneLineParser(
        prog="interpreter trust",
        description="Let a project's own files (AGENTS.md, skills, commands, hooks, .mcp.json) "
        "instruct the model and start programs. Without this they are left out.",
    )
    parser.add_argument("directory", nargs="?", default=".", help="the directory (default: here)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--list", action="store_true", help="list the trusted directories")
    which.add_argument("--remove", action="store_true", help="trust it no longer")
    options = parser.parse_args(arguments)
    directory = Path(options.directory)
    if options.list:
        for one in trust.trusted():
            print(visible(str(one)))
    elif options.remove:
        if not trust.distrust(directory):
            raise ConfigurationError(f"{directory.resolve()} was not trusted.")
        print(f"No longer trusted: {visible(str(directory.resolve()))}")
    else:
        print(f"Trusted, with all below it: {visible(str(trust.trust(directory)))}")
    return 0


def hooks_command(arguments: list[str]) -> int:
    """List the hooks of the user and of this directory."""
    parser = OneLineParser(
        prog="interpreter hooks",
        description="List the commands that a session in this directory would run as hooks.",
    )
    parser.parse_args(arguments)
    from interpreter.terminal.magics.project import hook_lines  # noqa: PLC0415  (loads the whole house)

    print("\n".join(hook_lines(gather({}).settings)))
    return 0
