"""Markdown inside a line, as it streams: emphasis, code, links. Little is ever held back."""

from __future__ import annotations

import re
from dataclasses import replace

from interpreter.protocol.values import frozen
from interpreter.terminal.render.ansi import Palette

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
