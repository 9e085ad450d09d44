"""Whether what a block printed is the answer, in the form that was asked for, or what is wrong."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterator

from interpreter.models.small.checks.absent import made_up
from interpreter.models.small.checks.choices import not_chosen
from interpreter.models.small.checks.computed import is_hard_coded, sizes
from interpreter.models.small.checks.conditions import (
    IN_DOUBT,
    LEFT_OUT,
    Conditions,
    conditions_left_out,
    counts_a_total,
    results_left_out,
)
from interpreter.models.small.checks.groups import not_put_together
from interpreter.models.small.checks.impossible import impossible
from interpreter.models.small.checks.sources import (
    reads_none_of,
    reads_one_of_many,
    taken_from_a_profile,
    texts_compared,
)
from interpreter.models.small.checks.which import does_not_say_which, does_not_say_who
from interpreter.models.small.form.asked import AskedForm, form_of, wants_a_sentence
from interpreter.models.small.form.printed import (
    MISSING,
    NUMBER,
    PLAIN_NOW,
    data_in,
)
from interpreter.models.small.parsed import parsed
from interpreter.models.small.prompts.reminders import COMPARED_WITH
from interpreter.models.small.rounds import Round

FORM = re.compile(r"[^\d\s]*\w[^\d\s]*[^\w\s.,]")  # a word and the mark that ends it
FORM_SHOWN = 100  # characters of a line in which it is looked for
WANTS_NONE = re.compile(  # and does not only speak of gaps in the data
    r"\b(?i:answer|give|output|print|reply|respond|return|say|write)(?i: with)? [\"'`]?"
    rf"{MISSING.pattern}"
)
LINES = 8  # of an answer that is shown as it was printed

NO_JSON = """\
The output is no dictionary. Write the whole block again so that it collects the values in one \
dictionary and prints only that."""
NOT_FITTING = """\
The output does not fit the JSON schema {schema}
Write the whole block again so that it prints only a value that fits, a dictionary for an object."""
SCHEMA_SHOWN = 600  # characters
NAME_THEM = """\
The output is no dictionary. The values are there already: {variables}
Write one ```python line that only prints a dictionary of them, such as \
print({{"key": variable}}), with the keys that were asked for. Do not compute them again."""
MISSING_KEYS = """\
The answer lacks {missing}. Compute that, too. Write the whole block again so that it prints a \
dictionary with the keys {keys}."""
LACKS = """\
The request also wants {names}, which the program does not compute. Write the whole block again so \
that it computes and prints that, too, by its name."""
OTHER_KEYS = """\
The keys have to be {keys}, and no others. Variables now: {variables}
Write one ```python block that prints a dictionary with just these keys."""
WHO_IS_IT = """\
The request asks who it is, and the output has numbers only. Look the name up by its number, in \
the table or file that has the names, and print it, too. Write the whole block again."""
WHICH_ONE = """\
The request asks which {column} it is, and the output does not say that. Compare all of them, with \
df.groupby({column!r}) or df.loc[column.idxmax()], and print the {column} that is asked for, with \
its value. Write the whole block again."""
NOT_CHANGED = """\
A line changed nothing: df["a"].method(..., inplace=True) and df["a"][rows] = x work on a copy. \
Write df["a"] = df["a"].method(...) and df.loc[rows, "a"] = x. Write the whole block again."""
HARD_CODED = """\
The block printed an answer that is written in it: that computes nothing. Read the file or compute \
the value, and print what comes out. Write the whole block again."""
NOT_CHOSEN = """\
The answer has to be {choices}, and the output has none of these. Find out by if and else, with \
the limits that the request gives, which of them it is, and print that. Write the whole block \
again."""
IMPOSSIBLE = """\
That cannot be right: {why}. Check the columns and rows that are used. Write the whole block \
again."""
NO_ROW_FITS = """\
The selection has no row: nothing in the data is written as {texts}. Look at how the values \
are written above; a date that is text becomes one with pd.to_datetime(...). Write the whole block \
again."""
NOT_NAMED = """\
The program selects {example!r}, which the request does not name: that is only an example of what \
the column holds. Do it for all rows. Write the whole block again."""
NOTHING_FOUND = """\
Nothing was found: the output is empty, and something is asked for. Look at how the lines and \
values are written above, and look for them in a simpler way: line by line, a part of each at a \
time. Write the whole block again."""
NOT_READ = """\
The program does not read {files}, which the request is about. Open it with open(...) or pandas, \
and compute the answer from what it holds. Write the whole block again."""
ONE_READ = """\
The program reads one file of the folder {folder!r}, and all of them are meant: go through \
Path({folder!r}).glob("*"). Write the whole block again."""
OF_A_DATE = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b|.*\b(?:19|20)\d\d\b", re.IGNORECASE
)
NOTHING = re.compile(
    r"(?:[^\n\[{(]{0,80}[:=]\s*)?(?:\[\]|\{\}|\(\)|set\(\)|Series\(\[\].*|Empty DataFrame.*)"
    r"|[A-Za-z][\w ,'-]{2,80}:",
    re.DOTALL,
)
MAY_BE_NONE = re.compile(r"\bany\b|\bare there\b|\bis there\b", re.IGNORECASE)
EMPTY = re.compile(r": (?:DataFrame 0x\d+|Series 0\b)")
OF_A_PART = """\
The {kind} that rows are compared with is computed from rows that were selected before, and it is \
that of all rows that is meant. Compute it first, into a variable of its own, then select. Write \
the whole block again."""
NOT_COMPUTED = (
    "\n\n(Not computed: this value is written in the program itself, not read from data.)"
)
NO_ROW = "\n\n(No row names {things}.)"
UNLIKELY = "\n\n(Not sure: {why}.)"
ON_A_COPY = ("ChainedAssignmentError", "SettingWithCopyWarning")
COUNTS_A_TOTAL = """\
The file has a row that holds the total of the others ({row}), and the program counts it like \
them. Leave it out before anything is computed. Write the whole block again."""
WITH_A_TOTAL = (
    "\n\n(Not sure: the row in which {row} holds a total, and may have been counted, too.)"
)


def answer_in(question: str, output: str) -> str:
    """The answer, when what was printed has the form that was asked for; else nothing."""
    form, printed = form_of(question), output.strip()
    if answer := form.written(printed):
        return answer
    if wants_a_sentence(question):
        return ""
    is_in_form = _is_in_the_form_of(question, printed) and not form.leaves_a_place(printed)
    return form.rounded(printed) if is_in_form else ""


def _is_in_the_form_of(question: str, printed: str) -> bool:
    """Whether every line begins as the question says the answer should, such as `total: ` does."""
    lines = printed.splitlines()
    return 0 < len(lines) <= LINES and all(_has_form(line.strip(), question) for line in lines)


def _has_form(line: str, question: str) -> bool:
    found = FORM.match(line[:FORM_SHOWN])
    return found is not None and found.group() in question


def trouble_with(question: str, one: Round) -> str:
    """What is wrong with a block that ran and printed something; nothing when all is well."""
    if is_hard_coded(question, one):
        return HARD_CODED
    if any(word in one.errors for word in ON_A_COPY):
        return NOT_CHANGED
    form = form_of(question)
    if trouble := _lacks(question, one, form) or _misunderstood(question, one):
        return trouble
    if not form.is_of_values or form.written(one.output):
        return ""
    if form.keys and isinstance(data_in(one.output), dict):
        return OTHER_KEYS.format(keys=", ".join(form.keys), variables=one.variables)
    if form.schema is not None:
        return NOT_FITTING.format(schema=json.dumps(form.schema)[:SCHEMA_SHOWN])
    known = PLAIN_NOW.search(one.variables)  # of tables no dictionary is made by naming them
    return NAME_THEM.format(variables=one.variables) if known else NO_JSON


def _lacks(question: str, one: Round, form: AskedForm) -> str:
    """What has to be in the output by the words of the request, and is not."""
    if choices := not_chosen(question, one.output):
        return NOT_CHOSEN.format(choices=" or ".join(map(repr, choices)))
    if does_not_say_who(question, one.output):
        return WHO_IS_IT
    if column := does_not_say_which(question, one):
        return WHICH_ONE.format(column=column)
    if missing := form.missing_keys(one.output):
        return MISSING_KEYS.format(missing=", ".join(missing), keys=", ".join(form.keys))
    return ""


def finds_nothing(question: str, output: str) -> bool:
    """Whether an empty list was printed, where something is asked for that there should be."""
    printed = output.strip()
    return bool(printed and NOTHING.fullmatch(printed)) and not MAY_BE_NONE.search(
        question.partition("\n\n")[0]
    )


def _misunderstood(question: str, one: Round) -> str:
    """What a block computes that cannot be what was asked for."""
    if finds_nothing(question, one.output):
        return NOTHING_FOUND
    if not form_of(question).is_of_values and (lacks := results_left_out(question, one)):
        return LACKS.format(names=" and ".join(lacks))
    if not_read := _reads_something_else(question, one.source):
        return not_read
    if not_selected := _selects_too_little(question, one):
        return not_selected
    if why := impossible(question, one.output):
        return IMPOSSIBLE.format(why=why)
    if _compares(question) and (kind := limit_of_a_part(one.source)):
        return OF_A_PART.format(kind=kind)
    if texts := selected_by_what_is_not_there(question, one):
        return NO_ROW_FITS.format(texts=" or ".join(map(repr, texts)))
    return not_put_together(question, one.source)


def _selects_too_little(question: str, one: Round) -> str:
    if left_out := conditions_left_out(question, one):
        return LEFT_OUT.format(conditions=left_out)
    row = counts_a_total(question, one.source)
    return COUNTS_A_TOTAL.format(row=row) if row else ""


def _reads_something_else(question: str, source: str) -> str:
    if example := taken_from_a_profile(question, source):
        return NOT_NAMED.format(example=example)
    if files := reads_none_of(question, source):
        return NOT_READ.format(files=" and ".join(files))
    folder = reads_one_of_many(question, source)
    return ONE_READ.format(folder=folder) if folder else ""


def limit_of_a_part(source: str) -> str:
    """mean or median, where a program compares with that of a table of which it had taken a part:
    df = df[...], and then df["a"] > df["a"].mean(); nothing for all others."""
    statements = parsed(source).body
    parts: set[str] = set()
    for statement in statements:
        found = (kind for name, kind in _compared_with(statement) if name in parts)
        if kind := next(found, ""):
            return kind
        match statement:
            case ast.Assign([ast.Name(name)], ast.Subscript(slice=ast.Compare() | ast.BinOp())):
                parts.add(name)
            case ast.Assign([ast.Name(name)]):
                parts.discard(name)
    return ""


def _compared_with(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The tables of which the mean or the median is part of a comparison, and which of them."""
    comparisons = (node for node in ast.walk(statement) if isinstance(node, ast.Compare))
    for inner in itertools.chain.from_iterable(map(ast.walk, comparisons)):
        match inner:
            case ast.Call(ast.Attribute(ast.Subscript(ast.Name(name)), "mean" | "median" as kind)):
                yield name, kind


def selected_by_what_is_not_there(question: str, one: Round) -> list[str]:
    """The texts that rows were selected by, where there were none, nothing was printed but 0, and
    neither the request nor the profiles of its files have these texts."""
    is_empty = EMPTY.search(one.variables) or not one.variables  # of a draft they are not told
    found = sizes(one.output) - sizes(question.partition("\n\n")[0])
    if not is_empty or not NUMBER.search(one.output) or any(found):
        return []
    known, data = question.casefold(), question.partition("\n\n")[2].casefold()
    return [
        text
        for text in texts_compared(one.source)
        if text.casefold() not in (data if OF_A_DATE.match(text) else known)
    ][:3]


def doubt_about(question: str, one: Round) -> str:
    """What the user is told beside an answer that stays as it is; nothing where all is well."""
    if is_hard_coded(question, one):
        return NOT_COMPUTED
    if left_out := conditions_left_out(question, one):
        return IN_DOUBT.format(conditions=left_out)
    if row := counts_a_total(question, one.source):
        return WITH_A_TOTAL.format(row=row)
    if choices := not_chosen(question, one.output):
        return UNLIKELY.format(why=f"the answer was to be {' or '.join(map(repr, choices))}")
    if why := impossible(question, one.output) or _odd(question, one):
        return UNLIKELY.format(why=why)
    things = Conditions.of(question).things
    if things and not any(sizes(one.output)):
        return NO_ROW.format(things=" or ".join(map(repr, things)))
    made = made_up(question, one)
    return made.remark if made else ""


def _compares(question: str) -> bool:
    words = question.partition("\n\n")[0]
    return bool(re.search(COMPARED_WITH, words, re.IGNORECASE))


def _odd(question: str, one: Round) -> str:
    if _compares(question) and (kind := limit_of_a_part(one.source)):
        return f"the {kind} that rows are compared with is that of some rows only"
    texts = selected_by_what_is_not_there(question, one)
    return f"nothing in the data is written as {' or '.join(map(repr, texts))}" if texts else ""


def lacks_a_value(question: str, output: str) -> bool:
    """Whether there is nothing where a value should be, and where that was not asked for."""
    printed = output.strip()
    if WANTS_NONE.search(question.partition("\n\n")[0]):
        return False
    if form_of(question).kind:
        return bool(MISSING.search(answer_in(question, printed)))
    return bool(MISSING.fullmatch(printed.rpartition(" ")[2])) and "\n" not in printed
