"""A question that one key answers, before there is a conversation."""

from __future__ import annotations

import os
import shutil
import sys
import termios
import tty

from interpreter.terminal.render.markdown.wrap import in_width

NEVER = ("\x03", "\x04", "\x1b")


def one_key(question: str, keys: str) -> str:
    """Show a question on stderr and wait for one of these keys; Esc and Ctrl-D are the last one.

    What was typed before the question could be read does not answer it.
    """
    width = shutil.get_terminal_size().columns - 3
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
        print("\n".join(in_width(question, width)), end=" ", file=sys.stderr, flush=True)
        key = _wanted(descriptor, keys)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    print(key, file=sys.stderr)
    return key


def _wanted(descriptor: int, keys: str) -> str:
    while True:
        pressed = os.read(descriptor, 64).decode(errors="replace")
        if not pressed or pressed[0] in NEVER:
            return keys[-1]
        if pressed[0].lower() in keys:
            return pressed[0].lower()
