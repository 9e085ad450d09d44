"""Markdown of others that may be shown: words with their form, but no HTML, pictures, odd links.

HTML could hide what follows or run as a script, and a picture is fetched from wherever its address
says, with whatever the address tells. Only what is surely code is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")  # at the very beginning: others end with their list
CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
LONGEST = 2_000  # characters of a line in which spans of code are looked for
LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
LINK = re.compile(r"\](?=\((?!https?://|#)|\s*:|\[)")


def safe_markdown(text: str) -> str:
    """The text with everything escaped that is more than words and their form."""
    return "\n".join(_lines(text.replace("\r\n", "\n").replace("\r", "\n")))


def fenced(text: str, language: str = "") -> str:
    """Text in a fence that is longer than any inside it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    named = language if LANGUAGE.fullmatch(language) else ""
    return f"{fence}{named}\n{text.rstrip()}\n{fence}"


def _lines(text: str) -> Iterator[str]:
    fence, certain = "", True
    for line in text.split("\n"):
        if fence:
            yield line
            mark = line.strip(" \t")
            fence = "" if len(mark) >= len(fence) and set(mark) == {fence[0]} else fence
            continue
        if opened := FENCE.match(line):
            fence, certain = opened[1], True
            yield line if fence[0] == "`" else _escaped(line)
            continue
        whole = len(line) <= LONGEST and _has_only_whole_spans(line)
        certain = not line.strip() or (certain and whole)
        yield _escaped_around_code(line) if certain else _escaped(line)
    if fence:  # else it would swallow what follows
        yield fence


def _has_only_whole_spans(line: str) -> bool:
    """Whether no code begins here that may end in a later line, or not at all."""
    left = CODE.sub("", line)
    return "`" not in left and not ("`" in line and ("\\" in line or "$" in line))


def _escaped_around_code(line: str) -> str:
    pieces, at = [], 0
    for found in CODE.finditer(line):
        pieces += [_escaped(line[at : found.start()]), found[0]]
        at = found.end()
    return "".join([*pieces, _escaped(line[at:])])


def _escaped(words: str) -> str:
    words = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", words)
    return LINK.sub(r"\\]", words.replace("![", "!\\["))
