"""Gestures made of what a desktop can do: click, drag, scroll, press keys together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from interpreter.desktop.geometry import monitor_at
from interpreter.protocol.desktop import Button, Desktop, DesktopError, Point

BETWEEN_CLICKS = 0.04  # shorter than any double click, long enough to be two
DRAG_STEPS = 8
MOST_CLICKS = 3
LONGEST_TEXT = 100_000


class Hands:
    """Does things to a desktop; points that are on no monitor are refused.

    `pause` waits for so many seconds between clicks or while keys are held; it may be cut short.
    """

    def __init__(self, desktop: Desktop, pause: Callable[[float], object] = time.sleep) -> None:
        self._desktop = desktop
        self._pause = pause

    def move(self, point: Point) -> None:
        """Put the pointer somewhere."""
        monitor_at(self._desktop.monitors(), point)
        self._desktop.move(point)

    def click(
        self, point: Point | None = None, button: Button = "left", clicks: int = 1,
        held: Sequence[str] = (), interval: float = BETWEEN_CLICKS,
    ) -> None:  # fmt: skip
        """Click there, or where the pointer is, with these keys held."""
        if point is not None:
            self.move(point)
        with self._holding(held):
            for number in range(max(1, min(clicks, MOST_CLICKS))):
                if number:
                    self._pause(max(0.0, min(interval, 1.0)))
                self._desktop.button(button, down=True)
                self._desktop.button(button, down=False)

    def drag(
        self, path: Sequence[Point], button: Button = "left", held: Sequence[str] = ()
    ) -> None:
        """Press at the first point, go through the others, let go at the last."""
        if len(path) < 2:
            raise DesktopError("A drag needs a point to begin and one to end.")
        for point in path:
            monitor_at(self._desktop.monitors(), point)
        with self._holding(held):
            self._desktop.move(path[0])
            self._desktop.button(button, down=True)
            try:
                for point in _steps(path):
                    self._desktop.move(point)
            finally:
                self._desktop.button(button, down=False)

    def scroll(self, x: int, y: int, point: Point | None = None, held: Sequence[str] = ()) -> None:
        """Turn the wheel there by notches; down and right are positive."""
        if point is not None:
            self.move(point)
        with self._holding(held):
            self._desktop.scroll(x, y)

    def press(self, keys: Sequence[str], seconds: float = 0.0) -> None:
        """Press keys together, hold them, and let go in the opposite order."""
        with self._holding(keys):
            if seconds:
                self._pause(max(0.0, min(seconds, 30.0)))

    def write(self, text: str) -> None:
        """Type a text."""
        if len(text) > LONGEST_TEXT:
            raise DesktopError(f"The text is too long to be typed: {len(text)} letters.")
        self._desktop.type(text)

    @contextmanager
    def _holding(self, keys: Sequence[str]) -> Iterator[None]:
        pressed: list[str] = []
        try:
            for key in keys:
                self._desktop.key(key, down=True)
                pressed.append(key)
            yield
        finally:
            for key in reversed(pressed):
                self._desktop.key(key, down=False)


def _steps(path: Sequence[Point]) -> Iterator[Point]:
    """Points on the way: programs tell a drag from a click by the pointer's moving."""
    for start, end in zip(path, path[1:], strict=False):
        for step in range(1, DRAG_STEPS + 1):
            part = step / DRAG_STEPS
            x = start.x + round((end.x - start.x) * part)
            yield Point(x, start.y + round((end.y - start.y) * part))
