"""Code in colour: each line once while it streams, the whole block once when it is complete."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import Any

from interpreter.terminal.ansi import expand_tabs, paint, tame_plain

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
LARGEST = 400_000  # characters of a block that are still coloured
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


def highlight(source: str, language: str, *, colour: bool = True) -> list[str]:
    """The lines of a block, in colour where the language is known."""
    source = tame_plain(expand_tabs(source))
    lexer = _lexer(language.lower()) if colour and len(source) <= LARGEST else None
    if lexer is None:
        return source.split("\n")
    lines = [""]
    for token, text in lexer.get_tokens(source):
        first, *others = text.split("\n")
        lines[-1] += paint(first, _style(token))
        lines += [paint(other, _style(token)) for other in others]
    return lines


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
        lines = [*self._tail, tame_plain("".join(self._line))]
        return lines[-most:]

    @property
    def source(self) -> str:
        """All that has been written."""
        return "".join(self._pieces)

    def finish(self) -> list[str]:
        """The whole block."""
        return highlight(self.source.rstrip("\n"), self.language, colour=self._colour)
