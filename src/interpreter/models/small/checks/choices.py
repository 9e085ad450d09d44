"""Answers that a request lists: "high", "medium" or "low"."""

from __future__ import annotations

import re

QUOTED = r"[\"'“‘`]([^\"'”’`\n]{1,40})[\"'”’`]"
LISTED = re.compile(rf"{QUOTED}(?:(?:, or |, | or |/){QUOTED})+")
LAST = re.compile(r"(?:\bor |/)[\"'“‘`][^\"'”’`\n]{1,40}[\"'”’`]\Z")
TRUTHS = re.compile(r"\b(?:true ?(?:or|/) ?false|yes ?(?:or|/) ?no)\b", re.IGNORECASE)
TRUTH = ["true", "false", "yes", "no"]
HOW_MANY = re.compile(r"\bhow (?:many|much)\b|\baverage\b.*\?", re.IGNORECASE)
ANSWERS = re.compile(
    r"(?:\b(?:is|are|be|as|either|answer|reply|respond|say|whether)|[:(\[]"
    r"|\b(?:answer|choose|classif\w+|label|mark|output|pick|print|reply|respond|return|say|state)\b"
    r"[^.?!]{0,80}\b(?:of|with|values?))\W*\Z",
    re.I,
)
ASKS = re.compile(
    r"\W*(?:\d+\W+)?(?:is|are|was|were|does|do|did|should|answer|reply)\b", re.IGNORECASE
)
OF_ROWS = re.compile(  # which rows are meant, not what is to be answered
    r"\b(?:whose|where)\b[^,;:?!]*\Z|\b\w+s (?:that|which) (?:is|are|was|were|has|have)\W*\Z",
    re.IGNORECASE,
)
ONE = re.compile(QUOTED)


def choices_in(request: str) -> list[list[str]]:
    """The lists of texts in quotes of which a request wants one each; and whether something is so,
    in whichever words."""
    words = request.partition("\n\n")[0]
    if HOW_MANY.search(words):
        return []
    lists = (one for one in LISTED.finditer(words) if _is_asked(words, one))
    found = [ONE.findall(one.group()) for one in lists if LAST.search(one.group())]
    return (
        [*found, TRUTH] if any(_is_asked(words, one) for one in TRUTHS.finditer(words)) else found
    )


def _is_asked(words: str, choices: re.Match[str]) -> bool:
    """Whether it is the answer that is chosen, and not rows by their values."""
    before = re.split(r"(?<=[.?!])\s+|\n", words[: choices.start()])[-1]
    is_answer = ANSWERS.search(before) or ASKS.match(before)
    return bool(is_answer) and not OF_ROWS.search(before)


def not_chosen(request: str, output: str) -> list[str]:
    """The choices of which an output has none."""
    said = output.casefold()
    for choices in choices_in(request):
        if not any(
            re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", said) for one in choices
        ):
            return choices
    return []
