"""The words that small models are given, and how theirs are judged."""

from __future__ import annotations

import re
from collections.abc import Iterable

from interpreter.models.small.form.asked import form_of
from interpreter.models.small.form.places import template_in
from interpreter.models.small.form.printed import NUMBER
from interpreter.models.small.prompts.hints import hint_for
from interpreter.models.small.prompts.reminders import reminders_for
from interpreter.models.small.rounds import Round
from interpreter.models.small.wanted import (
    LOOKED_AT,
    ORDER,
    PROGRAM,
    file_to_write,
    is_about_files,
    is_an_order,
)

PRINTED = """\
The code printed:
{output}

Reply only with the final answer, written exactly in the form that the request asks for, with \
these values. {form}"""
OR_GO_ON = """
Only if the output does not answer the request, write the next ```python block."""
NOTHING_PRINTED = """\
The code ran but printed nothing.{variables}
Write it again so that it prints the answer."""
PRINT_IT = "An earlier attempt printed nothing. Print the answer with print(...)."
DONE = """\
The code ran without an error. {files}{printed}{variables}
If that did all that was asked for, say in one sentence what was done, without code. Otherwise \
write the next ```python block."""
NO_FILES = "It changed no file."
NOT_WRITTEN = """\
The code ran without an error and changed no file, so what was asked for is not done. Write the \
whole ```python block again so that it does it, with the names of the files as they were given."""
NOT_DONE = "I could not do this: {names} was not written."
NOTHING_CHANGED = "I could not do this: no file was changed."
AS_IT_WAS = """\
No file was changed: the program ran, and what it wrote is what was there before."""
NOT_WANTED = """\
That block was not allowed to run: {reason}
Do what is said there, as one ```python block that is different, or say in one sentence that \
it was not done."""
WRITE_IT = """\
Write one ```python block that writes the text of the program into its file, does not run it, and \
prints the name of the file, in this way:
source = r'''
(here the program)
'''
open({name!r}, "w").write(source)
print({name!r})"""
COMPUTE = "Write one ```python block that computes this and prints the answer as asked for above."
ACT = "Write one ```python block that does this and prints what it did."
ACT_ON_FILES = """\
Write one ```python block that does just this, with all rows and columns that are meant, and \
prints the names of the files that it wrote or changed."""
COMPUTE_VALUES = """\
Write one ```python block that computes this, collects the values in one dictionary, with the \
names that were asked for, and prints only that dictionary: it is written in the form that was \
asked for afterwards, not by you."""
COMPUTE_PLACES = """\
Write one ```python block that computes this and prints a line for each of {names}: its name, a \
colon and its value. The values are put into the form that was asked for afterwards, not by you."""
NUDGE = "Do not guess. Write the code now, as one ```python block that prints the answer."
PUT_IT_RIGHT = "Then write the whole ```python block again so that it prints the right answer."
AFRESH = """Earlier attempts failed with:
{errors}
Solve it in another way that avoids these errors. Write one ```python block that prints the \
answer."""
ANOTHER_DRAFT = """\
Another draft, to compare (nothing that it does lasts, so it runs without a question):
"""
THE_FILE = "What the file holds:\n"
IN_THE_FORM = "The same values, in the form that was asked for:\n"
MENDED = "The same, with what it lacked:\n"
LAST_VALUE = "It printed nothing. What it computed last:\n"
DOUBT = "\n\n(Not sure: programs that were written for this independently printed other values.)"
UNCONFIRMED = "\n\n(Not sure: no other program that was written for this confirms it.)"
IN_SPITE = "\n\n(Not sure: programs agree on this, but they may not do all that was asked.)"
NOT_ANSWERED = """\
I could not compute this: no program gave a value for it, and a guess would be worth nothing."""
DELETES = """\
The block deletes files, and the request does not ask for that: leave it out. Write the whole \
```python block again without it."""
WOULD_DELETE = "I could not do this: the program would delete files, which you did not ask for."
AS_BEFORE = "What it had changed was taken back: all files are as they were before it."
UNTOUCHED = " Your files are as they were."
SPENT = """\
The line {line!r} failed twice with the same error. Do not write it again: solve it in another \
way. Write one ```python block that prints the answer."""
GAVE_UP = "I could not do this: {what} fails each time{error}."
FAILED = "I could not do this: the program failed with {error}."
EACH_FAILED = "I could not do this: {count} programs in a row failed, the last one with {error}."
ATTEMPT = """An earlier attempt printed {output}
{trouble}"""
CANNOT_BE = """\
That cannot be right: a value is missing (nan or empty). Check which rows and columns are meant, \
and how the columns are made: text has to be turned into numbers. Solve it in another way. Write \
one ```python block that prints the answer."""

LINE = re.compile(r"(?:Cell In\[\d+\], |\", )line (\d+)|<[^>\n]*>:(\d+)|^-+> (\d+) ", re.MULTILINE)
PROMISE = re.compile(
    r"\b(i will|i'll|let me|let's|we can|we need to|you can|we should|here is|here's|first,"
    r"|to do this|steps?)\b",
    re.IGNORECASE,
)
NO_ANSWER = re.compile(
    r"\bI apologi[sz]e\b|\bplease provide\b|\bmisunderst(?:ood|anding)\b", re.IGNORECASE
)
REPEATED = 40  # characters of a line that nobody says again by chance
A_SENTENCE = 6  # words, all of which were said to the model
FAULT = re.compile(
    r"\b(?:not|n't)\b(?: \w+){0,4} (?:correct|right|expected)\b"
    r"|\bincorrect\b|\bthe error (?:was|is) in\b",
    re.IGNORECASE,
)
ABOUT_FORM = re.compile(
    r"\b(format|form|answer (as|with|in)|exactly|decimals?|only the|yes or no)\b"
    r"|(?<![.\w])(json|csv|ya?ml)\b(?! ?(files?|lines)\b)|\bmarkdown table\b|\bdict(?:ionary)?\b"
    r"|\bseparated by\b|\b(?:per|each|own|one) line\b",
    re.IGNORECASE,
)
COMPUTE_INTO = """\
Write one ```python block that computes this, writes it into the file {name} as was asked for \
above, and prints what it wrote."""
SCRIPT = re.compile(r"[\w/-]+\.(?:py|sh|js|rb|pl|r|sql)\b", re.IGNORECASE)
LONGEST_ERROR = 300
TO_THE_MODEL = ". Write a "  # begins what it is to do better
LONGEST_FORM = 300


def error_hint(one: Round, question: str = "") -> str:
    """What a model is told about a block that failed: the line, the error, and what helps."""
    error = one.summary or _last_line(one.errors) or "it failed"
    lines = [f"The code failed: {error[:LONGEST_ERROR]}"]
    if failing := failing_line(one):
        lines.append(f"The failing line is: {failing}")
    if hint := hint_for(error, question, one.source):
        lines.append(hint)
    if one.variables:
        lines.append(f"Variables now: {one.variables}")
    if one.taken_back:
        lines.append(AS_BEFORE)
    lines.append("Write the whole block again with only that corrected; it must print the answer.")
    return "\n".join(lines)


def lessons_of(rounds: Iterable[Round], question: str) -> str:
    """What went wrong so far, each error once and with what helps against it."""
    errors = {one.summary[:LONGEST_ERROR]: one.source for one in rounds if one.failed}
    told = (f"- {error} {hint_for(error, question, errors[error])}".rstrip() for error in errors)
    return AFRESH.format(errors="\n".join(told))


def failing_line(one: Round) -> str:
    """The line of the block that the traceback names, as it was written."""
    found = LINE.search(one.errors)
    number = int(next(filter(None, found.groups()))) if found else 0
    lines = one.source.strip("\n").splitlines()
    return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def gave_up(line: str, error: str, rounds: Iterable[Round]) -> str:
    """What the user is told in the end about a line that fails, or a program, if it is unknown."""
    why = f" with {error.rstrip('.')}" if error.strip() else ""
    said = GAVE_UP.format(what=repr(line) if line else "it", error=why)
    return said + _untouched(list(rounds))


def each_failed(count: int, rounds: list[Round], *, on_copies: bool = False) -> str:
    """What the user is told after many programs that failed, each in its own way."""
    error = rounds[-1].summary.partition(TO_THE_MODEL)[0][:LONGEST_ERROR].rstrip(".")
    said = (EACH_FAILED if count > 1 else FAILED).format(count=count, error=error)
    return said + (UNTOUCHED if on_copies else _untouched(rounds))


def _untouched(rounds: list[Round]) -> str:
    back = any(one.taken_back for one in rounds) and not any(one.files for one in rounds)
    return UNTOUCHED if back else ""


def request_for_code(question: str) -> str:
    """What stands after a question that a small model had better compute."""
    if is_an_order(question):
        named = SCRIPT.search(question[:LOOKED_AT])
        write_it = WRITE_IT.format(name=named.group() if named else "script.py")
        if PROGRAM.match(question):
            return write_it
        if ORDER.match(question) and not file_to_write(question):
            return _beside(question, ACT_ON_FILES if is_about_files(question) else ACT)
        return _beside(question, COMPUTE_INTO.format(name=file_to_write(question)))
    form = form_of(question)
    if form.kind == "template":
        names = ", ".join(label or name for label, name in form.places_named)
        return _beside(question, COMPUTE_PLACES.format(names=names))
    names_values = form.is_of_values or (form.kind == "csv" and form.keys)
    is_written_by_us = names_values and form.kind != "json"
    return _beside(question, COMPUTE_VALUES if is_written_by_us else COMPUTE)


def _beside(question: str, request: str) -> str:
    """The request, with what small models forget."""
    return "\n".join((*reminders_for(question), request))


def finds_fault(text: str) -> bool:
    """Whether a reply says that what was printed is wrong."""
    return bool(FAULT.search(text))


def is_no_answer(text: str, known: str, reproach: str = "") -> bool:
    """Whether a reply apologizes, asks back, or says again what it was told."""
    told = {line.strip() for line in known.splitlines() if len(line.strip()) >= REPEATED}
    if NO_ANSWER.search(text) or any(line.strip() in told for line in text.splitlines()):
        return True
    known_words = set(_words(reproach))
    sentences = map(_words, re.split(r"(?<=[.:!?])\s+", text))
    return any(len(one) >= A_SENTENCE and known_words.issuperset(one) for one in sentences)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def is_only_a_promise(text: str) -> bool:
    """Whether a reply says what could be done instead of doing it or answering."""
    said = text.strip()
    if not said:
        return True
    return said.endswith(":") or (bool(PROMISE.search(said)) and not NUMBER.search(said))


def form_asked_for(question: str) -> str:
    """The line of a question that says how the answer should look; a small model forgets it."""
    if template := template_in(question):
        return f"in the form {template[:LONGEST_FORM]}"
    words = question.partition("\n\n")[0]
    lines = [line.strip() for line in words.splitlines() if ABOUT_FORM.search(line)]
    return lines[-1][:LONGEST_FORM] if lines else ""
