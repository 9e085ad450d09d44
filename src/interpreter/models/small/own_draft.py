"""A program that the model did not write, for the plainest questions about one table.

"How many units of tea were sold?" names a column, a value of another, and what to do. Where a
request is no more than that, it is computed by the standard library, too, to compare.
"""

from __future__ import annotations

import re

from interpreter.models.small.checks.conditions import TOTALS, Conditions
from interpreter.models.small.prompts.hints import COLUMN
from interpreter.protocol.values import frozen

# As inside/files/profile_file.py writes it.
TABLE = re.compile(
    r"^(\S+\.csv)(?: \(read it with (?:encoding='([\w-]+)')?(?:, )?(?:sep='(.)')?\))?"
    r": (\d+) rows x \d+ columns$",
    re.MULTILINE,
)
HOW_MANY = re.compile(r"\bhow many ([^\W\d_]+)\b", re.IGNORECASE)
ROWS = ("row", "record", "entrie", "line")  # without the ending of a plural
NUMERIC = re.compile(r"^- '(.+?)' (?:int|float) (\S+) to (\S+?),?(?: .*)?$", re.MULTILINE)
FILE = re.compile(
    r"\W{0,3}\b(?:by|in|of|from|use|using|see|according to|per)?\W{0,3}[\w./-]{1,200}\.csv\b",
    re.IGNORECASE,
)
MORE = re.compile(
    r"\b(?:per|each|every|by|which|who|whose|when|than|between|over|above|below|under|at least"
    r"|at most|correlat\w+|compar\w+|differ\w+|ratio|share|percent\w*|proportion|rate"
    r"|exclud\w+|except|without|not|no|or|and|if|both|top|first|last|unique|distinct|missing"
    r"|empty|days?|weeks?|months?|years?|quarters?|(?:19|20)\d\d|since|until|before|after|times"
    r"|standard|weighted|outliers?|rows?|json)\b|[<>=*/]|\d",
    re.IGNORECASE,
)
KINDS = (
    ("mean", r"average|mean"),
    ("median", r"median"),
    ("max", r"highest|largest|maximum|biggest|greatest"),
    ("min", r"lowest|smallest|minimum|least"),
    ("sum", r"total|sum|how many|how much"),
)
COMPUTED = {
    "mean": "sum(numbers) / len(numbers)",
    "median": "statistics.median(numbers)",
    "max": "max(numbers)",
    "min": "min(numbers)",
    "sum": "sum(numbers)",
}
SAYING_NOTHING = """
a all altogether an answer are as at be been by calculate column compute csv data did do file find
for from get give had has have i in is it its me number of on only our out overall please just
reply round rounded decimals decimal places two one three say see show sold made bought spent paid
ordered tell that the their them there these they this to us use value values was we were what
what's with you there's across dataset table record records given with
"""
PROGRAM = """\
# Computed once more in another way, to compare.
import csv
import statistics
with open({file!r}, newline="", encoding={encoding!r}) as file:
    rows = list(csv.DictReader(file, delimiter={separator!r}))
{select}print({printed})"""
NUMBERS = "numbers = [float(row[{column!r}]) for row in rows if row[{column!r}].strip()]\n"
SELECT = "rows = [row for row in rows if {row}.strip().lower() in {values!r}]\n"
NAMES = "rows = [row for row in rows if {thing!r} in str(list(row.values())).lower()]\n"


@frozen
class NumericColumn:
    """A column of numbers, as the profile of its file tells of it."""

    name: str
    least: float
    most: float


def numeric_columns(request: str) -> list[NumericColumn]:
    """The columns of numbers that the profiles behind a request tell of."""
    found = []
    for name, least, most in NUMERIC.findall(request):
        try:
            found.append(NumericColumn(name, float(least), float(most)))
        except ValueError:
            continue
    return found


def named_columns(request: str) -> list[NumericColumn]:
    """Those that the user's own words name."""
    words = _key(request.partition("\n\n")[0])
    return [one for one in numeric_columns(request) if f" {_key(one.name).strip()} " in words]


def asked_kind(request: str) -> str:
    """What is to be done with the numbers: mean, median, max, min or sum; nothing if unclear."""
    words = request.partition("\n\n")[0]
    found = [kind for kind, pattern in KINDS if re.search(rf"\b(?:{pattern})\b", words, re.I)]
    return found[0] if len(found) == 1 or found[1:] == ["sum"] else ""


def own_draft(request: str) -> str:
    """A program for a request that asks for one number of one table; nothing for all others."""
    words = FILE.sub(" ", request.partition("\n\n")[0])
    tables, columns, kind = TABLE.findall(request), named_columns(request), asked_kind(request)
    if counted := counts_rows(request):
        words, columns = words.replace(counted, " "), []
    conditions = Conditions.of(request)
    if len(tables) != 1 or not kind or len(columns) != (not counted) or MORE.search(words):
        return ""
    if _unaccounted(words, request, conditions):
        return ""
    if len({column for column, _ in conditions.values}) != len(conditions.values):
        return ""  # several values of one column are a comparison
    if TOTALS.search(request) or (conditions.things and kind != "sum"):
        return ""  # a row with a total is none of the others, and nothing has no average
    file, encoding, separator, _ = tables[0]
    select = "".join(
        SELECT.format(row=f"row[{column!r}]", values={value.strip().lower() for value in spelt})
        for column, spelt in conditions.values
    )
    select += "".join(NAMES.format(thing=thing) for thing in conditions.things)
    if not counted:
        select += NUMBERS.format(column=columns[0].name)
    return PROGRAM.format(
        file=file,
        encoding=encoding or "utf-8-sig",
        separator=separator or ",",
        select=select,
        printed="len(rows)" if counted else f'f"{{{COMPUTED[kind]}:.12g}}"',
    )


def counts_rows(request: str) -> str:
    """The words `how many sales` where those are the rows: of sales.csv; nothing for all others."""
    tables, found = TABLE.findall(request), HOW_MANY.search(request.partition("\n\n")[0])
    if len(tables) != 1 or found is None:
        return ""
    noun, stem = _key(found.group(1)).strip(), _key(tables[0][0].rpartition(".")[0]).strip()
    columns = {_key(name).strip() for name in COLUMN.findall(request)}
    return found.group() if noun in (stem, *ROWS) and noun not in columns else ""


def _unaccounted(words: str, request: str, conditions: Conditions) -> set[str]:
    """Words that may select rows, and of which nobody knows which."""
    known = list(COLUMN.findall(request))
    known += [value for _, spelt in conditions.values for value in spelt]
    known += [*conditions.things, *(pattern.replace("|", " ") for _, pattern in KINDS)]
    return set(_key(words).split()) - set(_key(" ".join((SAYING_NOTHING, *known))).split())


def _key(text: str) -> str:
    """Words without case, marks and plurals, each between two spaces."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return f" {' '.join(word.removesuffix('s') for word in words)} "
