"""What is asked before anything starts: no sandbox, a profile from afar, a project's own files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.terminal.input.piped import someone_is_there

NO_SANDBOX = "The sandbox is off: code runs with all of your rights, on all of your files."


def confirm_no_sandbox() -> None:
    """Without a sandbox only after the person typed so; where nobody is there, the flag says it."""
    red = "{}" if os.environ.get("NO_COLOR") or not sys.stderr.isatty() else "\x1b[31m{}\x1b[0m"
    print(red.format(NO_SANDBOX), file=sys.stderr)
    if not someone_is_there():
        return
    print("Type off to go on: ", end="", file=sys.stderr, flush=True)
    if input().strip().lower() != "off":
        raise ConfigurationError("Nothing was started: the sandbox was not confirmed to be off.")


def confirm_profile(source: str, text: str) -> bool:
    """Show a profile that was fetched, all of it; used only if the person at the terminal agrees.

    A profile may be a program, which runs with all rights before there is any sandbox.
    """
    if not someone_is_there():
        return False
    import shutil  # noqa: PLC0415  (few profiles come from afar)

    from interpreter.protocol.visible import visible  # noqa: PLC0415
    from interpreter.terminal.render.markdown.highlight import highlight  # noqa: PLC0415

    width = shutil.get_terminal_size().columns - 1
    lines = "\n".join(highlight(text, "", colour=False, width=width))
    print(f"The profile {visible(source)}:\n\n{lines}\n", file=sys.stderr)
    print("It would run with all of your rights. Use it? yes / [no]: ", end="", file=sys.stderr)
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False


def confirm_project(directory: Path) -> None:
    """Once for a directory: whether its own files may instruct the model. Silence means no."""
    from interpreter.guidance.project import asks_for_trust  # noqa: PLC0415  (few projects have any)
    from interpreter.protocol.visible import visible  # noqa: PLC0415
    from interpreter.settings import trust  # noqa: PLC0415

    files = () if trust.is_trusted(directory) else asks_for_trust(directory)
    if not files or trust.was_declined(directory):
        return
    more = f" and {len(files) - 6} more" if len(files) > 6 else ""
    names = ", ".join(visible(name) for name in files[:6])
    print(f"This directory has files that instruct the model or start programs: {names}{more}.")
    print("Use them, now and in future? yes / [no]: ", end="", flush=True)
    try:
        answer = sys.stdin.readline().strip().lower()
    except KeyboardInterrupt:
        answer = ""
    if answer in ("y", "yes"):
        trust.trust(directory)
    else:
        trust.decline(directory)
        print("They are left out. To change that: interpreter trust")
