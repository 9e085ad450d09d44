"""Questions that ask which one it is: the answer is a value of a column, and not a number alone."""

from __future__ import annotations

import re

from interpreter.models.small.checks.conditions import program_names
from interpreter.models.small.rounds import Round

TEXT_COLUMN = re.compile(r"^- '(.+?)' text\b(.*)$", re.MULTILINE)  # as a file's profile lists it
ALL_VALUES = re.compile(r": '")
VALUE = re.compile(r"'([^']+)'")
WHICH = r"\b(?:which|what) (?:\w+ )?{name}\b(?! of\b)"


def does_not_say_which(request: str, one: Round) -> str:
    """The column of which a request asks for a value, where the program does not use it, or prints
    none of its values; nothing for all others."""
    words = request.partition("\n\n")[0]
    columns: list[tuple[str, str]] = TEXT_COLUMN.findall(request)
    for column, about in columns:
        name = re.escape(column.replace("_", " "))
        if not re.search(WHICH.format(name=name), words, re.IGNORECASE):
            continue
        values = VALUE.findall(about) if ALL_VALUES.match(about) else []
        said = one.output.casefold()
        if not program_names(one.source, column):
            return column
        if values and not any(value.strip().casefold() in said for value in values):
            return column
    return ""
