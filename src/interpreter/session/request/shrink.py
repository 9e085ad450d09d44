"""How many tokens something is, and messages made smaller: the middle of long texts and old
pictures are left out, and that is said.

Tokens are estimated, without asking anybody, at a rate that is learnt.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from interpreter.protocol.messages import (
    ActionCall,
    ActionResult,
    Code,
    Display,
    Face,
    MalformedCall,
    Message,
    Output,
    Part,
    Reasoning,
    Text,
)

_USUAL_RATE = 0.29  # tokens per character of English and code
_SLOWEST, _FASTEST = 0.15, 1.2
_PICTURE = 4_000  # characters that a picture weighs
_AROUND_A_MESSAGE = 16


class TokenEstimate:
    """Weighs text in characters and turns weights into tokens, at a rate it learns."""

    def __init__(self, *, images: bool = True) -> None:
        self._picture = _PICTURE if images else 80
        self._rate = _USUAL_RATE

    def weigh(self, message: Message) -> int:
        """The weight of a message, which never changes."""
        if message.audience == "user":
            return 0
        return _AROUND_A_MESSAGE + sum(self._weigh_part(part) for part in message.parts)

    def weigh_text(self, text: str) -> int:
        """The weight of plain text: letters beyond Latin are about a token each."""
        return len(text) if text.isascii() else len(text) + sum(map("\u07ff".__lt__, text))

    def tokens(self, weight: int) -> int:
        """A weight in tokens."""
        return math.ceil(weight * self._rate)

    def characters(self, tokens: int) -> int:
        """About how many characters so many tokens are."""
        return int(tokens / self._rate)

    def calibrate(self, weight: int, tokens: int) -> bool:
        """Learn the rate from a request that a provider has counted; whether it can be that one."""
        if weight < 400:
            return False
        seen = min(max(tokens / weight, _SLOWEST), _FASTEST)
        # Up at once, down slowly: too many tokens is an error, too few is only a waste.
        self._rate = seen if seen > self._rate else 0.7 * self._rate + 0.3 * seen
        return _SLOWEST <= tokens / weight <= _FASTEST

    def _weigh_part(self, part: Part) -> int:
        match part:
            case Text(text) | Output(text):
                return self.weigh_text(text)
            case Code(language, source):
                return self.weigh_text(source) + len(language) + 40
            case ActionCall(tool, arguments):
                return self.weigh_text(arguments) + len(tool) + 40
            case MalformedCall(raw, problem):
                return self.weigh_text(raw[:2_000] + problem) + 40
            case Display():
                return self.weigh_text(part.text) + (self._picture if part.image else 0)
            case ActionResult(_, outcome, summary):
                return self.weigh_text(summary) + len(outcome)
            case Reasoning(text, signature):
                return self.weigh_text(text) + len(signature) if signature else 0


USUAL_OUTPUT = 7_500
"""Characters of a block's output that a model is shown: one part of the beginning, two of the end,
where results and errors are."""
_OLD_OUTPUT = 1_000
_TO_A_LINE = 200  # characters by which a cut may move to the end of a line


def shrunk(message: Message) -> Message:
    """An old message with its large outputs cut and its pictures only named; else itself."""
    parts = tuple(_shrunk_part(part, message.role) for part in message.parts)
    return message if _same(parts, message.parts) else replace(message, parts=parts)


def cut_to(message: Message, size: int) -> Message:
    """The message with no part larger than `size` characters; itself if it is small enough."""
    parts = tuple(_cut_part(part, size) for part in message.parts)
    return message if _same(parts, message.parts) else replace(message, parts=parts)


def shown_output(message: Message, most: int = 0) -> Message:
    """The message with as much of what was printed as a model is to read: the last `most`
    characters, or without such a wish the beginning and the end of a long output."""
    printed = [part for part in message.parts if isinstance(part, Output)]
    size = sum(len(part.text) for part in printed)
    if size <= (most if most > 0 else USUAL_OUTPUT):
        return message
    if most <= 0:
        return replace(message, parts=tuple(_beginning_and_end(message.parts, size)))
    text = end_of("".join(part.text for part in printed), most)
    others = tuple(part for part in message.parts if not isinstance(part, Output))
    return replace(message, parts=(Output(text), *others))


def _beginning_and_end(parts: Sequence[Part], size: int) -> Iterator[Part]:
    """The parts, and in place of the middle of what was printed how much that is."""
    text = "".join(part.text for part in parts if isinstance(part, Output))
    head, tail = USUAL_OUTPUT // 3, size - USUAL_OUTPUT * 2 // 3
    head = text.rfind("\n", head - _TO_A_LINE, head) + 1 or head
    tail = text.find("\n", tail, tail + _TO_A_LINE) + 1 or tail
    gaps = [part for part in parts if isinstance(part, Output) and part.omitted]
    characters = tail - head + sum(gap.omitted for gap in gaps)
    lines = text.count("\n", head, tail) + sum(gap.omitted_lines for gap in gaps)
    marker = f"\n[… {lines} lines with {characters} characters left out …]\n"
    at, told = 0, False
    for part in parts:
        if not isinstance(part, Output):
            yield part
            continue
        start, at = at, at + len(part.text)
        if start < head:
            yield Output(part.text[: head - start], part.stream)
        if not told and at > head:
            yield Output(marker)
            told = True
        if at > tail:
            yield Output(part.text[max(0, tail - start) :], part.stream)


def without_middle(text: str, size: int) -> tuple[str, int]:
    """The beginning and the end of a text, and how many characters between them are left out."""
    if len(text) <= size:
        return text, 0
    head = size // 2
    tail = size - head
    omitted = len(text) - head - tail
    return f"{text[:head]}\n[… {omitted} characters left out …]\n{text[-tail:]}", omitted


def end_of(printed: str, most: int | None) -> str:
    """The last characters of an output, with a line in front that says what is missing."""
    if most is None or len(printed) <= most:
        return printed
    kept = printed[-most:] if most > 0 else ""
    return f"[Only the last {len(kept)} of {len(printed)} characters are kept.]\n{kept}"


def _shrunk_part(part: Part, role: str) -> Part:
    match part:
        case Output():
            return _cut_part(part, _OLD_OUTPUT)
        case Display() if part.image is not None:
            text = part.text or "a picture"
            return Display((Face("text/plain", f"[{text}: shown earlier]"),), part.display_id)
        case Text() if role == "computer":
            return _cut_part(part, _OLD_OUTPUT)
    return part


def _cut_part(part: Part, size: int) -> Part:
    match part:
        case Output(text) | Text(text) if len(text) > size:
            return replace(part, text=without_middle(text, size)[0])
        case Code(_, source) if len(source) > size:
            return replace(part, source=without_middle(source, size)[0])
        case Display() if len(part.text) > size:
            short = Face("text/plain", without_middle(part.text, size)[0])
            others = tuple(face for face in part.faces if face.media_type != "text/plain")
            return replace(part, faces=(short, *others))
    return part


def _same(one: tuple[Part, ...], other: tuple[Part, ...]) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))
