"""A fenced block, from the line after its opening fence to its closing one."""

from __future__ import annotations

import re
from collections.abc import Callable

from interpreter.models.dialects.reading import State, Step
from interpreter.protocol.events import CodeDelta, ModelEvent, TextDelta
from interpreter.protocol.values import frozen

_HEAD = re.compile(r"[ \t]*(`{3,}|~{3,})?")
_UNDECIDED_HEAD = re.compile(r"[ \t]*(`*|~*)[ \t]*\Z")
_CLOSED_ON_LAST_LINE = re.compile(r"\s*(`{3,}|~{3,})\s*\Z")

Finish = Callable[[str], tuple[list[ModelEvent], State]]
"""Called with the whole source at the closing fence: the last events, and who reads on."""


@frozen
class FenceOpening:
    """An opening fence: how far it is indented, its marks, and the word after them."""

    indent: int
    marks: str
    info: str

    @property
    def tag(self) -> str:
        """The language that the fence names, in lower case, or nothing."""
        found = re.match(r"[\w+#-]+", self.info.strip().lstrip("{. "))
        return found[0].lower() if found else ""


class Fence:
    """Reads a block line by line; fences inside it with a language of their own are nested."""

    def __init__(self, opening: FenceOpening, finish: Finish, language: str | None) -> None:
        self._opening = opening
        self._finish = finish
        self._language = language
        self._pieces: list[str] = []
        self._newlines = ""
        self._depth = 0
        self._line_start = True

    def read(self, text: str, *, final: bool) -> Step:
        """Take whole lines, and of the last one what cannot be the closing fence any more."""
        if not self._line_start and "\n" not in text and not final:
            return Step("", self._shown([text]))  # nearly every piece
        code: list[str] = []
        at = 0
        while at < len(text):
            if self._line_start:
                end = self._closing(text, at, final=final)
                if end is None:
                    return Step(text[at:], self._shown(code))
                if end >= 0:
                    return self._close(text[end:], code)
                at = self._after_indent(text, at)
            newline = text.find("\n", at)
            end = len(text) if newline < 0 else newline + 1
            code.append(text[at:end])
            self._line_start = newline >= 0
            at = end
        if final:
            return self._close("", code)
        return Step("", self._shown(code))

    def _closing(self, text: str, at: int, *, final: bool) -> int | None:
        """Where the closing fence ends; -1 if this line is none, None if that is not known yet."""
        if not final and _UNDECIDED_HEAD.match(text, at):
            return None
        head = _HEAD.match(text, at)
        marks = head[1] if head else None
        if head is None or marks is None or not marks.startswith(self._opening.marks):
            return -1
        after = text[head.end() : head.end() + 80].lstrip(" \t")
        if after and not after.startswith(("\n", "\r", "<")):
            self._depth += 1
            return -1
        if self._depth:
            self._depth -= 1
            return -1
        return head.end()

    def _after_indent(self, text: str, at: int) -> int:
        limit = at + self._opening.indent
        while at < limit and at < len(text) and text[at] in " \t":
            at += 1
        return at

    def _shown(self, code: list[str]) -> list[ModelEvent]:
        new = self._newlines + "".join(code)
        body = new.rstrip("\n")
        self._newlines = new[len(body) :]
        if not body:
            return []
        self._pieces.append(body)
        return [] if self._language is None else [CodeDelta(self._language, body)]

    def _close(self, rest: str, code: list[str]) -> Step:
        events = self._shown(code)
        finished, then = self._finish(_CLOSED_ON_LAST_LINE.sub("", "".join(self._pieces)))
        return Step(rest, events + finished, then)


class ProseFence:
    """A block that is only shown, such as sample output: it passes through as prose."""

    def __init__(self, opening: FenceOpening, written: str, then: State) -> None:
        self._inner = Fence(opening, self._end, None)
        self._written = written
        self._then = then

    def read(self, text: str, *, final: bool) -> Step:
        """As a fence reads, but saying all of it."""
        step = self._inner.read(text, final=final)
        passed = self._written + text[: len(text) - len(step.rest)]
        self._written = ""
        return Step(step.rest, [TextDelta(passed)] if passed else [], step.then)

    def _end(self, source: str) -> tuple[list[ModelEvent], State]:
        return [], self._then
