"""`interpreter hooks`: the hooks that a session here would run, and what is left out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from interpreter.protocol.visible import sentence, visible
from interpreter.settings.settings import Settings
from interpreter.settings.sources import gather


def hooks_command(arguments: list[str]) -> int:
    """List the hooks of the user and of this directory."""
    parser = argparse.ArgumentParser(
        prog="interpreter hooks",
        description="List the commands that a session in this directory would run as hooks.",
    )
    parser.parse_args(arguments)
    print("\n".join(hook_lines(gather({}).settings)))
    return 0


def hook_lines(settings: Settings) -> Iterator[str]:
    """A line for each hook, and one for whatever is left out."""
    from interpreter.assembly.hooks import configured, left_out, user_file  # noqa: PLC0415

    found = configured(settings)
    for hook in found.hooks:
        what = f"{hook.event} {hook.matcher}".strip()
        where = "outside of the sandbox" if hook.outside else "in the sandbox"
        more = f", if {hook.condition}" if hook.condition else ""
        yield f"{visible(what)}: {visible(hook.command)}"
        yield f"  {where}, {hook.seconds:g} s{visible(more)}; from {visible(str(hook.file))}"
    yield from found.troubles
    for file in left_out(settings):
        yield sentence(f"Not used, because this directory is not trusted: {file}")
    if not found.hooks:
        yield sentence(f"There are no hooks. Yours would be in {user_file()}; see docs/hooks.md.")
