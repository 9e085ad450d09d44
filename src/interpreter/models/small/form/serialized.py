"""Values written as people ask for them: JSON, YAML, TOML, XML, a dictionary, a table, lines, a
list."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape

PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
NOT_IN_A_TAG = re.compile(r"[^\w.-]")
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


def as_toml(value: Any, _: Sequence[str]) -> str:
    """As TOML: a line for each name, and tables below them."""
    if not isinstance(value, dict) or None in value.values():
        raise ValueError("no TOML")
    tables = {name: item for name, item in value.items() if isinstance(item, dict)}
    lines = [
        f"{_key(name)} = {_cell_of_toml(item)}"
        for name, item in value.items()
        if name not in tables
    ]
    for name, table in tables.items():
        if any(isinstance(item, dict) for item in table.values()):
            raise ValueError("tables within tables")
        lines += ["", f"[{_key(name)}]", as_toml(table, ())]
    return "\n".join(lines).strip()


def _key(name: str) -> str:
    return name if PLAIN_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _cell_of_toml(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        raise ValueError("no plain list")
    return json.dumps(value, ensure_ascii=False)


def as_xml(root: str) -> Callable[[Any, Sequence[str]], str]:
    """As XML, an element for each name; rows and the values of lists are called `item`."""

    def written(value: Any, _: Sequence[str]) -> str:
        if not isinstance(value, dict | list):
            raise ValueError("no names for the elements")
        return "\n".join(_element(root, value, ""))

    return written


def _element(name: str, value: Any, indent: str) -> Iterator[str]:
    tag = NOT_IN_A_TAG.sub("_", name if name[:1].isalpha() else f"_{name}")
    if not isinstance(value, dict | list):
        yield f"{indent}<{tag}>{escape(_cell(value))}</{tag}>"
        return
    parts = value.items() if isinstance(value, dict) else (("item", item) for item in value)
    yield f"{indent}<{tag}>"
    for part, item in parts:
        yield from _element(part, item, f"{indent}  ")
    yield f"{indent}</{tag}>"


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
