"""The screen of a turn: finished lines are printed once, only the last few lines are redrawn.

On it: what a block prints, as a terminal would show it (bounded while it runs, complete
afterwards), the line that moves while something is waited for, and what a turn cost.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from interpreter.protocol.events import Usage
from interpreter.terminal.render.ansi import (
    RESET,
    Palette,
    crop,
    expand_tabs,
    paint,
    rows,
    tame,
    without_styles,
)

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


KEPT = 1_000  # lines held back for the pane; older ones go to the scrollback at once
LONGEST = 50_000  # characters of a line without an end
ERASES = re.compile(r"\x1b\[[0-2]?[JK]")


class OutputPane:
    """Lines of output. `add` returns those that are too many to be held back."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._lines: deque[str] = deque()
        self._line = ""
        self._column = 0  # where the next character goes

    def add(self, text: str) -> list[str]:
        """The next piece of output."""
        *whole, rest = text.split("\n")
        for piece in whole:
            self._write(piece)
            self._end_line()
        if rest:
            self._write(rest)
        if len(self._line) > LONGEST:
            self._end_line()
        return self._overflow()

    def clear(self) -> None:
        """Forget what has not been given out."""
        self._lines.clear()
        self._line, self._column = "", 0

    def live(self, most: int) -> list[str]:
        """The last lines."""
        size = len(self._lines)
        tail = [self._lines[place] for place in range(max(0, size - most), size)]
        if self._line:
            tail.append(self._styled(self._line))
        return tail[-most:]

    def finish(self) -> list[str]:
        """All lines that have not been given out."""
        if self._line:
            self._end_line()
        lines = list(self._lines)
        self.clear()
        return lines

    def _write(self, piece: str) -> None:
        """Put text where the cursor is; a carriage return moves it to the beginning."""
        for place, part in enumerate(piece.split("\r")):
            if place:
                self._column = 0
            if part:
                self._put(part)

    def _put(self, part: str) -> None:
        before, at = self._line, self._column
        if at == len(before):
            self._line += part
        elif ERASES.search(part) or "\x1b" in before:
            self._line = before[:at] + part
        else:
            self._line = before[:at] + part + before[at + len(part) :]
        self._column = at + len(part)

    def _end_line(self) -> None:
        self._lines.append(self._styled(self._line))
        self._line, self._column = "", 0

    def _styled(self, line: str) -> str:
        line = expand_tabs(tame(line))
        if "\x1b" not in line:
            return line
        return line + RESET if self._colour else without_styles(line)

    def _overflow(self) -> list[str]:
        excess = len(self._lines) - KEPT
        return [self._lines.popleft() for _ in range(excess)]


FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CHARACTERS_PER_TOKEN = 4
SPINNER_EVERY = 0.1


class Status:
    """A label with a clock; the rate is shown once characters have been counted."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._label = ""
        self._hint = ""
        self._since = 0.0
        self._first: float | None = None
        self._characters = 0

    def begin(self, label: str, *, hint: str = "") -> None:
        """Something is waited for from now on."""
        self._label, self._hint = label, hint
        self._since = time.monotonic()
        self._first, self._characters = None, 0

    def end(self) -> None:
        """Nothing is waited for."""
        self._label = ""

    def count(self, text: str) -> None:
        """Words have come."""
        if self._first is None:
            self._first = time.monotonic()
        self._characters += len(text)

    def lines(self) -> list[str]:
        """The line, where there is something to wait for."""
        if not self._label:
            return []
        elapsed = time.monotonic() - self._since
        frame = FRAMES[int(elapsed / SPINNER_EVERY) % len(FRAMES)]
        parts = [self._label, duration(elapsed), *self._rate(), self._hint]
        text = " · ".join(filter(None, parts))
        return [f"{paint(frame, self._palette.accent)} {paint(text, self._palette.dim)}"]

    def _rate(self) -> list[str]:
        if self._first is None:
            return []
        seconds = time.monotonic() - self._first
        tokens = self._characters / CHARACTERS_PER_TOKEN
        return [f"{tokens / seconds:.0f} tokens/s"] if seconds > 1 else []


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s"


@dataclass
class Tally:
    """The sum of what the requests of a turn cost."""

    clock: Callable[[], float] = time.monotonic
    turn: Usage = field(default_factory=Usage)
    _since: float = 0.0
    _held: float | None = None

    def begin_turn(self) -> None:
        """Count from nothing."""
        self.turn = Usage()
        self._since, self._held = self.clock(), None

    def hold(self) -> None:
        """From now on the user is waited for, which is not the turn's time."""
        self._held = self.clock()

    def go_on(self) -> None:
        """The user has answered."""
        if self._held is not None:
            self._since += self.clock() - self._held
            self._held = None

    def add(self, usage: Usage | None) -> None:
        """One request has been answered."""
        if usage is not None:
            self.turn = _sum(self.turn, usage)

    def line(self) -> str:
        """The turn in one line; empty when nothing is known about it."""
        if not (self.turn.input or self.turn.output):
            return ""
        words = f"{self.turn.input:,} tokens in, {self.turn.output:,} out"
        money = f" · ${self.turn.dollars:.4f}" if self.turn.dollars else ""
        return f"{words}{money} · {duration(self.clock() - self._since)}"


def _sum(one: Usage, two: Usage) -> Usage:
    known = [usage.dollars for usage in (one, two) if usage.dollars is not None]
    return Usage(
        one.input + two.input,
        one.cached + two.cached,
        one.output + two.output,
        one.reasoning + two.reasoning,
        sum(known) if known else None,
    )
