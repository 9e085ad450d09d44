"""The loop of a conversation: read, take, and how to leave."""

from __future__ import annotations

import time
from collections.abc import Callable

LEAVE_WITHIN = 1.0  # seconds between two Ctrl-C at the prompt


def converse(
    read: Callable[[], str], take: Callable[[str], bool], note: Callable[[str], None]
) -> None:
    """Take what is read, until `take` says that it is over or the user leaves."""
    last_interrupt = -LEAVE_WITHIN
    while True:
        try:
            text = read()
        except EOFError:
            return
        except KeyboardInterrupt:
            if time.monotonic() - last_interrupt < LEAVE_WITHIN:
                return
            last_interrupt = time.monotonic()
            note("Press Ctrl-C again to leave.")
            continue
        if take(text):
            return
