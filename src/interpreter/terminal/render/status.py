"""The line that moves: what is being waited for, how long, and how fast words come."""

from __future__ import annotations

import time

from interpreter.terminal.render.ansi import Palette, paint

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
