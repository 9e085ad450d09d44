"""The first words on the screen: one screen for a newcomer, one line for everybody else."""

from __future__ import annotations

import os
import shutil

from interpreter.protocol.visible import visible
from interpreter.settings.settings import Settings
from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS, paint
from interpreter.terminal.render.markdown.wrap import in_width

ASKING = "Code runs when you approve it."
NOT_ASKING = "Code runs without asking (-y)."
AS_ROOT = (
    "Root owns this directory, so code runs as root, without root's capabilities; "
    "in a directory of another user it runs as that user."
)
WELCOME = """\
Welcome. Say what you want done, in plain words. A model writes code for it;
you look at it and press y; it runs here, in a sandbox, and can be undone.

  the model        {model}
  another one      interpreter --model NAME
  a key for one    interpreter config key PROVIDER
  what works here  interpreter doctor
  at the prompt    %help · !shell line · @file · Ctrl-C stops · Ctrl-D leaves
"""


def greeting(settings: Settings, *, first: bool, colourful: bool) -> str:
    """What is said before the first prompt."""
    palette = COLOURS if colourful else NO_COLOURS
    width = shutil.get_terminal_size().columns
    if not first:
        asking = NOT_ASKING if settings.auto_run else ASKING
        line = f"Say what you want done. {asking} %help · Ctrl-D leaves"
        texts = [line, AS_ROOT] if _runs_as_root(settings) else [line]
        lines = [one for text in texts for one in in_width(text, width)]
        return "\n".join(paint(one, palette.dim) for one in lines)
    model = visible(settings.model) or _best(settings)
    head, _, rest = WELCOME.format(model=model).partition("\n\n")
    lines = [line for long in rest.split("\n") for line in in_width(long, width)]
    lines += in_width(AS_ROOT, width) if _runs_as_root(settings) else []
    return "\n".join([*_filled(head, width), "", *(paint(line, palette.dim) for line in lines)])


def _runs_as_root(settings: Settings) -> bool:
    """Whether code is root in its cell, as nobody else may write the workspace."""
    if settings.sandbox == "off" or os.geteuid() != 0:
        return False
    from interpreter.sandboxes.cell.account import account_for  # noqa: PLC0415

    return account_for(settings.directory()) is None


def _best(settings: Settings) -> str:
    """The model that will be used, or why there is none; looked for once in a life."""
    from interpreter.assembly.model_choice import choose  # noqa: PLC0415  (asks local servers)

    choice = choose(settings)
    return visible(choice.name or choice.sentence)


def _filled(text: str, width: int) -> list[str]:
    """A paragraph, broken anew where it does not fit."""
    lines = text.split("\n")
    return lines if max(map(len, lines)) <= width else in_width(" ".join(lines), width)
