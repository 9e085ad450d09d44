"""What Ctrl-C does, for as long as a block of ours lasts."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def ctrl_c(action: Callable[[], None] | None) -> Iterator[None]:
    """Within this block Ctrl-C calls `action`, in a thread of its own; without one it raises
    KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with contextlib.ExitStack() as undo:
        if action is not None:
            undo.enter_context(_calling(action))
        else:
            undo.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(-1))
        handler = (lambda number, frame: None) if action else signal.default_int_handler
        before = signal.signal(signal.SIGINT, handler)
        undo.callback(signal.signal, signal.SIGINT, before)
        yield


@contextlib.contextmanager
def _calling(action: Callable[[], None]) -> Iterator[None]:
    """A thread calls `action` for each SIGINT.

    Python runs handlers in the main thread, between two of its steps. A signal that comes just
    before that thread begins to wait for something would be noticed only when the wait is over.
    """
    there, here = socket.socketpair()
    here.setblocking(False)

    def watch() -> None:
        while numbers := there.recv(64):
            if signal.SIGINT in numbers:
                action()

    thread = threading.Thread(target=watch, name="ctrl-c", daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(here.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        here.close()
        thread.join()
        there.close()
