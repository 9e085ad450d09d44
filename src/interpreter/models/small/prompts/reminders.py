"""What small models forget although the question says it: told again behind the question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interpreter.models.small.checks.which import asked_columns, values_in
from interpreter.models.small.prompts.hints import COLUMN, INCOMPLETE

MEANS_GAPS = (
    r"(\b(?:without|except|excluding|other than|not|leav\w+ out|ignor\w+)\b[^.?!\n]{{0,30}})?"
    r"\b(?:who|that|which) (?:\w+ ){{1,3}}?{name}s?\b"
    r"|\b(without an?|without any|lacking an?|lack an?|no)\b {name}s?\b"
)
COMPARED_WITH = (
    r"\b(?:than|above|below|over|under|exceed\w*) (?:the )?(?:overall |total )?"
    r"(?:average|mean|median)\b(?! (?:of|for|in|within) (?!all\b|the (?:whole|entire|data)\b))"
)
POPULATION = r"population(?:'s)? (standard deviation|std|variance)"
REMINDERS = (
    (
        POPULATION,
        "In pandas .std() and .var() are the sample's; the population's are .std(ddof=0) and "
        ".var(ddof=0).",
    ),
    (
        COMPARED_WITH,
        "What rows are compared with is the value of the whole column: compute it first, before "
        "any rows are selected.",
    ),
    (
        r"\bz-?scores?\b",
        "Z-scores are z = (x - x.mean()) / x.std(), in a variable of their own; an outlier has "
        "z.abs() above the limit, and the other rows are df[z.abs() <= limit].",
    ),
    (
        r"\bIQR\b|\binter-?quartile\b",
        "q1, q3 = x.quantile([0.25, 0.75]); by that range an outlier lies below "
        "q1 - 1.5 * (q3 - q1) or above q3 + 1.5 * (q3 - q1).",
    ),
    (
        r"\b(?:strongest|highest|largest|most)(?: \w+){0,2} correlat"
        r"|\bcorrelat\w+ (?:\w+ )?(?:the )?(?:most|strongest|highest)",
        "The strongest of all pairs of columns: c = df[columns].corr(); pairs = c.where("
        "np.triu(np.ones(c.shape), 1) > 0).stack(); pair = pairs.abs().idxmax(); pairs[pair] is "
        "its coefficient.",
    ),
    (
        r"\bsub-?(?:folders?|director(?:y|ies))\b|\brecursiv|\ball \w+ files (?:under|below)\b",
        "Path(folder).rglob('*.txt') also finds what is in folders below; os.listdir does not.",
    ),
    (
        r"\bcomments?\b.{0,60}\b(?:stay|keep|kept|remain|unchanged|as they are)\b"
        r"|\b(?:keep|leave|preserv\w+)\b.{0,40}\bcomments?\b",
        "Change only the lines that are meant, with re.sub in the text that open() reads, and "
        "write that text: a parser would lose the comments.",
    ),
    (
        r"\bbeen\b.{0,40}\blongest\b|\blongest[- ](?:serving|standing)\b",
        "For the longest time means since the earliest date.",
    ),
    (
        r"\b[01](?:\.0)? is (?:the )?best\b|\blower is better\b|\bthe lower,? the better\b",
        "The best is the lowest value: idxmin, not idxmax.",
    ),
)

TWO = 2
TABLES = re.compile(r"^(?=\S.*: .*\b\d+ rows x \d+ columns$)", re.MULTILINE)
TO_JOIN = (
    "Two tables have {column!r}: pd.merge(one, other, on={column!r}) puts their rows together."
)

AMONG = re.compile(
    r"\b(?:average|mean|median|total|sum|overall|together|most|fewest|least|highest|lowest|largest"
    r"|smallest|longest|shortest|best|worst)\b",
    re.IGNORECASE,
)
LACKS = re.compile(r"\b(?:not?|never|without|missing|lacks?|yet)\b|n't\b", re.IGNORECASE)
LACKING = "Rows of one that the other lacks: one[~one[{column!r}].isin(other[{column!r}])]."
KEEP_ALL = (
    "{value!r} stands in one of the tables only: with how='left' its rows are kept, and what they "
    "lack has to be filled in."
)
IN_ORDER = re.compile(r"\b(?:the )?\w+ (?:\w+ ){0,2}first\b", re.IGNORECASE)  # all there are
EACH = (
    "For each {column}: g = df.groupby({column!r})[number].{how}(); g.idx{end}() is which one, "
    "g.{end}() its value."
)
HOW_EACH = (  # the first of which the words are said
    ("median", r"\bmedian\b"),
    ("mean", r"\b(?:average|mean)\b"),
    ("size", r"\boften\b|\bfrequent|\bmost (?:rows|entries|records|times)\b"),
    ("sum", r"\b(?:most|fewest|least|total|sum|overall|together)\b"),
    ("max", r""),
)
LEAST = re.compile(r"\b(?:fewest|least|lowest|smallest|shortest|worst)\b", re.IGNORECASE)

UNITS = (
    {"km": 1000.0, "m": 1.0, "cm": 0.01, "mm": 0.001},
    {"t": 1000.0, "kg": 1.0, "g": 0.001, "mg": 0.000001},
    {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 0.001},
    {"l": 1.0, "ml": 0.001},
)
"""The units of one quantity, with how much each is of one of them."""
UNIT_WORDS = {
    "km": r"kilomet(?:re|er)s?|km",
    "m": r"met(?:re|er)s?",
    "cm": r"centimet(?:re|er)s?|cm",
    "mm": r"millimet(?:re|er)s?|mm",
    "t": r"tonnes?|tons?",
    "kg": r"kilograms?|kilos?|kg",
    "g": r"grams?",
    "mg": r"milligrams?|mg",
    "h": r"hours?",
    "min": r"minutes?|mins?",
    "s": r"seconds?|secs?",
    "ms": r"milliseconds?|ms",
    "l": r"lit(?:re|er)s?",
    "ml": r"millilit(?:re|er)s?|ml",
}


def reminders_for(question: str) -> tuple[str, ...]:
    """What to keep in mind when answering."""
    asked = question.partition("\n\n")[0]
    told = (told for words, told in REMINDERS if re.search(words, asked, re.IGNORECASE))
    joined = shared_column(question)
    more = [TO_JOIN.format(column=joined)] if joined else []
    more += [LACKING.format(column=joined)] if joined and LACKS.search(asked) else []
    more += [KEEP_ALL.format(value=one) for one in _of_one_table(question, joined)]
    how = next(name for name, words in HOW_EACH if re.search(words, asked, re.IGNORECASE))
    end = "min" if LEAST.search(asked) else "max"
    is_among = AMONG.search(IN_ORDER.sub("", asked))
    columns = [one for one, _ in asked_columns(question)] if is_among else []
    grouped = (EACH.format(column=one, how=how, end=end) for one in columns)
    return (*told, *_other_units(question), *_gaps(question), *more, *grouped)


def shared_column(question: str) -> str:
    """A column that two of the profiled tables have, by which they can be joined; nothing where
    there is one table, or they are alike."""
    tables = [COLUMN.findall(text) for text in TABLES.split(question.partition("\n\n")[2])]
    tables = [columns for columns in tables if columns]
    if len(tables) != 2 or set(tables[0]) == set(tables[1]):
        return ""
    shared = [name for name in tables[0] if name in tables[1]]
    return shared[0] if len(shared) == 1 else ""


def _of_one_table(question: str, column: str) -> list[str]:
    """Values of a shared column that the first of two tables has and the other one has not, where
    both are known."""
    listed = re.findall(rf"^- {re.escape(repr(column))} text: (.*)$", question, re.MULTILINE)
    values = [values_in(one) for one in listed]
    is_known = column and len(values) == TWO
    return [one for one in values[0] if one not in values[1]][:TWO] if is_known else []


def _gaps(question: str) -> Iterator[str]:
    """Columns with gaps, where rows with a value are meant, or those without: "who gave a rating",
    "without a remark"."""
    words = question.partition("\n\n")[0]
    for column in dict.fromkeys(INCOMPLETE.findall(question)):
        name = re.escape(column.replace("_", " "))
        found = re.search(MEANS_GAPS.format(name=name), words, re.IGNORECASE)
        if found is None:
            continue
        if any(found.groups()) or re.search(r"\b(?:no|not|never|without)\b", found.group()):
            yield f"Keep only the rows without a value there: df[df[{column!r}].isna()]."
        else:
            yield f"Leave out the rows without a value first: df.dropna(subset=[{column!r}])."


def _other_units(question: str) -> Iterator[str]:
    """Columns that are in another unit than the request says."""
    words = question.partition("\n\n")[0]
    asked = {unit for unit, spelt in UNIT_WORDS.items() if re.search(rf"\b(?:{spelt})\b", words)}
    for column in dict.fromkeys(COLUMN.findall(question)):
        unit = _unit_of(column)
        units = next((one for one in UNITS if unit in one and unit not in asked), {})
        for wanted in sorted(asked & units.keys()):
            larger, smaller = sorted((unit, wanted), key=units.__getitem__, reverse=True)
            factor = f"{units[larger] / units[smaller]:g}"
            yield f"{column!r} is in {unit}: 1 {larger} is {factor} {smaller}."


def _unit_of(column: str) -> str:
    """The unit that a column's name ends with: distance_m, Weight (kg), minutes."""
    last = re.split(r"[\s_(\[]+", column.strip(" )]"))[-1]
    spelt = ((unit, rf"{unit}|{words}") for unit, words in UNIT_WORDS.items())
    return next((unit for unit, words in spelt if re.fullmatch(words, last, re.IGNORECASE)), "")
