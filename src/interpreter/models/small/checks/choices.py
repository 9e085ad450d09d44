"""Answers that a request lists: "high", "medium" or "low"."""

from __future__ import annotations

import re

QUOTED = r"[\"'“‘`]([^\"'”’`\n]{1,40})[\"'”’`]"
LISTED = re.compile(rf"{QUOTED}(?:(?:, or |, | or |/){QUOTED})+")
LAST = re.compile(r"(?:\bor |/)[\"'“‘`][^\"'”’`\n]{1,40}[\"'”’`]\Z")
TRUTHS = re.compile(r"\b(?:true ?(?:or|/) ?false|yes ?(?:or|/) ?no)\b", re.IGNORECASE)
TRUTH = ["true", "false", "yes", "no"]
ONE = re.compile(QUOTED)


def choices_in(request: str) -> list[list[str]]:
    """The lists of texts in quotes of which a request wants one each; and whether something is so,
    in whichever words."""
    words = request.partition("\n\n")[0]
    lists = (found.group() for found in LISTED.finditer(words))
    found = [ONE.findall(each) for each in lists if LAST.search(each)]
    return [*found, TRUTH] if TRUTHS.search(words) else found


def not_chosen(request: str, output: str) -> list[str]:
    """The choices of which an output has none."""
    said = output.casefold()
    for choices in choices_in(request):
        if not any(re.search(rf"\b{re.escape(one.casefold())}\b", said) for one in choices):
            return choices
    return []
