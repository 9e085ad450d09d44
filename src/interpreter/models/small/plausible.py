"""What is true of every right answer, whoever computed it: tests that no model wrote."""

from __future__ import annotations

import re

from interpreter.models.small.forms import NUMBER, as_number
from interpreter.models.small.own_draft import FILE, asked_kind, counts_rows, named_columns

BETWEEN = "a {kind} of {column!r} lies between {least:g} and {most:g}"
CORRELATION = re.compile(r"\bcorrelation\b|\bcorrelated\b", re.IGNORECASE)
SHARE = re.compile(r"\b(?:share|proportion|fraction|probability)\b", re.IGNORECASE)
COUNT = re.compile(
    r"\bhow many (?:rows|records|entries|lines|people|customers|passengers|employees|students)\b",
    re.IGNORECASE,
)
ROWS = re.compile(r": (\d+) rows x \d+ columns$", re.MULTILINE)
OF_GROUPS = re.compile(
    r"\b(?:per|each|every|by|total|sum|differ\w+|between|times)\b", re.IGNORECASE
)
ROUNDING = 0.5  # an answer may be rounded


def impossible(request: str, output: str) -> str:
    """Why the one number that was printed cannot be the answer; nothing where it can."""
    numbers = NUMBER.findall(output)
    if len(numbers) != 1:
        return ""
    value, words = as_number(numbers[0]), request.partition("\n\n")[0]
    if CORRELATION.search(words) and abs(value) > 1:
        return "a correlation lies between -1 and 1"
    if SHARE.search(words) and not 0 <= value <= 100:
        return "a share lies between 0 and 1, or 0 and 100 percent"
    found = COUNT.search(words)
    if counted := found.group() if found else counts_rows(request):
        rows = [int(count) for count in ROWS.findall(request)]
        if rows and (value > sum(rows) or value != int(value) or value < 0):
            return f"{counted[9:]} are counted, and there are {sum(rows)} rows"
    return _out_of_range(request, words, value)


def _out_of_range(request: str, words: str, value: float) -> str:
    kind, columns = asked_kind(request), named_columns(request)
    if kind not in ("mean", "median", "max", "min") or len(columns) != 1:
        return ""
    if OF_GROUPS.search(FILE.sub(" ", words)):
        return ""
    (one,) = columns
    if one.least - ROUNDING <= value <= one.most + ROUNDING:
        return ""
    return BETWEEN.format(kind=kind, column=one.name, least=one.least, most=one.most)
