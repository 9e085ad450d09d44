"""Words into lines: each line is given out once, when no word can join it any more."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from interpreter.terminal.render.ansi import cells, paint
from interpreter.terminal.render.markdown.inline import Span

ONE_STYLE = re.compile(r"\x1b\[([0-9;]+)m([^\x1b]*)\x1b\[0m")
WORDS = re.compile(r"\n|[^\S\n]+|\S+")


def in_width(line: str, width: int) -> list[str]:
    """A line of ours as lines of whole words, in its one style; as it is where it has several."""
    if cells(line) <= width:
        return [line]
    if styled := ONE_STYLE.fullmatch(line):
        return [paint(one, styled[1]) for one in in_width(styled[2], width)]
    if "\x1b" in line:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)


class Wrap:
    """Fills lines up to a width. `first` stands before the first line, `rest` before the others."""

    def __init__(self, width: int, *, first: str = "", rest: str = "", style: str = "") -> None:
        self._width = width
        self._rest = rest
        self._style = style
        self._line = first
        self._room = width - cells(first)
        self._empty = True
        self._word: list[str] = []
        self._word_cells = 0
        self._space = ""

    def add(self, spans: Iterable[Span]) -> list[str]:
        """The lines that are full now."""
        done: list[str] = []
        for span in spans:
            style = ";".join(filter(None, (self._style, span.style)))
            for found in WORDS.finditer(span.text):
                self._piece(found[0], style, done)
        return done

    def finish(self) -> list[str]:
        """The lines that are full now, and the last one."""
        done: list[str] = []
        self._end_word(done)
        return [*done, self._line]

    @property
    def partial(self) -> str:
        """The line that is being filled."""
        return self._line + self._space + "".join(self._word)

    def _piece(self, piece: str, style: str, done: list[str]) -> None:
        if piece == "\n":
            self._end_word(done)
            self._break(done)
        elif piece.isspace():
            self._end_word(done)
            self._space = "" if self._empty else paint(" ", self._underlined(style))
        else:
            self._word.append(paint(piece, style))
            self._word_cells += cells(piece)

    @staticmethod
    def _underlined(style: str) -> str:
        """Only an underline can be seen under a space."""
        return style if "4" in style.split(";") else ""

    def _end_word(self, done: list[str]) -> None:
        if not self._word:
            return
        if not self._empty and self._word_cells + 1 > self._room:
            self._break(done)
        self._line += self._space + "".join(self._word)
        self._room -= self._word_cells + (1 if self._space else 0)
        self._empty = False
        self._word, self._word_cells, self._space = [], 0, ""

    def _break(self, done: list[str]) -> None:
        done.append(self._line)
        self._line = self._rest
        self._room = self._width - cells(self._rest)
        self._empty = True
        self._space = ""
