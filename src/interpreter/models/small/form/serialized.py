"""Values written as people ask for them: JSON, YAML, a dictionary, a table, lines, a list."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

HEAD = ("name", "value")  # of a table of names and values whose columns nobody named


def as_json(value: Any, _: Sequence[str]) -> str:
    """As JSON."""
    return json.dumps(value, ensure_ascii=False)


def as_dictionary(value: Any, _: Sequence[str]) -> str:
    """As Python writes it."""
    return repr(value)


def as_yaml(value: Any, _: Sequence[str]) -> str:
    """As YAML, in the order that there is."""
    import yaml  # noqa: PLC0415 - takes as long as all of the rest

    try:
        return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True)).strip()
    except yaml.YAMLError as error:  # such as a complex number
        raise ValueError("no YAML") from error


def as_csv(value: Any, columns: Sequence[str]) -> str:
    """As CSV with a header."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(_rows(value, columns))
    return file.getvalue().strip()


def as_table(value: Any, columns: Sequence[str]) -> str:
    """As a table of Markdown."""
    head, *body = [[str(cell).replace("|", "\\|") for cell in row] for row in _rows(value, columns)]
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def as_lines(separator: str) -> Callable[[Any, Sequence[str]], str]:
    """A line for each name, with its value behind the separator."""

    def lines(value: Any, _: Sequence[str]) -> str:
        if not isinstance(value, dict):
            raise ValueError("no names for the lines")
        return "\n".join(f"{name}{separator}{_cell(item)}" for name, item in value.items())

    return lines


def as_list(separator: str) -> Callable[[Any, Sequence[str]], str]:
    """All values, one behind the other."""

    def listed(value: Any, _: Sequence[str]) -> str:
        values = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(values, list | tuple) or any(
            isinstance(one, dict | list | tuple) for one in values
        ):
            raise ValueError("no list of values")
        return separator.join(map(_cell, values))

    return listed


def _rows(value: Any, columns: Sequence[str]) -> list[list[str]]:
    """The rows of a table, its header first; ValueError for what is none."""
    match value:
        case [dict(), *_] if all(isinstance(row, dict) for row in value):
            head = list(dict.fromkeys(name for row in value for name in row))
            return [head, *([_cell(row.get(name)) for name in head] for row in value)]
        case dict() if value and all(isinstance(item, dict) for item in value.values()):
            parts = list(dict.fromkeys(name for item in value.values() for name in item))
            head = [columns[0] if columns else "", *parts]
            body = ([name, *(_cell(row.get(one)) for one in parts)] for name, row in value.items())
            return [head, *body]
        case dict() if value and not any(isinstance(item, list) for item in value.values()):
            if len(columns) == len(value) and {*columns} == {*value}:  # one row that has them all
                return [list(columns), [_cell(value[name]) for name in columns]]
            head = list(columns) if len(columns) == len(HEAD) else list(HEAD)
            return [head, *([str(name), _cell(item)] for name, item in value.items())]
        case _:
            raise ValueError("no table")


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
