"""Whether what a block printed is the answer, in the form that was asked for, or what is wrong."""

from __future__ import annotations

import ast
import re

from interpreter.models.small.forms import NUMBER, as_number, misfit, tidied
from interpreter.models.small.rounds import Round

FORM = re.compile(r"[^\d\s]*\w[^\d\s]*[^\w\s.,]")  # a word and the mark that ends it
MARK = re.compile(r"@\w+\[")  # an answer in parts: @mean[2.5] @count[7]
NOTHING = re.compile(r"\[\s*(nan|none|nat|)\s*\]|(?<!\w)nan(?!\w)", re.IGNORECASE)
WORD = re.compile(r"@\w+\[(?!(?:yes|no|true|false)\])[A-Za-z_][^\]\n]*\]", re.IGNORECASE)
RENAMED = re.compile(r"@[^\[\]\n]*\[([^\]\n]+)\]")
LABELLED = re.compile(r"[A-Za-z][A-Za-z _]*[:=]\s+(.+)")
VALUE = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?%?|[^\d\s]+( [^\d\s]+){0,3}")  # or a few words
LINES = 8  # of an answer that is shown as it was printed
LONGEST_VALUE = 100
LONGEST_FORM = 400

LACKS = "The output lacks {marks}. Write the whole block again so that it prints exactly: {form}"
WORDS = """\
The block printed the words of the form and not the values. Write it again and put the computed \
values between the brackets, with an f-string."""
MISFIT = """{wrong} Functions that test something give the statistic first and the p-value second. \
Write the whole block again so that every value is what was asked for."""
NOT_CHANGED = """\
A line changed nothing: df["a"].method(..., inplace=True) and df["a"][rows] = x work on a copy. \
Write df["a"] = df["a"].method(...) and df.loc[rows, "a"] = x. Write the whole block again."""
HARD_CODED = """\
The block printed numbers that are written in it: that computes nothing. Read the file or compute \
the value, and print what comes out. Write the whole block again."""
ON_A_COPY = ("ChainedAssignmentError", "SettingWithCopyWarning")


def marks_asked_for(question: str) -> tuple[str, ...]:
    """The beginnings `@name[` of the parts that the answer should have."""
    return tuple(dict.fromkeys(MARK.findall(question)))


def form_of(marks: tuple[str, ...]) -> str:
    """How an answer with these parts looks."""
    return " ".join(f"{mark}...]" for mark in marks)


def form_said(question: str) -> str:
    """The user's own words about the parts of the answer: from the first part on."""
    start = MARK.search(question)
    said = question[start.start() :].partition("\n\n")[0] if start else ""
    return " ".join(said.split())[:LONGEST_FORM]


def answer_in(question: str, output: str) -> str:
    """The answer, when what was printed has the form that was asked for; else nothing."""
    return tidied(question, _answer_in(question, output))


def _answer_in(question: str, output: str) -> str:
    printed = output.strip()
    marks = marks_asked_for(question)
    whole = all(mark in printed for mark in marks)
    if whole and _is_in_the_form_of(question, printed):
        return printed
    if not marks:
        return ""
    if whole:
        return "\n".join(line for line in printed.splitlines() if MARK.search(line))
    return _only_value(marks, printed)


def _only_value(marks: tuple[str, ...], printed: str) -> str:
    """A bare value, or one with another name, put where the only part of the answer wants it."""
    if len(marks) == 1 and (other := RENAMED.fullmatch(printed)):
        return f"{marks[0]}{other.group(1)}]"
    if len(marks) > 1 or "@" in printed or "\n" in printed or len(printed) > LONGEST_VALUE:
        return ""
    labelled = LABELLED.fullmatch(printed)
    value = labelled.group(1) if labelled else printed
    return f"{marks[0]}{value}]" if VALUE.fullmatch(value) else ""


def _is_in_the_form_of(question: str, printed: str) -> bool:
    """Whether every line begins as the question says the answer should, such as `total: ` does."""
    lines = printed.splitlines()
    return 0 < len(lines) <= LINES and all(_has_form(line.strip(), question) for line in lines)


def _has_form(line: str, question: str) -> bool:
    found = FORM.match(line)
    return found is not None and found.group() in question


def is_hard_coded(question: str, one: Round) -> bool:
    """Whether all numbers that a block printed stand in it as they are, and not in the question.

    Then nothing was computed: the model wrote down what it believes.
    """
    printed, known = _sizes(one.output), _sizes(question)
    return bool(printed - known) and printed <= _constants(one.source) | known


def _sizes(text: str) -> set[float]:
    """The numbers in a text, without their signs."""
    return {abs(as_number(found)) for found in NUMBER.findall(text)}


def _constants(source: str) -> set[float]:
    """The numbers that a program is written with, also in its texts."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    written = [value for value in values if isinstance(value, int | float)]
    numbers = {abs(float(value)) for value in written if abs(value) < 1e300}
    return numbers.union(*(_sizes(value) for value in values if isinstance(value, str)))


def trouble_with(question: str, one: Round) -> str:
    """What is wrong with a block that ran and printed something; nothing when all is well."""
    if is_hard_coded(question, one):
        return HARD_CODED
    if any(word in one.errors for word in ON_A_COPY):
        return NOT_CHANGED
    marks = marks_asked_for(question)
    if not marks:
        return ""
    answer = answer_in(question, one.output)
    if not answer:
        missing = tuple(mark for mark in marks if mark not in one.output)
        return LACKS.format(marks=form_of(missing), form=form_of(marks))
    if any(part.group() in question for part in WORD.finditer(answer)):
        return WORDS
    wrong = misfit(question, answer)
    return MISFIT.format(wrong=wrong) if wrong else ""


def lacks_a_value(question: str, output: str) -> bool:
    """Whether an answer in the form that was asked for has nothing where a value should be."""
    return bool(marks_asked_for(question) and NOTHING.search(answer_in(question, output)))
