"""Markdown as it streams: what is certain is given out as lines once, the rest can be looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from interpreter.terminal.render.ansi import Palette, paint, tame_plain
from interpreter.terminal.render.markdown.highlight import CodeStream
from interpreter.terminal.render.markdown.latex import readable
from interpreter.terminal.render.markdown.tables import markdown_table
from interpreter.terminal.render.markdown.wrap import Inline, Wrap

FENCE = re.compile(r" {0,9}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$")
RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *$")
HEADING = re.compile(r" {0,3}(#{1,6}) +")
ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)]) +(?:\[([ xX])\] +)?")
QUOTE = re.compile(r" {0,3}> ?")
MATH = re.compile(r"\s*(\$\$|\\\[)")
UNDECIDED = re.compile(  # the beginning of a line that may still become something else
    r"\s*(?:#{0,6}|[-*+]|[-*+] +\[?[ xX]?\]?|\d{1,9}[.)]?|[-*_ ]+"
    r"|`+.*|~+.*|\|.*|\$|\$\$.*|\\|\\\[.*)?"
)
LIVE_LINES = 12
TABLE_ROWS = 2_000


class ProseBlock(Protocol):
    """A piece of a text. `add` takes what belongs to it; lines come out when they are certain."""

    def add(self, text: str) -> list[str]: ...
    def live(self) -> list[str]: ...
    def finish(self) -> list[str]: ...


class Paragraph:
    """Words in lines, with whatever stands before them."""

    def __init__(self, palette: Palette, wrap: Wrap, *, one_line: bool = False) -> None:
        self.one_line = one_line
        self._inline = Inline(palette)
        self._wrap = wrap

    def add(self, text: str) -> list[str]:
        return self._wrap.add(self._inline.feed(text))

    def live(self) -> list[str]:
        held = "".join(paint(span.text, span.style) for span in self._inline.preview())
        return [self._wrap.partial + held]

    def finish(self) -> list[str]:
        return [*self._wrap.add(self._inline.finish()), *self._wrap.finish()]


class ShownCode:
    """Code that is only shown."""

    def __init__(self, language: str, *, mark: str, colour: bool) -> None:
        self.mark = mark
        self._code = CodeStream(language, colour=colour)

    def closes(self, line: str) -> bool:
        """Whether a line ends the block."""
        text = line.strip()
        return len(text) >= len(self.mark) and set(text) == {self.mark[0]}

    def add(self, text: str) -> list[str]:
        self._code.add(text)
        return []

    def live(self) -> list[str]:
        return ["  " + line for line in self._code.last_lines(LIVE_LINES)]

    def finish(self) -> list[str]:
        return ["  " + line for line in self._code.finish()]


class LinesTogether:
    """Lines that only make sense together: a table, or a formula."""

    def __init__(self, render: Callable[[list[str]], list[str]]) -> None:
        self._render = render
        self._rows: list[str] = []

    def add(self, text: str) -> list[str]:
        if len(self._rows) < TABLE_ROWS:
            self._rows.append(text.rstrip("\n"))
        return []

    def live(self) -> list[str]:
        return self._rows[-LIVE_LINES:]

    def finish(self) -> list[str]:
        return self._render(self._rows)


class MarkdownText:
    """A text in Markdown: finished lines out of `feed`, the unfinished ones out of `live`."""

    def __init__(self, width: int, palette: Palette) -> None:
        self._width = width
        self._palette = palette
        self._line = ""
        self._begun = False  # the beginning of the line has been understood and handed on
        self._handed_on = ""  # the end of that, which tells how the line breaks
        self._block: ProseBlock | None = None
        self._gap = False
        self._printed = False
        self._formula_open = False

    def feed(self, text: str) -> list[str]:
        """The next piece of the text; the lines that are certain now."""
        done: list[str] = []
        *whole, rest = (self._line + tame_plain(text)).split("\n")
        for line in whole:
            done += self._end_of_line(line)
            self._begun = False
        self._line = rest
        done += self._beginning_of_line()
        return done

    def live(self) -> list[str]:
        """How the unfinished end looks."""
        lines = self._block.live() if self._block else []
        if self._line and not self._begun:
            lines = [*lines, self._line]
        return lines[-LIVE_LINES:]

    def finish(self) -> list[str]:
        """The text is over; the lines that are left."""
        done: list[str] = []
        if self._line or self._begun:
            done += self._end_of_line(self._line)
        done += self._close()
        self._line, self._begun, self._gap, self._printed = "", False, False, False
        return done

    def _beginning_of_line(self) -> list[str]:
        """Hand on as much of an unfinished line as can be understood."""
        if isinstance(self._block, ShownCode | LinesTogether):
            return []
        if not self._begun and UNDECIDED.fullmatch(self._line):
            return []
        done = self._open(self._line) if not self._begun else self._add(self._line)
        self._handed_on = (self._handed_on + self._line)[-2:] if self._begun else self._line[-2:]
        self._line, self._begun = "", True
        return done

    def _end_of_line(self, line: str) -> list[str]:
        if self._begun:
            return [*self._add(line), *self._soft_break(self._handed_on + line)]
        if isinstance(self._block, ShownCode):
            return self._in_fence(line)
        if isinstance(self._block, LinesTogether):
            return self._in_rows(line)
        if not line.strip():
            done = self._close()
            self._gap = self._printed
            return done
        return self._whole_line(line)

    def _whole_line(self, line: str) -> list[str]:
        if fence := FENCE.match(line):
            colour = self._palette.colourful
            return self._begin(ShownCode(fence[2].lower(), mark=fence[1], colour=colour))
        if RULE.match(line):
            return [*self._begin(None), paint("─" * min(self._width, 60), self._palette.dim)]
        if line.lstrip().startswith("|"):
            rows = LinesTogether(lambda rows: markdown_table(rows, self._width, self._palette))
            return [*self._begin(rows), *rows.add(line)]
        if MATH.match(line):
            return self._formula(line)
        return [*self._open(line), *self._soft_break(line)]

    def _in_fence(self, line: str) -> list[str]:
        assert isinstance(self._block, ShownCode)
        if self._block.closes(line):
            return self._close()
        return self._block.add(line + "\n")

    def _in_rows(self, line: str) -> list[str]:
        assert isinstance(self._block, LinesTogether)
        if self._formula_open:
            self._block.add(line)
            if "$$" in line or "\\]" in line:
                self._formula_open = False
                return self._close()
            return []
        if line.lstrip().startswith("|"):
            return self._block.add(line)
        return [*self._close(), *self._end_of_line(line)]

    def _formula(self, line: str) -> list[str]:
        rows = LinesTogether(lambda rows: ["  " + readable("\n".join(rows)).replace("\n", "\n  ")])
        done = [*self._begin(rows), *rows.add(line)]
        body = MATH.sub("", line, count=1)
        self._formula_open = "$$" not in body and "\\]" not in body
        return done if self._formula_open else [*done, *self._close()]

    def _open(self, line: str) -> list[str]:
        """Begin the block that the beginning of this line says, or go on with the present one."""
        palette, width = self._palette, self._width
        if found := HEADING.match(line):
            self._gap = self._printed
            style = palette.heading if len(found[1]) <= 2 else palette.bold
            block = Paragraph(palette, Wrap(width, style=style), one_line=True)
        elif found := ITEM.match(line):
            first, rest = _item_marks(found)
            block = Paragraph(palette, Wrap(width, first=first, rest=rest))
        elif found := QUOTE.match(line):
            bar = paint("│ ", palette.dim)
            block = Paragraph(palette, Wrap(width, first=bar, rest=bar, style=palette.italic))
        elif isinstance(self._block, Paragraph):
            return self._add(line.lstrip())
        else:
            indent = " " * min(8, len(line) - len(line.lstrip()))
            block = Paragraph(palette, Wrap(width, first=indent, rest=indent))
            return [*self._begin(block), *block.add(line.lstrip())]
        return [*self._begin(block), *block.add(line[found.end() :])]

    def _soft_break(self, line: str) -> list[str]:
        if isinstance(self._block, Paragraph):
            if self._block.one_line:
                return self._close()
            return self._block.add("\n" if line.endswith(("  ", "\\")) else " ")
        return []

    def _add(self, text: str) -> list[str]:
        return self._block.add(text) if self._block else []

    def _begin(self, block: ProseBlock | None) -> list[str]:
        done = self._close()
        if self._gap:
            done.append("")
        self._gap, self._printed, self._block = False, True, block
        return done

    def _close(self) -> list[str]:
        block, self._block = self._block, None
        return block.finish() if block else []


def _item_marks(found: re.Match[str]) -> tuple[str, str]:
    indent, mark, box = found.groups()
    shown = mark if mark[0].isdigit() else "•"
    if box is not None:
        shown = "☐" if box == " " else "☑"
    first = f"{indent}{shown} "
    return first, " " * len(first)
