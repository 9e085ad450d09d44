"""Markdown inside a line as it streams (emphasis, code, links), and words into lines.

Little is ever held back: each line is given out once, when no word can join it any more.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import replace

from interpreter.protocol.values import frozen
from interpreter.terminal.render.ansi import Palette, cells, paint

HOLD = 400  # characters that may wait for their closing mark before the opening one is literal
PLAIN = re.compile(r"[^\\`*_\[!~]+")
ESCAPED = re.compile(r"\\([\\`*_{}\[\]#+.!|<>~-])")
CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
EMPHASIS = re.compile(r"([*_])(?=[^\s*_])(.*?[^\s*_])\1(?![*_\w])", re.DOTALL)
STRIKE = re.compile(r"(~~)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
LINK = re.compile(r"!?\[([^\[\]]*)\]\(([^()\s]*)[^()]*\)")


@frozen
class Span:
    """A run of text in one style; a line break is a span of its own."""

    text: str
    style: str = ""


class Inline:
    """Takes Markdown piece by piece; gives spans that will not change any more."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._held = ""
        self._before = " "

    def feed(self, text: str) -> list[Span]:
        """The spans that are certain now."""
        return self._take(text, final=False)

    def finish(self) -> list[Span]:
        """All that was held back, as it is."""
        return self._take("", final=True)

    def preview(self) -> list[Span]:
        """What is held back, as it looks so far."""
        look = Inline(self._palette)
        look._before = self._before
        return look._take(self._held, final=True)

    def _take(self, text: str, *, final: bool) -> list[Span]:
        buffer, at = self._held + text, 0
        spans: list[Span] = []
        while at < len(buffer):
            end, made = self._next(buffer, at, final=final)
            if not end:
                break
            spans += made
            self._before = buffer[end - 1]
            at = end
        self._held = buffer[at:]
        return spans

    def _next(self, buffer: str, at: int, *, final: bool) -> tuple[int, list[Span]]:
        """Where the next certain piece ends, and its spans; 0 when more text must come first."""
        if plain := PLAIN.match(buffer, at):
            return plain.end(), [Span(plain[0])]
        window = buffer[at : at + HOLD]
        length, spans = self._construct(window)
        undecided = not final and len(buffer) - at < HOLD
        if undecided and length in (0, len(window)) and not self._literal(window):
            return 0, []
        if length:
            return at + length, spans
        return at + 1, [Span(buffer[at])]

    def _literal(self, window: str) -> bool:
        """Whether the mark can only be itself: in the middle of a word, or before a space."""
        if len(window) < 2:
            return False
        if window[0] == "_" and self._before.isalnum():
            return True
        return window[0] in "*_~!" and (window[1].isspace() or (window[0] == "!" != window[1]))

    def _construct(self, window: str) -> tuple[int, list[Span]]:
        """The length of the construct that stands here, and its spans."""
        palette = self._palette
        if found := ESCAPED.match(window):
            return found.end(), [Span(found[1])]
        if found := CODE.match(window):
            return found.end(), [Span(" ".join(found[2].split("\n")).strip(), palette.code)]
        if found := LINK.match(window):
            return found.end(), self._link(found[1], found[2])
        if window[0] == "_" and self._before.isalnum():
            return 0, []
        for pattern, style in (
            (STRONG, palette.bold),
            (EMPHASIS, palette.italic),
            (STRIKE, palette.strike),
        ):
            if found := pattern.match(window):
                return found.end(), self._styled(found[2], style)
        return 0, []

    def _link(self, label: str, address: str) -> list[Span]:
        spans = self._styled(label or address, self._palette.link)
        if label and address and label != address:
            spans.append(Span(f" ({address})", self._palette.dim))
        return spans

    def _styled(self, text: str, style: str) -> list[Span]:
        inner = Inline(self._palette)._take(text, final=True)
        return [replace(span, style=";".join(filter(None, (span.style, style)))) for span in inner]


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
