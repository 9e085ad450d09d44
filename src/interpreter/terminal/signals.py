"""What Ctrl-C does, for as long as a block of ours lasts."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def ctrl_c(action: Callable[[], None] | None) -> Iterator[None]:
    """Within this block Ctrl-C calls `action`; without one it raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        assert action is not None
        action()

    before = signal.signal(signal.SIGINT, handle if action else signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
