"""What a printed text holds: numbers, values, names with their values, rows."""

from __future__ import annotations

import ast
import csv
import json
import re
from typing import Any

NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?")
SCALAR = re.compile(r"\b(?:np|numpy)\.(?:float|int|uint|str|bool)\w*\(((?:'[^'\n]*')|[^()\n]*)\)")
TRUTH = re.compile(r"\b(?:np|numpy)\.(True|False)_\b")
NAMED_VALUE = re.compile(r"([^:=]{1,80}?)\s*[:=]\s*([^:=]+)")
PAIR = re.compile(r"['\"]?([^:=,'\"]+)['\"]? ?[:=,] ?['\"]?([^:=,'\"]+)['\"]?")
UNUSUAL_YAML = re.compile(r"(?:^|[\s,\[{:-])[&*!]|<<", re.MULTILINE)
PLAIN_NOW = re.compile(  # a number, a short text, or whether something is so
    r"(?:^|; )(\w+): (?:-?\d[\d.eE+-]*|'[^';]*'|True|False)(?=;|$)"
)
OF_A_COLUMN = re.compile(  # as pandas shows one whose rows have no names
    r"((?:\d+ {2,}\S[^\n]*\n)+)Name: (?!count\b)[^\n]*, dtype: \w+\n?"
)
ROW_NUMBER = re.compile(r"^\d+ {2,}", re.MULTILINE)
MISSING = re.compile(r"(?<![\w'\"])(?:nan|NaN|NaT|None|null|<NA>)(?![\w'\"])")


def plain(text: str) -> str:
    """A text in which NumPy's values are written as everybody writes them, and a column without
    the numbers of its rows, which nobody asked for."""
    if found := OF_A_COLUMN.fullmatch(text):
        text = ROW_NUMBER.sub("", found[1])
    return TRUTH.sub(r"\1", SCALAR.sub(r"\1", text))


def as_number(text: str) -> float:
    """A number as it is written; nothing where it is none after all."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def data_in(text: str) -> Any:
    """The value that a text is, as JSON or as Python writes it; None where it is anything else."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None


def last_data_in(text: str) -> Any:
    """The one value that stands behind other words, in lines of its own; None for none."""
    lines = text.strip().splitlines(keepends=True)
    begins = [at for at, line in enumerate(lines) if line.startswith(("{", "["))]
    return data_in("".join(lines[begins[0] :])) if len(begins) == 1 else None


def yaml_in(text: str) -> Any:
    """The value that a text is as YAML; None where it is none, a mere text, or has anchors and
    tags, which can make a short text a huge value."""
    import yaml  # noqa: PLC0415  (most answers are no YAML)

    if UNUSUAL_YAML.search(text):
        return None
    try:
        value = yaml.safe_load(text)
    except Exception:  # noqa: BLE001 - its constructors fail in ways of their own
        return None
    return None if isinstance(value, str) else value


def is_json(text: str) -> bool:
    """Whether a program that reads JSON can read it."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def pairs_in(text: str) -> list[tuple[str, str]]:
    """Names and values, one of each in a line; nothing where a line is anything else."""
    found = [PAIR.fullmatch(line.strip()) for line in text.strip().splitlines()]
    pairs = [(pair.group(1).strip(), pair.group(2).strip()) for pair in found if pair]
    return pairs if len(pairs) == len(found) else []


def values_in(text: str, separator: str) -> list[str] | dict[str, str]:
    """Values as they were printed: below each other, perhaps with their names, or in one line with
    the separator between them; ValueError for all else."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if len(lines) > 1:
        named = [NAMED_VALUE.fullmatch(line) for line in lines]
        found = {one.group(1): one.group(2) for one in named if one}
        return found if len(found) == len(lines) else lines
    mark = separator.strip()
    values = re.split(rf"{re.escape(mark)}\s+" if f"{mark} " in text else re.escape(mark), text)
    if mark and len(values) > 1:
        return [value.strip() for value in values]
    values = re.split(r", | +", text.strip("()[] "))
    if len(values) > 1 and all(NUMBER.fullmatch(value) for value in values):
        return values
    raise ValueError("no list of values")


def value_of(text: str) -> Any:
    """A text as the value that it is."""
    value = data_in(text)
    if value is None and NUMBER.fullmatch(text):
        return as_number(text)
    return text if value is None else value


def is_csv(printed: str) -> bool:
    """Whether it is a table with at least two rows and columns."""
    try:
        rows = [row for row in csv.reader(printed.splitlines()) if row]
    except csv.Error:
        return False
    return len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1
