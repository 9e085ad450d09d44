"""The texts, numbers and attributes that a program is written with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from interpreter.models.small.form.printed import NUMBER, as_number
from interpreter.models.small.parsed import parsed
from interpreter.protocol.values import frozen

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LOOSELY = re.compile(r"contains\(|match\(|isin\(|\bLIKE\b|\|\s*\(?df|\bre\.", re.IGNORECASE)
STRIPS = re.compile(r"strip\(|\btrim\(", re.IGNORECASE)
READS = ("read_csv", "read_excel", "read_json", "read_parquet", "read_table")
OTHER_TABLES = ("sheet_name", "index_col", "chunksize", "usecols", "iterator", "names", "squeeze")
Edit = tuple[ast.expr, str]
"""A piece of a program, and what stands there instead."""
WRITES = re.compile(  # files; what begins the same only makes other values
    r"\.to_(?!datetime|timedelta|numeric|period|timestamp|list|dict|string|numpy|frame|series)\w+\("
    r"|\bopen\(|\bsavefig\(|\bdump\w*\(|\.write_(?:text|bytes)\("
)
SCALES = (
    *(1, 0.01, 0.001, 7, 12, 24, 60, 365, 365.25),
    *(1_000, 1_440, 3_600, 86_400, 1_000_000, 1_000_000_000),
)
"""By what a limit in one unit is told in another: hours in minutes, millions in ones."""
FOLDS = re.compile(r"(?:lower|upper|casefold|title|capitalize)\(", re.IGNORECASE)


@frozen
class Program:
    """The texts and numbers that a program is written with, but for those it only prints."""

    texts: tuple[str, ...]
    numbers: frozenset[float]
    attributes: frozenset[str] = frozenset()
    selections: int = 0
    """How often something is compared with a value that stands in the program."""

    @classmethod
    def of(cls, source: str) -> Program:
        """Read them from its source."""
        tree = parsed(source)
        if not tree.body:
            return cls((source.casefold(),), frozenset(_sizes([source])))
        constants = [node for node in _computing(tree) if isinstance(node, ast.Constant)]
        texts = [node.value for node in constants if isinstance(node.value, str)]
        numbers = [
            abs(float(node.value))
            for node in constants
            if isinstance(node.value, int | float) and abs(node.value) < 1e300
        ]
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        return cls(
            tuple(text.casefold() for text in texts),
            frozenset((*numbers, *_sizes(texts))),
            frozenset(attributes),
            sum(_selects(node) for node in ast.walk(tree)),
        )

    def has_text(self, value: str) -> bool:
        """Whether it looks for a value, or for its singular."""
        wanted = value.casefold().strip()
        stem = wanted[:-1] if wanted.endswith("s") and len(wanted) > 3 else wanted
        return any(stem in text for text in self.texts)

    def names(self, column: str) -> bool:
        """Whether it may use a column: it names it, or takes columns by their place or kind."""
        wanted = column.casefold().strip()
        if any(wanted in text for text in self.texts) or column in self.attributes:
            return True
        return bool(self.attributes & {"iloc", "select_dtypes", "describe", "columns", "reader"})

    def misses_a_spelling_of(self, spelt: Sequence[str], source: str) -> bool:
        """Whether it looks for one spelling of a value, exactly, where there are several."""
        used = [value for value in spelt if value.casefold().strip() in self.texts]
        if len(spelt) < 2 or not used or LOOSELY.search(source):
            return False
        spaces = any(value != value.strip() for value in spelt) and not STRIPS.search(source)
        cases = len({value.strip() for value in spelt}) > 1 and not FOLDS.search(source)
        return spaces or cases

    def has_month(self, month: str) -> bool:
        """Whether it may select by a month: by its name, its number in a date, or a function."""
        number = MONTHS.index(month.casefold()) + 1
        near = (number - 1, number, number + 1)  # "until March" ends before April
        digits = "|".join(map(str, near))
        way = re.compile(rf"(?<!\d)0?(?:{digits})(?!\d)|{month[:3].casefold()}")
        if any(way.search(text) for text in self.texts) or number in self.numbers:
            return True
        return bool(self.attributes & {"month", "month_name", "to_period", "between", "dayofyear"})

    def has_weekday(self, day: str) -> bool:
        """Whether it may select by a day of the week: by its name, or a function."""
        if any(day[:3].casefold() in text for text in self.texts):
            return True
        return bool(
            self.attributes & {"weekday", "dayofweek", "day_of_week", "day_name", "strftime"}
        )

    def has_time(self, hour: int, minute: int) -> bool:
        """Whether it may select by a time of the day: by its numbers, or by all its minutes."""
        if self.has_number(str(60 * hour + minute)):
            return True
        return self.has_number(str(hour)) and (not minute or self.has_number(str(minute)))

    def has_number(self, limit: str) -> bool:
        """Whether it may select by a limit: by it, by a number right beside it, or in another
        unit."""
        wanted = abs(as_number(limit))
        if self.attributes & {"head", "tail"} and wanted == 5:  # what they show by themselves
            return True
        rest = 1 - wanted / 100 if wanted < 100 else wanted  # the top 10 % lie above 0.9
        near = (wanted - 1, wanted + 1, rest, *(wanted * scale for scale in SCALES))
        return any(abs(number - one) < 1e-9 for number in self.numbers for one in near)


def _computing(tree: ast.AST) -> Iterator[ast.AST]:
    """Every part of a program but the texts that are only printed, or say what it does."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            if not _is_only_said(node, child):
                waiting.append(child)


def _is_only_said(parent: ast.AST, child: ast.AST) -> bool:
    is_text = isinstance(child, ast.Constant) and isinstance(child.value, str)
    match parent:
        case ast.JoinedStr() | ast.Expr():
            return is_text
        case ast.Call(ast.Name("print")):
            return is_text
        case _:
            return False


def _selects(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[ast.Eq() | ast.In()], comparators=[ast.Constant()]):
            return True
        case _:
            return False


def _sizes(texts: Iterable[str]) -> list[float]:
    return [abs(as_number(found)) for text in texts for found in NUMBER.findall(text)]


def edited(source: str, edits: Iterator[Edit]) -> str:
    """A program with each piece replaced by its text; what is within another one, or in several
    lines, stays as it is."""
    lines = [line.encode() for line in source.split("\n")]
    found = [edit for edit in edits if edit[0].lineno == edit[0].end_lineno]
    found.sort(key=lambda edit: (edit[0].lineno, edit[0].col_offset))
    apart: list[Edit] = []
    for node, text in found:
        last = apart[-1][0] if apart else None
        if last is None or (last.lineno, last.end_col_offset or 0) <= (
            node.lineno,
            node.col_offset,
        ):
            apart.append((node, text))
    for node, text in reversed(apart):
        line = lines[node.lineno - 1]
        line = line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
        lines[node.lineno - 1] = line
    return b"\n".join(lines).decode()


def tables_read(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The tables that a program reads as a whole, each with the line behind which it is there."""
    for statement in tree.body:
        match statement:
            case ast.Assign(
                [ast.Name(name)], ast.Call(ast.Attribute(ast.Name("pd"), how), _, named)
            ) if how in READS and not any(one.arg in OTHER_TABLES for one in named):
                yield name, statement.end_lineno or statement.lineno
