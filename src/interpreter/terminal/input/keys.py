"""The keyboard while something else has the terminal: single keys, read by a thread; and Ctrl-C."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import shutil
import signal
import socket
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from typing import Any

SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[\r\n -Z\\-~])")
NAMES = {
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x03": "ctrl-c",
    "\x04": "ctrl-d",
    "\x02": "ctrl-b",
    "\x15": "ctrl-u",
    "\t": "tab",
}
ESCAPE_DELAY = 0.03  # seconds after which an escape is the key and not the start of a sequence
OTHER = "other"


def names(text: str) -> Iterator[str]:
    """The keys in what a terminal sent: characters as they are, special keys by name."""
    at = 0
    while at < len(text):
        if found := SEQUENCE.match(text, at):
            yield OTHER
            at = found.end()
            continue
        character = text[at]
        at += 1
        if character in NAMES or character.isprintable():
            yield NAMES.get(character, character)


class TypedKeys:
    """Within `reading()`, each key is handed to `on_key` in the reader's thread."""

    def __init__(self, descriptor: int, on_key: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._on_key = on_key
        self._thread: threading.Thread | None = None
        self._wake: tuple[int, int] | None = None
        self._mode: Any = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Keys are read one by one, and not echoed, until the block ends."""
        self._start()
        try:
            yield
        finally:
            self._stop()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """The terminal as it was before, for an editor or a line of input."""
        running = self._thread is not None
        self._stop()
        try:
            yield
        finally:
            if running:
                self._start()

    def _start(self) -> None:
        self._mode = termios.tcgetattr(self._descriptor)
        tty.setcbreak(self._descriptor, termios.TCSANOW)
        self._wake = os.pipe()
        self._thread = threading.Thread(target=self._read, name="keyboard", daemon=True)
        self._thread.start()

    def _stop(self) -> None:
        thread, wake, mode = self._thread, self._wake, self._mode
        self._thread = self._wake = self._mode = None
        if thread is None or wake is None or mode is None:
            return
        os.write(wake[1], b"x")
        thread.join()
        for end in wake:
            os.close(end)
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._descriptor, termios.TCSANOW, mode)

    def _read(self) -> None:
        assert self._wake is not None
        wake = self._wake[0]
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            ready, _, _ = select.select([self._descriptor, wake], [], [])
            if wake in ready:
                return
            text = decoder.decode(self._available())
            if text.endswith("\x1b") and self._more_comes(wake):
                text += decoder.decode(self._available())
            if not text:
                return
            for key in names(text):
                self._on_key(key)

    def _available(self) -> bytes:
        try:
            return os.read(self._descriptor, 4096)
        except OSError:  # the terminal is gone
            return b""

    def _more_comes(self, wake: int) -> bool:
        ready, _, _ = select.select([self._descriptor, wake], [], [], ESCAPE_DELAY)
        return self._descriptor in ready


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
        from interpreter.terminal.render.markdown.wrap import in_width  # noqa: PLC0415  (few are asked)

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
