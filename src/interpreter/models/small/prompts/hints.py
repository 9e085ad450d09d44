"""What helps with the errors that small models make again and again when they work with data."""

from __future__ import annotations

import difflib
import re
import sys

TEXT_FOR_NUMBERS = (
    r"could not convert string|does not support operation|unsupported operand.*str"
    r"|Unknown format code '.' for object of type 'str'|can only concatenate str"
    r"|not supported between instances of .*str"
)
DIFFERENT_LENGTHS = r"inconsistent numbers of samples|same length|shape"

HINTS = (
    (
        r"could not convert string to float: '[-+]?[\d.]*\d,\d+'",
        "The decimal point is a comma: column.str.replace('.', '').str.replace(',', '.')"
        ".astype(float).",
    ),
    (
        r"Error tokenizing data.*Expected \d+ fields in line",
        "Other lines stand above the header. Leave them out with pd.read_csv(path, skiprows=N), so "
        "that the first line that is read is the header.",
    ),
    (
        r"(?:with base 10|string to float): '[-+]?\d[\d.]* ?[A-Za-z%]+'",
        r"Take the digits alone: re.search(r'(\d+)ms', text).group(1) for 114ms, and so on.",
    ),
    (
        r"agg function failed|could not convert string to float: '[A-Za-z]",
        "Some columns hold text. Take only the numeric ones: .mean(numeric_only=True), "
        '.corr(numeric_only=True), df.select_dtypes("number"). Categories become numbers with '
        ".astype('category').cat.codes.",
    ),
    (
        TEXT_FOR_NUMBERS,
        "The column holds text. Make numbers first: "
        'pd.to_numeric(column.astype(str).str.replace(",", "").str.extract(r"([-+]?[0-9.]+)")[0], '
        'errors="coerce").',
    ),
    (
        r"operands with types dtype\('<[mM]8|cannot (?:add|subtract) .*[tT]ime|and 'Timedelta'",
        "One side is a time or a span of time, the other a number. Make a span of the number: "
        "pd.to_timedelta(column, unit='min'), or numbers of the spans: "
        "spans.dt.total_seconds() / 60.",
    ),
    (
        r"unsupported format string passed to (?:Series|DataFrame|numpy|list)"
        r"|argument must be a .*number, not '(?:Series|DataFrame)'|cannot convert the series to",
        "That is many values, not one. Make one of them before it is printed: (a * b).sum() adds "
        "up products, .mean() is the average, .iloc[0] the first.",
    ),
    (
        r"truth value of (?:a Series|a DataFrame|an array)",
        "Put each condition in parentheses, and join them by & or |: "
        "df[(df['a'] == 1) & (df['b'] > 2)].",
    ),
    (
        r"is not JSON serializable",
        "Print the dictionary itself, with print(...): it is written as JSON for you.",
    ),
    (
        r"time data .* match format",
        "The dates are written in several forms: pd.to_datetime(column, format='mixed') reads "
        "them. Those such as 31.12.2024 have to be turned round first.",
    ),
    (
        r"Length of values \(\d+\) does not match length of index",
        "A column takes one value for all rows, or one for each row. What is the same for a whole "
        "table is set there, before tables are put together: a['x'] = 'one'; b['x'] = 'two'.",
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
        r"unexpected keyword argument 'squared'",
        "Take the square root: np.sqrt(mean_squared_error(a, b)).",
    ),
    (
        r"unexpected keyword argument",
        "That function does not take this argument: leave it out, or give it to the one that does.",
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


MISSING = re.compile(r"KeyError: [\"'](.+)[\"']|[\[{]'(.+?)'.*not (?:in index|found in axis)")
COLUMN = re.compile(r"^- '(.+?)' ", re.MULTILINE)  # as a file's profile lists it
ROWS = re.compile(r": (\d+) rows x \d+ columns$", re.MULTILINE)  # of a table
INCOMPLETE = re.compile(r"^- '(.+?)' .*\d missing\b", re.MULTILINE)
AFTER_MERGE = (
    "After pd.merge columns that both tables have are called a_x and a_y. To have the rows of both "
    "tables below each other, write pd.concat([one, other]), then drop_duplicates(subset=...)."
)
LONGEST_ERROR = 600  # characters that are looked at
ALIKE = 4  # columns that are named
MOST_NAMED = 20  # columns, when one that was asked about is not there
NO_FILE = re.compile(r"No such file or directory: '([^']+)'(?: \(there is: (.+)\))?")
NO_SUCH = re.compile(r"no such (column|table): (\S+)")
NO_ATTRIBUTE = re.compile(
    r"'DataFrame' object has no attribute '(?!(?:str|dt|total|average|append)')(\w+)'"
)
NO_NAME = re.compile(r"name '(\w+)' is not defined")
CUSTOMARY = {
    "pd": "import pandas as pd",
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "Path": "from pathlib import Path",
    "Counter": "from collections import Counter",
    "defaultdict": "from collections import defaultdict",
    "timedelta": "from datetime import timedelta",
    "BytesIO": "from io import BytesIO",
    "StringIO": "from io import StringIO",
}
IMPORT_FIRST = "{name} is not imported. Begin the block with: {line}"
NOT_IMPORTED = (
    "{name} is neither imported nor defined. If it belongs to {packages}, begin the block with "
    "from PACKAGE import {name}, with the right package for PACKAGE; else do without it."
)
COUNTS = re.compile(
    r"^[ \t]*(\w+) = [^\n]*\.(?:value_counts|size|count|nunique|to_dict)\([^()\n]*\)$", re.MULTILINE
)
NO_PACKAGE = re.compile(r"No module named '([^']+)'")


def hint_for(error: str, question: str = "", source: str = "") -> str:
    """What to say about an error of a block; empty when it says enough itself."""
    if (found := NO_NAME.search(error)) and (line := _import_of(found.group(1), question, source)):
        return line
    hint = next((words for pattern, words in HINTS if re.search(pattern, error)), "")
    alike = _columns_like(error, question)
    if "merge(" in source and re.search(r"KeyError|not in index|not found in axis", error):
        hint = AFTER_MERGE
    return f"{hint} There is: {', '.join(map(repr, alike))}." if alike else hint


def _import_of(name: str, question: str, source: str) -> str:
    """What to write for a name that is used and was never given a value, so it has to be imported;
    nothing where it looks like a variable."""
    if re.search(rf"^[ \t]*{name}\b[^=\n(]*=[^=]|\bas {name}\b", source, re.MULTILINE):
        return ""
    if name in CUSTOMARY or name in sys.stdlib_module_names:
        return IMPORT_FIRST.format(name=name, line=CUSTOMARY.get(name, f"import {name}"))
    told = re.search(rf"from [\w.]+ import [\w, ]*\b{name}\b", question)
    imported = re.findall(r"^[ \t]*(?:import|from) ([\w.]+)", source, re.MULTILINE)
    if told:
        return IMPORT_FIRST.format(name=name, line=told.group())
    if not (name[0].isupper() or re.search(rf"\b{name}\(", source)):
        return ""
    packages = ", ".join(dict.fromkeys(imported)) or "a package"
    return NOT_IMPORTED.format(name=name, packages=packages)


def missing_thing(error: str, question: str, source: str = "") -> tuple[str, str]:
    """The column, file or package that an error says is not there, and a sentence for the user."""
    columns = COLUMN.findall(question)
    name = _missing_column(error, question, source)
    if columns and name and name not in columns:  # what is grouped by is there, if not as a column
        there = ", ".join(map(repr, columns[:MOST_NAMED]))
        return name, f"There is no column {name!r}. There is: {there}."
    if found := NO_SUCH.search(error):
        kind, name = found.groups()
        return name, f"There is no {kind} {name!r}."
    if found := NO_FILE.search(error):
        name, near = found.groups()
        return name, f"There is no file {name!r}." + (f" There is: {near}." if near else "")
    if found := NO_PACKAGE.search(error):
        return found.group(1), f"The package {found.group(1)!r} is not installed."
    return "", ""


def _missing_column(error: str, question: str, source: str = "") -> str:
    """The column that an error says is not there; an attribute only counts if the user named it,
    and it is no method: `df.unique()`, `df.str.lower()`."""
    if found := MISSING.search(error[:LONGEST_ERROR]):
        name: str = found.group(1) or found.group(2)
        value = rf"^(?:Named in the request: .* has|- '.+?' text:) .*'{re.escape(name)}'"
        is_value = re.search(value, question, re.IGNORECASE | re.MULTILINE)
        return "" if is_value or _is_label(name, source) else name
    found = NO_ATTRIBUTE.search(error)
    if found is None or re.search(rf"\.{found.group(1)} *\(", source):
        return ""
    words = question.partition("\n\n")[0]
    return found.group(1) if re.search(rf"\b{found.group(1)}\b", words, re.IGNORECASE) else ""


def _is_label(name: str, source: str) -> bool:
    """Whether a program takes a name out of counts and the like, and of no table."""
    holders = re.findall(rf"(\w+|\))\[[\"']{re.escape(name)}[\"']\]", source)
    counts = {")", *COUNTS.findall(source)}
    return bool(holders) and counts.issuperset(holders)


def _columns_like(error: str, question: str) -> list[str]:
    """The columns of the profiled files whose names share a word with the one that is missing, or
    are spelt nearly like it."""
    missing = _missing_column(error, question)
    columns = COLUMN.findall(question)
    if not missing:
        return []
    lower = {name.lower(): name for name in reversed(columns)}
    close = [lower[one] for one in difflib.get_close_matches(missing.lower(), lower, ALIKE)]
    alike = [name for name in columns if _words(missing) & _words(name)]
    return list(dict.fromkeys((*close, *alike)))[:ALIKE]


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{2,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
