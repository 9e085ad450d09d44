"""What of an answer is read aloud: its sentences, as soon as each is there, and never its code."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 180  # characters that are said in one go; what is longer would be heard late
FIRST = 30  # the same for the beginning, which somebody waits for
INLINE = 48  # characters of code within a line that are still words
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
END = re.compile(r"(?<=[.!?…。！？])[\"')\]*_]*\s+|\n+|(?<=[。！？])")
NOT_AN_END = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|dr|mr|mrs|ms|st|z\.B|d\.h|[a-z])\.$", re.I)
PAUSE = re.compile(r"(?<=[,;:—–])\s+")
LINKS = [
    re.compile(rf"\s+(?=(?:{words})\s)", re.I)
    for words in (
        "and|or|but|that|which|where|when|while|because|if|so|before|after",
        "of|by|in|on|at|with|from|for|to|into|as|than|is|are|was|were|has|have|had",
    )
]  # words before which a speaker may draw breath, and those where it has to be one of them
REWRITTEN = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), " "),  # pictures
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.I), "a link"),
    (re.compile(r"^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+"), ""),
    (re.compile(r"^\s*\|.*\|\s*$"), " "),  # rows of tables
    (re.compile(r"^\s*(?:[-*_]\s*){3,}$"), " "),
    (re.compile(r"\*\*|__|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|<[^>\n]{1,80}>"), ""),
)
NAMES = (
    (re.compile(r"(?<=\w\w)\.(?=[A-Za-z]\w{1,9}\b)"), " dot "),
    (re.compile(r"(?<=\w)_+(?=\w)|(?<=[a-z])(?=[A-Z])"), " "),
    (re.compile(r"(?<=\w)[/\\](?=\w)"), " slash "),
    (re.compile(r"[\[\]{}<>|\\^~#`*_=]+"), " "),
)


class Sentences:
    """Takes an answer piece by piece; gives its sentences, ready to be said."""

    def __init__(self) -> None:
        self._waiting = ""
        self._fence = ""
        self._said = False

    def add(self, text: str) -> Iterator[str]:
        """The sentences that are complete now."""
        self._waiting += text
        while True:
            if self._fence and not self._past_the_fence():
                return
            fence = FENCE.search(self._waiting)
            found = self._end(fence.start() if fence else len(self._waiting))
            if found is not None:
                sentence, self._waiting = self._waiting[: found[0]], self._waiting[found[1] :]
                yield from self._sayable(sentence)
            elif fence:
                sentence, self._fence = self._waiting[: fence.start()], fence[1]
                self._waiting = self._waiting[fence.end() :]
                yield from self._sayable(sentence)
            else:
                return

    def close(self) -> Iterator[str]:
        """What is left when nothing more comes; a block that did not end is code."""
        yield from self.add("\n")
        rest, self._waiting = self._waiting, ""
        if not self._fence:
            yield from self._sayable(rest)
        self._fence = ""

    def _past_the_fence(self) -> bool:
        """Drop code up to where it ends; whether it has ended."""
        end = re.search(rf"^[ \t]*{self._fence}[ \t]*\n", self._waiting, re.MULTILINE)
        if end is None:
            self._waiting = self._waiting[self._waiting.rfind("\n") + 1 :]
            return False
        self._waiting = self._waiting[end.end() :]
        self._fence = ""
        return True

    def _end(self, most: int) -> tuple[int, int] | None:
        for found in END.finditer(self._waiting, 0, most):
            if "\n" in found[0] or not NOT_AN_END.search(self._waiting[: found.start()]):
                return found.start(), found.end()
        return None

    def _sayable(self, sentence: str) -> Iterator[str]:
        text = spoken(sentence)
        if not self._said and (begun := _beginning(text)):
            self._said = True
            yield f"{begun},"
            text = text[len(begun) :].strip()
        for part in _parts(text, LONGEST if self._said else FIRST):
            self._said = True
            yield part


def sentences(text: str) -> Iterator[str]:
    """The sentences of a whole text."""
    stream = Sentences()
    yield from stream.add(text)
    yield from stream.close()


def spoken(text: str) -> str:
    """A line of Markdown as one says it: no marks, names of files and columns as words."""
    text = re.sub(r"`([^`\n]+)`", lambda code: code[1] if len(code[1]) <= INLINE else " ", text)
    for pattern, words in (*REWRITTEN, *NAMES):
        text = pattern.sub(words, text)
    text = " ".join(text.split())
    return text if any(character.isalnum() for character in text) else ""


def _beginning(text: str) -> str:
    """What may be said before a sentence without a pause is all there: somebody waits for it."""
    if len(text) <= FIRST or PAUSE.search(text, FIRST // 3, FIRST):
        return ""
    for link in LINKS:
        if found := [at for one in link.finditer(text, FIRST // 3) if (at := one.start()) < FIRST]:
            return text[: found[-1]]
    late = [one.start() for link in LINKS for one in link.finditer(text, FIRST, 2 * FIRST)]
    return text[: min(late)] if late else ""


def _parts(text: str, most: int) -> Iterator[str]:
    """A long sentence in parts that end at a pause, or at least between words."""
    while len(text) > most:
        pauses = [found.start() for found in PAUSE.finditer(text, most // 3, most)]
        if not pauses and len(text) <= LONGEST:
            break
        at = pauses[-1] if pauses else text.rfind(" ", most // 3, LONGEST)
        if at <= 0:
            break
        yield text[:at]
        text, most = text[at:].strip(), LONGEST
    while text:
        yield text[: 2 * LONGEST]
        text = text[2 * LONGEST :]
