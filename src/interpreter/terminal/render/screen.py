"""The screen of a turn: finished lines are printed once; only the last few lines are redrawn."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import TextIO

from interpreter.terminal.render.ansi import crop, rows

FRAME = 0.05  # seconds between two drawings, at least
BLINK = 0.1  # seconds between two drawings when only the clock has moved
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"  # one update, for terminals that can show it at once
USUAL = os.terminal_size((80, 24))
Lines = Callable[[], Sequence[str]]


class Screen:
    """Prints above, redraws below. All methods may be called from any thread; whoever changes what
    the live lines are made of holds `lock` meanwhile."""

    def __init__(
        self, stream: TextIO, *, size: Callable[[], os.terminal_size] | None = None
    ) -> None:
        self._stream = stream
        self._size = size or _size_of(stream)
        self.lock = threading.RLock()
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._pending: list[str] = []
        self._live: Lines = tuple
        self._shown: list[str] = []
        self._drawn_at = 0.0
        self._ticker: threading.Thread | None = None

    @property
    def width(self) -> int:
        """Columns that a line may take; the last is left free, so that nothing wraps."""
        return max(20, self._size().columns - 1)

    @property
    def height(self) -> int:
        """Rows of the terminal."""
        return max(4, self._size().lines)

    def print(self, *lines: str) -> None:
        """Finished lines: shown above the live ones at the next drawing, and never again."""
        with self.lock:
            self._pending.extend(lines)
        self.touch()

    def show_live(self, lines: Lines) -> None:
        """From now on these lines, asked for at each drawing, stand at the end."""
        with self.lock:
            self._live = lines
            if self._ticker is None:
                self._stopped.clear()
                self._ticker = threading.Thread(target=self._tick, name="screen", daemon=True)
                self._ticker.start()
        self.touch()

    def touch(self) -> None:
        """Something changed: draw now if the last drawing is long enough ago, else soon."""
        if time.monotonic() - self._drawn_at >= FRAME:
            self.draw()
        else:
            self._changed.set()

    def draw(self) -> None:
        """Bring the terminal up to date."""
        with self.lock:
            live = self._cropped()
            if self._pending or live != self._shown:
                self._write(live)
            self._drawn_at = time.monotonic()

    def clear_live(self, *lines: str) -> None:
        """Print what is pending, and these lines in place of the live ones; the clock ends."""
        with self.lock:
            self._pending.extend(lines)
            self._live = tuple
            ticker, self._ticker = self._ticker, None
            self.draw()
        self._stopped.set()
        self._changed.set()
        if ticker is not None and ticker is not threading.current_thread():
            ticker.join()

    def write_raw(self, text: str) -> None:
        """Put a picture or another foreign sequence between the finished lines."""
        with self.lock:
            shown = self._live
            self._live = tuple
            self.draw()
            self._live = shown
            self._stream.write(text)
            self._stream.flush()
        self.touch()

    def _cropped(self) -> list[str]:
        lines = list(self._live())
        most = self.height - 1
        return [crop(line, self.width) for line in lines[-most:]]

    def _write(self, live: list[str]) -> None:
        text = [BEGIN, self._back_to_start()]
        text += [f"{line}\n" for line in self._pending]
        text.append("\n".join(live))
        text.append(END)
        self._pending.clear()
        self._shown = live
        self._stream.write("".join(text))
        self._stream.flush()

    def _back_to_start(self) -> str:
        """Go to where the live lines begin, however a resized terminal has wrapped them."""
        columns = self._size().columns
        up = sum(rows(line, columns) for line in self._shown) - 1
        return ("\r" if self._shown else "") + (f"\x1b[{up}A" if up > 0 else "") + "\x1b[J"

    def _tick(self) -> None:
        """Draw what came too fast, and the clock where there is one."""
        me = threading.current_thread()
        while self._ticker is me:
            came = self._changed.wait(BLINK)
            self._changed.clear()
            if came:
                self._wait_for_next_frame()
            with self.lock:
                if self._ticker is me:
                    self.draw()

    def _wait_for_next_frame(self) -> None:
        rest = FRAME - (time.monotonic() - self._drawn_at)
        if rest > 0:
            self._stopped.wait(rest)


def _size_of(stream: TextIO) -> Callable[[], os.terminal_size]:
    def size() -> os.terminal_size:
        try:
            found = os.get_terminal_size(stream.fileno())
        except (OSError, ValueError):
            return USUAL
        return found if found.columns and found.lines else USUAL  # some do not know their size

    return size
