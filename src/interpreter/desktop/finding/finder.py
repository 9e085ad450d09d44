"""Finds what is meant by a name: by accessibility first, by reading the screen where that fails.

The active window comes before the others, and something that fits exactly before something that
fits about, wherever it was found. Several that fit equally well are a question, not a click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from interpreter.desktop.finding.ranking import SAME_LETTERS, best, part_of, score
from interpreter.desktop.finding.reading import ScreenReader
from interpreter.desktop.geometry import whole
from interpreter.protocol.desktop import (
    AmbiguousTarget,
    Box,
    Candidate,
    Desktop,
    DesktopError,
    Element,
    Frame,
    TargetNotFound,
    Window,
)

LEAST = 0.6


class Finder:
    """Looks for things on a desktop."""

    def __init__(self, desktop: Desktop, reader: ScreenReader | None = None) -> None:
        self._desktop = desktop
        self._reader = reader or ScreenReader()

    def find(self, wanted: str) -> Candidate:
        """The one thing that is meant; AmbiguousTarget or TargetNotFound otherwise."""
        found = self.candidates(wanted)
        if len(found) > 1:
            raise AmbiguousTarget(wanted, found)
        return found[0]

    def candidates(self, wanted: str) -> tuple[Candidate, ...]:
        """What fits best: one thing, or several that fit equally well."""
        if not wanted.strip():
            raise TargetNotFound("Say what is to be found: the text is empty.")
        kept: tuple[Candidate, ...] = ()
        problems: list[str] = []
        for look in self._stages():
            try:
                found = best(look(wanted))
            except DesktopError as error:
                problems.append(str(error))
                continue
            if found and (not kept or found[0].score > kept[0].score):
                kept = found
            if kept and kept[0].score >= SAME_LETTERS:
                break
        if not kept:
            why = f" ({' '.join(dict.fromkeys(problems))})" if problems else ""
            raise TargetNotFound(f"Nothing on the screen is called {wanted!r}.{why}")
        return kept

    def read(self, box: Box) -> tuple[Candidate, ...]:
        """All lines of text in a part of the desktop."""
        return self.read_frame(self._desktop.grab(box))

    def read_frame(self, frame: Frame) -> tuple[Candidate, ...]:
        """All lines of text in a picture."""
        lines = self._reader.lines(frame)
        return tuple(Candidate(line.text, line.box, "ocr", line.score) for line in lines)

    def _stages(self) -> Iterator[Callable[[str], list[Candidate]]]:
        windows = self._windows()
        active = next((one for one in windows if one.active), None)
        if active is not None:
            yield lambda wanted: self._by_elements(wanted, active, windows)
        yield lambda wanted: self._by_elements(wanted, None, windows)
        if active is not None:
            yield lambda wanted: self._by_reading(wanted, self._on_screen(active.box))
        yield lambda wanted: [
            found
            for monitor in self._desktop.monitors()
            for found in self._by_reading(wanted, monitor.box)
        ]

    def _windows(self) -> tuple[Window, ...]:
        try:
            return self._desktop.windows()
        except DesktopError:  # some systems do not tell; the whole desktop is looked at then
            return ()

    def _by_elements(
        self, wanted: str, window: Window | None, windows: Sequence[Window]
    ) -> list[Candidate]:
        found = []
        for element in self._desktop.elements(window):
            fit = max(score(wanted, element.name), score(wanted, element.value) - 0.05)
            if fit < LEAST or (window is None and _is_covered(element, windows)):
                continue
            role = element.role if element.clickable else ""
            found.append(
                Candidate(element.name or element.value, element.box, "accessibility", fit, role,
                          element.app)
            )  # fmt: skip
        return found

    def _by_reading(self, wanted: str, box: Box) -> list[Candidate]:
        found = []
        for line in self.read(box):
            fit = score(wanted, line.text)
            if fit >= LEAST:
                place = part_of(line.box, line.text, wanted)
                found.append(Candidate(line.text, place, "ocr", fit))
        return found

    def _on_screen(self, box: Box) -> Box:
        return box.common(whole(self._desktop.monitors())) or box


def _is_covered(element: Element, windows: Sequence[Window]) -> bool:
    """Whether another window lies above it, so that a click would hit that one."""
    if "menu" in element.role:  # menus are above all windows, and are none themselves
        return False
    above = [one for one in windows if one.box.holds(element.box.center)]
    return bool(above) and bool(element.window) and above[-1].title != element.window
