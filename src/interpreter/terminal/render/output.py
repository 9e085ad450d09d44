"""What a block prints, as a terminal would show it: bounded while it runs, complete afterwards."""

from __future__ import annotations

import re
from collections import deque

from interpreter.terminal.render.ansi import RESET, expand_tabs, tame, without_styles

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
