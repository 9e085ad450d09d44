"""Code in colour: each line once while it streams, the whole block once when it is complete."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from interpreter.protocol.visible import Span, drawn, is_mark, wrapped
from interpreter.terminal.render.ansi import paint

STYLES = {
    "Token.Keyword": "35",
    "Token.Operator.Word": "35",
    "Token.Name.Builtin": "36",
    "Token.Name.Function": "34",
    "Token.Name.Class": "1;34",
    "Token.Name.Decorator": "33",
    "Token.Name.Exception": "31",
    "Token.Name.Tag": "34",
    "Token.Name.Variable": "36",
    "Token.Literal.String": "32",
    "Token.Literal.String.Interpol": "33",
    "Token.Literal.Number": "33",
    "Token.Comment": "2",
    "Token.Generic.Deleted": "31",
    "Token.Generic.Inserted": "32",
    "Token.Generic.Heading": "1",
    "Token.Generic.Subheading": "36",
}
LEXERS = {"shell": "bash", "javascript": "javascript", "js": "javascript", "py": "python"}
LARGEST = 100_000  # characters of a block that are still coloured
MARK = "7;33"  # what stands for a character that cannot be seen
CONTINUED = "2"
TAIL = 40  # lines that are ever shown of a block being written


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415  (slow to import)
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        return get_lexer_by_name(LEXERS.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _style(token: Any) -> str:
    names = str(token).split(".")
    for length in range(len(names), 0, -1):
        if style := STYLES.get(".".join(names[:length])):
            return style
    return ""


def highlight(
    source: str, language: str, *, colour: bool = True, width: int | None = None
) -> list[str]:
    """The lines of a block, in colour where the language is known; as rows of a width, if given.

    Whatever the colours, the words are a picture of the source that can be read back in one way.
    """
    lines = _lines(source, _tokens(source, language) if colour else [(source, "")], colour=colour)
    if width is None:
        return [_painted(line) for line in lines]
    return [_painted(row) for line in lines for row in _rows(line, width, colour=colour)]


def highlight_diff(text: str, *, colour: bool = True, width: int | None = None) -> list[str]:
    """The lines of a difference; their colour is known by the end of each, also of the last."""
    return highlight(f"{text}\n", "diff", colour=colour, width=width)[:-1]


def _tokens(source: str, language: str) -> list[Span]:
    """The source in pieces with their styles; in one piece where it is not understood."""
    lexer = _lexer(language.lower()) if len(source) <= LARGEST else None
    if lexer is None:
        return [(source, "")]
    found = lexer.get_tokens_unprocessed(source)  # the others change line ends and marks
    tokens = [(text, _style(token)) for _, token, text in found]
    return tokens if "".join(text for text, _ in tokens) == source else [(source, "")]


def _lines(source: str, tokens: Sequence[Span], *, colour: bool) -> Iterator[list[Span]]:
    pictures = (drawn(line) for line in source.split("\n"))
    picture, line, at = next(pictures), list[Span](), 0
    for text, style in tokens:
        first, *others = text.split("\n")
        line += _with_marks(first, picture[at : at + len(first)], style, colour=colour)
        at += len(first)
        for other in others:
            yield line
            picture, at = next(pictures), len(other)
            line = list(_with_marks(other, picture[:at], style, colour=colour))
    yield line


def _with_marks(text: str, picture: list[str], style: str, *, colour: bool) -> Iterator[Span]:
    if list(text) == picture:  # every character is drawn as itself
        if text:
            yield text, style
        return
    for marks, pieces in groupby(picture, is_mark):
        yield "".join(pieces), MARK if marks and colour else style


def _rows(line: list[Span], width: int, *, colour: bool) -> Iterator[list[Span]]:
    first, *others = wrapped(line, width)
    yield first
    for (mark, style), *rest in others:
        yield [(mark[:2], CONTINUED if colour else ""), (mark[2:], style), *rest]


def _painted(spans: Sequence[Span]) -> str:
    return "".join(paint(text, style) for text, style in spans)


class CodeStream:
    """A block that is being written: its last lines at any time, all of it at the end."""

    def __init__(self, language: str, *, colour: bool) -> None:
        self.language = language
        self._colour = colour
        self._pieces: list[str] = []
        self._line: list[str] = []
        self._tail: deque[str] = deque(maxlen=TAIL)

    def add(self, text: str) -> None:
        """The next piece."""
        self._pieces.append(text)
        first, *others = text.split("\n")
        self._line.append(first)
        for other in others:
            line = "".join(self._line)
            self._tail.extend(highlight(line, self.language, colour=self._colour))
            self._line = [other]

    def last_lines(self, most: int) -> list[str]:
        """The end of what has been written."""
        lines = [*self._tail, "".join(drawn("".join(self._line)))]
        return lines[-most:]

    @property
    def source(self) -> str:
        """All that has been written."""
        return "".join(self._pieces)

    def finish(self) -> list[str]:
        """The whole block."""
        return highlight(self.source.rstrip("\n"), self.language, colour=self._colour)
