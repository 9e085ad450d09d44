"""Questions that ask who or which one it is: the answer is no number alone."""

from __future__ import annotations

import re

from interpreter.models.small.checks.program import Program
from interpreter.models.small.rounds import Round

TEXT_COLUMN = re.compile(r"^- '(.+?)' text\b(.*)$", re.MULTILINE)  # as a file's profile lists it
ALL_VALUES = re.compile(r": ['\"]")
SHOWN = re.compile(r"'([^']*)'|\"([^\"]*)\"")
WHICH = r"(?<!matter in )(?<!matter )\b(?:which|what) {name}\b(?! of\b)"


WHO = re.compile(
    r"(?:\A|[.!?:]\s+)who(?:se)?\b|, who (?:has|had|is the|was the|sold|made|earn\w*|spent|paid"
    r"|took|got|won|worked|scored|bought)\b",
    re.IGNORECASE,
)
LABEL = re.compile(r"^([^:=\n]*)[:=]", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]+")


def values_in(about: str) -> list[str]:
    """The values that a profile lists of a column."""
    return list(filter(None, map("".join, SHOWN.findall(about))))


def does_not_say_who(request: str, output: str) -> bool:
    """Whether a person is asked for, and nothing but numbers was printed, and what they are."""
    said = set(WORD.findall(request.casefold()))

    def is_a_name(label: re.Match[str]) -> bool:
        return label[1] != label[1].lower() and not said.issuperset(
            WORD.findall(label[1].casefold())
        )

    values = LABEL.sub(lambda label: label[1] if is_a_name(label) else "", output)
    return bool(WHO.search(request.partition("\n\n")[0])) and not re.search(r"[^\W\d_]", values)


def asked_columns(request: str) -> list[tuple[str, str]]:
    """The columns of texts of which a request asks for a value, and what is known of each."""
    words = request.partition("\n\n")[0]
    columns: list[tuple[str, str]] = TEXT_COLUMN.findall(request)
    names = ((re.escape(column.replace("_", " ")), (column, about)) for column, about in columns)
    return [one for name, one in names if re.search(WHICH.format(name=name), words, re.IGNORECASE)]


def does_not_say_which(request: str, one: Round) -> str:
    """The column of which a request asks for a value, where the program does not use it, or prints
    none of its values; nothing for all others."""
    for column, about in asked_columns(request):
        shown = values_in(about) if ALL_VALUES.match(about) else []
        values = [one.removesuffix("...").strip() for one in shown]  # long ones are cut
        said = one.output.casefold()
        if not Program.of(one.source).names(column):
            return column
        if values and not any(value.casefold() in said for value in values):
            return column
    return ""
