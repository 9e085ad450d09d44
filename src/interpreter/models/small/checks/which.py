"""Questions that ask who or which one it is: the answer is no number alone."""

from __future__ import annotations

import re

from interpreter.models.small.checks.program import Program
from interpreter.models.small.rounds import Round

TEXT_COLUMN = re.compile(r"^- '(.+?)' text\b(.*)$", re.MULTILINE)  # as a file's profile lists it
ALL_VALUES = re.compile(r": ['\"]")
VALUE = re.compile(r"'([^']+)'")
SHOWN = re.compile(r"'([^']*)'|\"([^\"]*)\"")
WHICH = r"(?<!matter in )(?<!matter )\b(?:which|what) {name}\b(?! of\b)"


WHO = re.compile(
    r"(?:\A|[.!?:]\s+)who(?:se)?\b|, who (?:has|had|is the|was the|sold|made|earn\w*|spent|paid"
    r"|took|got|won|worked|scored|bought)\b",
    re.IGNORECASE,
)
LABEL = re.compile(r"^[^:=\n]*[:=]", re.MULTILINE)


def does_not_say_who(request: str, output: str) -> bool:
    """Whether a person is asked for, and nothing but numbers was printed."""
    values = LABEL.sub("", output)
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
        shown = SHOWN.findall(about) if ALL_VALUES.match(about) else []
        values = ["".join(one).removesuffix("...").strip() for one in shown]  # long ones are cut
        said = one.output.casefold()
        if not Program.of(one.source).names(column):
            return column
        if values and not any(value.casefold() in said for value in values):
            return column
    return ""
