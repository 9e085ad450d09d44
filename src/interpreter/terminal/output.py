"""What a block prints, as a terminal would show it: bounded while it runs, complete afterwards."""

from __future__ import annotations

import re
from collections import deque

from interpreter.terminal.ansi import RESET, expand_tabs, tame, without_styles

KEPT = 1_000  # lines held back for the pane; older ones go to the scrollback at once
LONGEST = 50_000  # characters of a line without an end
ERASES = re.compile(r"\x1b\[[0-2]?[JK]")


class OutputPane:
    """Lines of output. `add` returns those that are too many to be held back."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._lines: deque[str] = deque()
        self._line = ""
        self._return = False  # a carriage return came last: what follows overwrites the line

    def add(self, text: str) -> list[str]:
        """The next piece of output."""
        *whole, rest = text.split("\n")
        for piece in whole:
            self._overwrite(piece)
            self._end_line()
        if rest:
            self._overwrite(rest)
        if len(self._line) > LONGEST:
            self._end_line()
        return self._overflow()

    def clear(self) -> None:
        """Forget what has not been given out."""
        self._lines.clear()
        self._line = ""

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

    def _overwrite(self, piece: str) -> None:
        if "\r" not in piece and not self._return and "\b" not in piece:
            self._line += piece
            return
        for place, part in enumerate(piece.split("\r")):
            if place or self._return:
                self._return = False
                self._line = _over(self._line, part) if part else self._line
            else:
                self._line += part
        self._return = piece.endswith("\r")

    def _end_line(self) -> None:
        self._lines.append(self._styled(self._line))
        self._line = ""
        self._return = False

    def _styled(self, line: str) -> str:
        line = expand_tabs(tame(line))
        if "\x1b" not in line:
            return line
        return line + RESET if self._colour else without_styles(line)

    def _overflow(self) -> list[str]:
        excess = len(self._lines) - KEPT
        return [self._lines.popleft() for _ in range(excess)]


def _over(line: str, part: str) -> str:
    """A line with `part` written over its beginning."""
    if ERASES.search(part) or "\x1b" in line:
        return part
    return part + line[len(part) :]
