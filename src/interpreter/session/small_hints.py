"""What helps with the errors that small models make again and again when they work with data."""

from __future__ import annotations

import re

TEXT_FOR_NUMBERS = (
    r"could not convert string|does not support operation|unsupported operand.*str"
    r"|can only concatenate str|agg function failed|not supported between instances of .*str"
)
DIFFERENT_LENGTHS = r"inconsistent numbers of samples|same length|shape"

HINTS = (
    (
        r"agg function failed|could not convert string to float: '[A-Za-z]",
        "Some columns hold text. Take only the numeric ones: .mean(numeric_only=True), "
        '.corr(numeric_only=True), df.select_dtypes("number"). Categories become numbers with '
        ".astype('category').cat.codes.",
    ),
    (
        TEXT_FOR_NUMBERS,
        "The column holds text. Make numbers first: "
        'pd.to_numeric(column.astype(str).str.extract(r"([-+]?[0-9.]+)")[0], errors="coerce").',
    ),
    (
        r"no capture groups",
        'Put parentheses around the part to take out: .str.extract(r"(\\d+)").',
    ),
    (
        r"NaN",
        "Drop the rows with missing values in all the columns you use, in one step, before "
        "anything else.",
    ),
    (
        r"KeyError|not in index|not found in axis",
        "Use only column names that exist, written exactly as they are.",
    ),
    (
        r"ndarray' object has no attribute",
        "It is a NumPy array: write np.abs(x) for x.abs(), and so on.",
    ),
    (
        r"has no attribute",
        "That does not exist in the installed version; compute it in another way.",
    ),
    (
        r"cannot import name",
        "That name is not in that module. Leave the import out if the task does not need it.",
    ),
    (
        r"No module named",
        "That package is not installed. Write it in plain Python, with pandas or numpy if need be.",
    ),
    (r"No such file", "Use the file name exactly as it was given."),
    (
        r"is not defined",
        "Variables of a failed block may be missing: import and load everything again.",
    ),
    (
        r"SyntaxError|IndentationError|unterminated",
        "The code is not valid Python. Write it again in a simpler way.",
    ),
    (
        DIFFERENT_LENGTHS,
        "The two sides have different lengths: select rows once, then take both from them.",
    ),
)
"""Patterns in the last line of an error, and one sentence for each; the first that fits counts."""


def hint_for(error: str) -> str:
    """What to say about an error; empty when we know nothing better than it says itself."""
    return next((words for pattern, words in HINTS if re.search(pattern, error)), "")


REMINDERS = (
    (
        r"population(?:'s)? (standard deviation|std|variance)",
        "In pandas .std() and .var() are the sample's; the population's are .std(ddof=0) and "
        ".var(ddof=0).",
    ),
)
"""What small models forget although the question says it."""


def reminders_for(question: str) -> tuple[str, ...]:
    """What to keep in mind when answering."""
    return tuple(told for words, told in REMINDERS if re.search(words, question, re.IGNORECASE))
