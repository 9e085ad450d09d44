"""The first words on the screen: one screen for a newcomer, one line for everybody else."""

from __future__ import annotations

import os
import shutil

from interpreter.protocol.visible import visible
from interpreter.settings.settings import Settings
from interpreter.terminal.ansi import COLOURS, NO_COLOURS, paint
from interpreter.terminal.wrap import in_width

ASKING = "Code runs when you approve it."
NOT_ASKING = "Code runs without asking (-y)."
WELCOME = """\
Welcome. Say what you want done, in plain words. A model writes code for it;
you look at it and press y; it runs here, in a sandbox, and can be undone.

  the model        {model}
  another one      interpreter --model NAME
  a key for one    interpreter config key PROVIDER
  what works here  interpreter doctor
  at the prompt    %help · !shell line · @file · Ctrl-C stops · Ctrl-D leaves
"""


def greeting(settings: Settings, *, first: bool) -> str:
    """What is said before the first prompt."""
    palette = NO_COLOURS if os.environ.get("NO_COLOR") else COLOURS
    if not first:
        asking = NOT_ASKING if settings.auto_run else ASKING
        line = f"Say what you want done. {asking} %help · Ctrl-D leaves"
        lines = in_width(line, shutil.get_terminal_size().columns)
        return "\n".join(paint(one, palette.dim) for one in lines)
    width = shutil.get_terminal_size().columns
    model = visible(settings.model) or _best(settings)
    head, _, rest = WELCOME.format(model=model).partition("\n\n")
    lines = [line for long in rest.split("\n") for line in in_width(long, width)]
    return "\n".join([*_filled(head, width), "", *(paint(line, palette.dim) for line in lines)])


def _best(settings: Settings) -> str:
    """The model that will be used, or why there is none; looked for once in a life."""
    from interpreter.assembly.model_choice import choose  # noqa: PLC0415  (asks local servers)

    choice = choose(settings)
    return visible(choice.name or choice.sentence)


def _filled(text: str, width: int) -> list[str]:
    """A paragraph, broken anew where it does not fit."""
    lines = text.split("\n")
    return lines if max(map(len, lines)) <= width else in_width(" ".join(lines), width)
