"""Whether a file that was asked for holds what was asked for, judged by what is in it.

A small model writes a file with other columns, with its row numbers, or with a number that it made
up. The file is looked at after it was written, in the cell in which nothing can be changed.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace

from interpreter.models.small.checks.computed import is_hard_coded
from interpreter.models.small.form.asked import COLUMNS, LIST, form_of, keys_in, listed
from interpreter.models.small.form.printed import (
    MISSING,
    NUMBER,
    UNUSUAL_YAML,
    data_in,
    is_json,
    yaml_in,
)
from interpreter.models.small.prompts.hints import COLUMN
from interpreter.models.small.rounds import Round
from interpreter.models.small.wanted import file_to_write

# NumPy's values are written plainly in all that is printed, and here it matters whether they are.
LOOK = """\
# What is in the file now.
with open({name!r}, errors="replace") as file:
    print(file.read({shown}).replace("np.", "NumPy's "), end="")"""
SHOWN = 4_000  # characters
TOLD = 600  # characters
READABLE = (".csv", ".tsv", ".json", ".yaml", ".yml", ".txt", ".md")
ROWS = re.compile(rf"\brows? for each of (?:the )?({LIST})", re.IGNORECASE)
OBJECT = re.compile(r"\bNumPy's \w+\(|\bdtype: \w|<[\w.]+ object at|\bName: .+, dtype")
WRONG_FILE = """\
The file {name} now holds:
{text}
But {trouble}. Write the whole ```python block again so that it writes the file as was asked for."""
REWRITTEN = "# The same values, in the form that was asked for.\n"
REWRITE_COLUMNS = """\
import csv
with open({name!r}, newline="", encoding="utf-8-sig") as file:
    rows = list(csv.DictReader(file))
with open({name!r}, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, {columns!r}, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)"""
REWRITE_TEXT = """\
with open({name!r}, "w") as file:
    file.write({text!r})"""
FORMS = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
NOT_ROUNDED = "its numbers have more decimals than were asked for"
MOST_RESULTS = 30  # rows
ALPHABETICAL = re.compile(r"\balphabetic\w*\b(?! order by| by)", re.IGNORECASE)
JUST = re.compile(r"\b(?:just|only|exactly)\b", re.IGNORECASE)  # before the names of columns
ONLY = re.compile(r" only\b(?= *(?:[,.;]|$|(?:and|as|in|into|to)\b))", re.IGNORECASE)  # behind
EACH_ONCE = re.compile(r"\b(?:no|without) duplicates\b|\beach (?:only )?once\b", re.IGNORECASE)
DECIMALS = re.compile(r"[-+]?\d+\.\d+")
# What was printed of it is not what it holds.
NOT_THE_FILE = re.compile(r"NumPy's |\[secret[ :]|\ufffd|\blines? left out\b|\[\.\.\.")
IN_DOUBT = "\n\n(Not sure: in {name}, {trouble}.)"


def look_at_file(question: str, rounds: Sequence[Round]) -> str:
    """Code that shows the file that was asked for and has just been written; nothing for others."""
    name = file_to_write(question)
    last = rounds[-1] if rounds else None
    if not name.lower().endswith(READABLE) or last is None or last.to_compare or last.failed:
        return ""
    paths = [change.partition(" ")[2] for change in last.files]
    written = any(f"/{path}".endswith(f"/{name.removeprefix('./')}") for path in paths)
    return LOOK.format(name=name, shown=SHOWN) if written else ""


def trouble_with_file(question: str, rounds: Sequence[Round]) -> tuple[str, str]:
    """What is wrong with the file that was asked for: for the model, and for the user."""
    name = file_to_write(question)
    looked = [one for one in rounds if one.source == LOOK.format(name=name, shown=SHOWN)]
    if not looked or looked[-1].failed or rounds[-1] is not looked[-1]:
        return "", ""
    text = looked[-1].output
    trouble = _trouble(question, name, text, _writer(rounds))
    if not trouble:
        return "", ""
    return _wrong_file(name, text, trouble), IN_DOUBT.format(name=name, trouble=trouble)


def trouble_in(question: str, text: str, writer: Round) -> str:
    """What is wrong with the file that was asked for, if it held this, for the model."""
    name = file_to_write(question)
    if not name.lower().endswith(READABLE):
        return ""
    trouble = _trouble(question, name, text, writer)
    return _wrong_file(name, text, trouble) if trouble else ""


def _wrong_file(name: str, text: str, trouble: str) -> str:
    return WRONG_FILE.format(name=name, text=text[:TOLD].strip() or "(nothing)", trouble=trouble)


def rewritten_file(question: str, rounds: Sequence[Round]) -> str:
    """Code that writes the file without the columns and decimals that nobody wants; nothing where
    it has none of them."""
    if not trouble_with_file(question, rounds)[0] or is_hard_coded(question, _writer(rounds)):
        return ""
    name, text, code = file_to_write(question), rounds[-1].output, ""
    if columns := _columns_too_many(question, name, text):
        code = REWRITE_COLUMNS.format(name=name, columns=columns)
    elif _trouble(question, name, text, _writer(rounds)) == NOT_ROUNDED:
        code = REWRITE_TEXT.format(name=name, text=_rounded(question, name, text))
    is_new = code and all(one.source != REWRITTEN + code for one in rounds)
    return REWRITTEN + code if is_new else ""


def _columns_too_many(question: str, name: str, text: str) -> list[str]:
    """The columns that a table was to have, where it has all of them and others, too."""
    words = question.partition("\n\n")[0]
    wanted, is_all = _columns(words)
    head = next(csv.reader(text.splitlines()), []) if name.lower().endswith(".csv") else []
    is_more = is_all and len(wanted) > 1 and {*wanted} < {*head} and "" not in head
    return wanted if is_more else []


def _columns(words: str) -> tuple[list[str], bool]:
    """The columns that a table is to have, and whether it is said that it has no others: by a word
    beside their names, and not by one about its rows."""
    found = COLUMNS.search(words)
    if found is None:
        return [], False
    before = found[0].rpartition(next(filter(None, found.groups())))[0]
    return listed(found), bool(JUST.search(before) or ONLY.match(words, found.end()))


def _writer(rounds: Sequence[Round]) -> Round:
    """The model's own block that wrote the file, as if it had printed what the file holds."""
    own = [one for one in rounds if not one.to_compare and not one.source.startswith(REWRITTEN)]
    return replace(own[-1] if own else rounds[-1], output=rounds[-1].output)


def _trouble(question: str, name: str, text: str, writer: Round) -> str:
    """What is wrong with the file, the numbers last: they are rounded once all else is right."""
    if trouble := _trouble_with_form(question, name, text, writer):
        return trouble
    return NOT_ROUNDED if _rounded(question, name, text) not in ("", text) else ""


def _rounded(question: str, name: str, text: str) -> str:
    """The same results with no more decimals than were asked for; nothing where it is not known
    what the file holds, or it holds data: of those each has a name, and data has more."""
    places = form_of(question).places
    if places is None or len(text) >= SHOWN or NOT_THE_FILE.search(text):
        return ""
    if name.lower().endswith(".json"):
        return _rounded_object(text, places)
    rows = [row for row in csv.reader(text.splitlines()) if row]
    are_results = len(rows) <= MOST_RESULTS and all(
        len(row) == 2 and not NUMBER.fullmatch(row[0].strip()) for row in rows
    )
    if not name.lower().endswith(".csv") or not are_results:
        return ""
    values = [_shorter(value, places) for _, value in rows]
    if values == [value for _, value in rows]:
        return text
    written = io.StringIO()
    names = [one for one, _ in rows]
    csv.writer(written, lineterminator="\n").writerows(zip(names, values, strict=True))
    return written.getvalue()


def _rounded_object(text: str, places: int) -> str:
    """JSON whose values are rounded, where it is one object of plain values."""
    value = data_in(text) if is_json(text) else None
    if not isinstance(value, dict) or any(isinstance(one, dict | list) for one in value.values()):
        return ""
    short = {k: round(v, places) if isinstance(v, float) else v for k, v in value.items()}
    if short == value:
        return text
    indent = 2 if "\n" in text.strip() else None
    return json.dumps(short, indent=indent, ensure_ascii=False) + "\n" * text.endswith("\n")


def _shorter(text: str, places: int) -> str:
    """A number with fewer decimals; all else as it is."""
    number = text.strip()
    is_long = DECIMALS.fullmatch(number) and len(number.partition(".")[2]) > places
    return f"{float(number):.{places}f}" if is_long else text


def _trouble_with_form(question: str, name: str, text: str, writer: Round) -> str:
    words = question.partition("\n\n")[0]
    if not text.strip():
        return "it is empty"
    if OBJECT.search(text):
        return "it holds what Python prints of an object, where a plain value is wanted"
    if COLUMN.search(question) and is_hard_coded(question, writer):
        return "its numbers are written in the program itself: read the data and compute them"
    if kind := FORMS.get(f".{name.lower().rpartition('.')[2]}", ""):
        return _trouble_with_keys(words, text, kind) if len(text) < SHOWN else ""
    if name.lower().endswith((".csv", ".tsv")):
        lines = text.splitlines()[: -1 if len(text) >= SHOWN else None]  # the last may be cut off
        rows = list(csv.reader(lines, delimiter="\t" if name[-3:].lower() == "tsv" else ","))
        rows = [row for row in rows if row]
        return _trouble_with_table(words, rows) if rows else ""
    return _trouble_with_lines(words, text) if len(text) < SHOWN else ""


def _trouble_with_lines(words: str, text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    in_order = (sorted(lines), sorted(lines, key=str.casefold))
    if ALPHABETICAL.search(words) and lines not in in_order:
        return "its lines are not in alphabetical order"
    if EACH_ONCE.search(words) and len({*lines}) < len(lines):
        return "some of its lines are there more than once"
    return ""


def _trouble_with_table(words: str, rows: list[list[str]]) -> str:
    head, *body = [[cell.strip() for cell in row] for row in rows]
    wanted, is_all = _columns(words)
    there = [cell.lower() for cell in head]
    if head[0] == "" and len(head) > 1:
        return "its first column has no name: leave out the row numbers, with index=False"
    too_many = is_all and len(there) > len(wanted)
    if len(wanted) > 1 and (too_many or any(one.lower() not in there for one in wanted)):
        return f"its columns are {', '.join(head)!r}, and they were to be {', '.join(wanted)!r}"
    if not body:
        return "it has no rows"
    firsts = {row[0].lower() for row in body}
    named = listed(ROWS.search(words))
    missing = [one for one in named if one.lower() not in firsts]
    are_names = len(missing) < len(named) or any("_" in one for one in named)
    if missing and are_names:  # "a row for each of the cities" names none
        return f"it has no row for {', '.join(map(repr, missing))}"
    gaps = [row[0] for row in body if len(row) > 1 and all(_is_gap(cell) for cell in row[1:])]
    return f"there is no value for {gaps[0]!r}" if gaps else ""


def _trouble_with_keys(words: str, text: str, kind: str) -> str:
    if kind == "yaml" and UNUSUAL_YAML.search(text):
        return ""  # nobody can say without reading more than that
    value = data_in(text) if kind == "json" else yaml_in(text)
    if value is None or (kind == "json" and not is_json(text)):
        return f"it is no {kind.upper()}"
    wanted = keys_in(words)
    missing = [key for key in wanted if isinstance(value, dict) and key not in value]
    return f"its keys are to be {', '.join(wanted)}" if missing else ""


def _is_gap(cell: str) -> bool:
    return not cell or MISSING.fullmatch(cell) is not None
