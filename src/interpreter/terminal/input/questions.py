"""What must be typed before anything starts: that there is no sandbox, or a profile from afar."""

from __future__ import annotations

import os
import sys

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
    from interpreter.terminal.render.highlight import highlight  # noqa: PLC0415

    width = shutil.get_terminal_size().columns - 1
    lines = "\n".join(highlight(text, "", colour=False, width=width))
    print(f"The profile {visible(source)}:\n\n{lines}\n", file=sys.stderr)
    print("It would run with all of your rights. Use it? yes / [no]: ", end="", file=sys.stderr)
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False
