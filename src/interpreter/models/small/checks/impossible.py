"""What is true of every right answer, whoever computed it."""

from __future__ import annotations

import re

from interpreter.models.small.checks.computed import sizes
from interpreter.models.small.checks.conditions import is_measured
from interpreter.models.small.form.places import key_of
from interpreter.models.small.form.printed import NUMBER, as_number
from interpreter.models.small.own_draft import (
    FILE,
    asked_kind,
    counts_rows,
    named_columns,
    numeric_columns,
)
from interpreter.models.small.prompts.hints import ROWS

BETWEEN = "a {kind} of {column!r} lies between {least:g} and {most:g}"
CORRELATION = re.compile(r"\bcorrelation\b|\bcorrelated\b", re.IGNORECASE)
COUNTS = re.compile(r"\bhow (?:many|much)\b|\bnumber of\b|\bcount\b", re.IGNORECASE)
SHARE = re.compile(
    r"\b(?:(?:what|which|the|an?|its|their|each|market|as) (?:\w+ )?share(?! price| value| capital)"
    r"|share of|proportion|fraction|probability)\b",
    re.IGNORECASE,
)
COUNT = re.compile(
    r"\bhow many (?:rows|records|entries|lines)\b",
    re.IGNORECASE,
)
HOW_MANY = re.compile(r"\A[^?\n]{0,80}\bhow (?:many|much)\b(?![^\n]*\b(?:whether|or not)\b)", re.I)
COUNTED = re.compile(r"\bhow many\b(?! (?:more|fewer|less|degrees|times|words|letters))", re.I)
IS_SO = re.compile(r"\b(?:True|False)\b")
STATISTIC = r"(?<![a-z])(?:mean|average|avg|median|maximum|minimum|max|min)(?![a-z])"
NAMED_STATISTIC = re.compile(r"([A-Za-z][\w ]{2,60}?)['\"]?\s*[:=\[(]\s*(-?\d[\d,.]*)")
TRANSFORMED = re.compile(
    r"\b(?:normali[sz]\w+|standardi[sz]\w+|scal\w+|log\w*|transform\w*|differ\w+|ratio|change"
    r"|percent\w*|per|each|every|by|between|total|sum|convert\w*|thousands?|squared?|how many"
    r"|adjust\w*|multipl\w+|times|divid\w+|euros?|dollars?|pounds?|includ\w+|after|plus|rais\w+"
    r"|rise|increas\w+|decreas\w+|discount\w*|reduc\w+)\b|\d ?%",
    re.IGNORECASE,
)
ROUNDING = 0.5  # an answer may be rounded


def impossible(request: str, output: str) -> str:
    """Why a number that was printed cannot be the answer; nothing where it can."""
    numbers = NUMBER.findall(output)
    if (
        HOW_MANY.search(request)
        and IS_SO.search(output)
        and sizes(output) <= sizes(request.partition("\n\n")[0])
    ):
        return "a number is asked for, and True or False is none"
    if len(numbers) != 1:
        return _named_out_of_range(request, output)
    value, words = as_number(numbers[0]), request.partition("\n\n")[0]
    if CORRELATION.search(words) and not COUNTS.search(words) and abs(value) > 1:
        return "a correlation lies between -1 and 1"
    if SHARE.search(words) and not 0 <= value <= 100:
        return "a share lies between 0 and 1, or 0 and 100 percent"
    return _no_count(request, words, value) or _out_of_range(request, words, value)


def _no_count(request: str, words: str, value: float) -> str:
    """Why a number cannot be how many there are."""
    rows, found = [int(count) for count in ROWS.findall(request)], COUNT.search(words)
    counted = found.group() if found else counts_rows(request)
    if counted and rows and not (0 <= value <= sum(rows) and value == int(value)):
        return f"{counted[9:]} are counted, and there are {sum(rows)} rows"
    if not COUNTED.search(words):
        return ""
    if value < 0:
        return "what is counted is never less than nothing"
    is_more = len(rows) == 1 and value > rows[0] and not numeric_columns(request)
    return f"there are {rows[0]} rows, and no column of numbers" if is_more else ""


def _named_out_of_range(request: str, output: str) -> str:
    """The same of several numbers, where each has a name: `mean_age: -0.02`."""
    if TRANSFORMED.search(FILE.sub(" ", request.partition("\n\n")[0])):
        return ""
    columns = {key_of(one.name): one for one in numeric_columns(request)}
    for name, printed in NAMED_STATISTIC.findall(output):
        kind = re.search(STATISTIC, name, re.IGNORECASE)
        rest = re.sub(STATISTIC, "", name, count=1, flags=re.IGNORECASE).strip("_ ")
        one, value = columns.get(key_of(rest)), as_number(printed)
        if kind and one and not one.least - ROUNDING <= value <= one.most + ROUNDING:
            return BETWEEN.format(kind=kind[0], column=one.name, least=one.least, most=one.most)
    return ""


def _out_of_range(request: str, words: str, value: float) -> str:
    kind, columns = asked_kind(request), named_columns(request)
    if kind not in ("mean", "median", "max", "min") or len(columns) != 1:
        return ""
    if TRANSFORMED.search(FILE.sub(" ", words)):
        return ""
    (one,) = columns
    if one.least - ROUNDING <= value <= one.most + ROUNDING or not is_measured(words, one.name):
        return ""
    return BETWEEN.format(kind=kind, column=one.name, least=one.least, most=one.most)
