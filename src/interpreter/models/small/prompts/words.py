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
COMPUTABLE = re.compile(
    r"\b[\w-]+\.(csv|tsv|jsonl?|xlsx?|parquet|db|sqlite3?|pdf|txt|md|log|py|js|html?|ya?ml|toml|ini|xml"
    r"|sql|sh|zip|gz|tar|png|jpe?g|env|cfg|conf|rst|tex|bib|srt|vtt|ics|vcf|eml|mbox|dat|docx?|od[st])\b"
    r"|(?<![\w.])\.env\b"
    r"|\d\s*([-+*/^%]|to the power|times|plus|minus)|\b\d{5,}\b"
    r"|\b(calculate|compute|average|mean|median|sum|product|percent\w*|correlation|factorial|prime"
    r"|how many|count|largest|biggest|smallest|files?|folders?|director(y|ies)|disk|today|installed"
    r"|processes|convert\w*|timestamp|hexadecimal|binary|days? (?:between|until|since)|weekday)\b",
    re.IGNORECASE,
)
ORDER = re.compile(
    r"\W*(please\s+|can you\s+|could you\s+)?(add|append|archive|build|change|clean|combine"
    r"|compress|concatenate|convert|copy|create|crop|deduplicate|delete|download|draw|edit|extract|fix|generate"
    r"|install|make|merge|move|open|organi[sz]e|plot|put|remove|rename|replace|resize|rotate|save|set"
    r"|sort|split|tidy|unpack|unzip|write|zip)\b",
    re.IGNORECASE,
)
PROGRAM = re.compile(
    r"\W*(?:please |can you |could you )?(?:create|generate|make|save|write)\b"
    r"(?=[^.\n]*\b(?:script|program|module)\b)",
    re.IGNORECASE,
)
ASKS_TOO = re.compile(
    r"\b(?:(?:answer|reply|respond) (?:with|as|in|by|only)|tell me|what (?:is|are)"
    r"|how (?:many|much)|give (?:me )?the answer)\b",
    re.IGNORECASE,
)
DONE_BEFORE = "".join((
    *(rf"(?<!(?<!can )(?<!could )(?<!should )\b{who} )" for who in ("I", "we")),
    *(rf"(?<!['’]{end} )" for end in ("ve", "d", "s", "t")),
    *(rf"(?<!\b{word} )" for word in ("they", "he", "she", "have", "has", "had", "already")),
    *(rf"(?<!\b{word} )" for word in ("not", "never", "dont", "cannot")),
    r"(?<!\bI just )(?<!\bwe just )",
))  # "I've put my notes into notes.csv" wants nothing written, nor does "don't save it as a.csv"
WRITES = re.compile(
    DONE_BEFORE + r"\b(?:write|save|store|export|put)\b((?:[^.?!\n]|\.\w){0,240})", re.IGNORECASE
)
MAKES = re.compile(
    r"\b(?:merge|combine|convert|concatenate|turn|transform|extract|collect)\b"
    r"((?:[^.?!\n]|\.\w){0,240})",
    re.IGNORECASE,
)
BRINGS = re.compile(
    r"\b(?:pull|gather|get|take|list|filter|dump|copy)\b((?:[^.?!\n]|\.\w){0,240})", re.IGNORECASE
)
INTO_FILE = re.compile(
    r"\b(to|as|into|in)\b(?: the file| a file)?(?: called| named)? [\"'`]?"
    r"([\w/-]{1,100}\.(?:csv|tsv|json|txt|md|xlsx|html|yaml|yml|xml))\b(?![\w-]|\.\w)",
    re.IGNORECASE,
)
NEW_FILE = re.compile(
    r"\b(?:write|create|generate|make|produce)\b (?:me )?(?:an? |the )?(?:new )?(?:file )?"
    r"(?:called |named )?[\"'`]?([\w/-]{1,100}\.(?:csv|tsv|json|txt|md|xlsx|html|yaml|yml|xml))\b"
    r"(?![\w-]|\.\w)",
    re.IGNORECASE,
)
IN_A_FILE = re.compile(
    r"\b(?:in|into|to|as) an? (?:new )?(?:\w+ )?file (?:called |named )?[\"'`]?"
    r"([\w/-]{1,100}\.(?:csv|tsv|json|txt|md|xlsx|html|yaml|yml|xml))\b(?![\w-]|\.\w)",
    re.IGNORECASE,
)
COMPUTE_INTO = """\
Write one ```python block that computes this, writes it into the file {name} as was asked for \
above, and prints what it wrote."""
SCRIPT = re.compile(r"[\w/-]+\.(?:py|sh|js|rb|pl|r|sql)\b", re.IGNORECASE)
FILE_ORDER = re.compile(
    r"\W*(?:please |can you |could you )?(?:append|copy|delete|move|rename|save|unpack"
    r"|unzip|zip)\b",
    re.IGNORECASE,
)
MAKING = re.compile(
    r"\W*(?:please |can you |could you )?(?:archive|combine|compress|concatenate|convert|crop"
    r"|deduplicate|merge|resize|rotate|split)\b"
    r"(?=.*(?:\.(?:csv|tsv|json|txt|md|xlsx|html|yaml|yml|xml|pdf|png|jpe?g|zip)\b|\b(?:files?|folders?"
    r"|images?|pictures?|photos?)\b))"
    r"(?!.*\b(?:show|print|display|list|tell|answer|reply|give|what|which|how)\b)",
    re.IGNORECASE | re.DOTALL,
)
TO_DELETE = re.compile(
    r"\b(?:delet|remov|clean|clear|tid(?:y|ied)|drop|eras|purg|trash|get rid|wip|dedup|duplicates"
    r"|uninstall|discard|throw|prune|unpack|unzip|replac|overwrit|merg)\w*",
    re.IGNORECASE,
)
SAVES = re.compile(
    r"\b(?:save|overwrite|write back) (?:it|them|that|(?:the|this|that) (?:file|table))\b"
    r"(?! (?:as|to|into|in) (?!the same (?:file|table|sheet)\b|place\b))",
    re.IGNORECASE,
)
CHANGING = re.compile(
    r"\W*(?:please |can you |could you )?(?:set|change|update|edit|replace|insert|remove|increase"
    r"|decrease|clean|fix|add (?:an? |the )?(?:new )?(?:column|row|line|field|key|entry|header))\b"
    r"[^?]*\b(?:in|of|from|to|inside|under)\b[^?]{0,80}?"
    r"(?:[\w/-]+\.(?:csv|tsv|json|txt|md|ya?ml|toml|ini|xml|html|cfg|conf|env|sql)\b"
    r"|\bfiles?\b)"
    r"(?!.*\b(?:show|print|display|list|tell|answer|reply|give|what|which|how|calculat\w+|comput\w+"
    r"|mean|average|median|sum|correlat\w+|count|plot|report)\b)",
    re.IGNORECASE | re.DOTALL,
)
LONGEST_ERROR = 300
TO_THE_MODEL = ". Write a "  # begins what it is to do better
LOOKED_AT = 4_000  # characters of a request in which a file to write is looked for
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


def needs_code(question: str) -> bool:
    """Whether it is about numbers or files, which a small model had better not guess about."""
    return bool(COMPUTABLE.search(question.partition("\n\n")[0][:LOOKED_AT]))


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


def is_an_order(question: str) -> bool:
    """Whether something is to be done, so that it may be done without anything to print."""
    if file_to_write(question) or _orders_in(question):
        return True
    if not ORDER.match(question) or "?" in question:
        return False
    is_pure = FILE_ORDER.match(question) or PROGRAM.match(question)
    return bool(is_pure) or not ASKS_TOO.search(question.partition("\n\n")[0])


def _orders_in(question: str) -> bool:
    """Whether one of its sentences wants files changed: "It is a mess. Clean it and save it." """
    words = question.partition("\n\n")[0][:LOOKED_AT]
    sentences = re.split(r"(?<=[.!:;])\s+", words)
    orders = (CHANGING, FILE_ORDER, MAKING)
    changes = any(order.match(one) for one in sentences[1:] for order in orders)
    return "?" not in words and (changes or bool(SAVES.search(words)))


def file_to_write(question: str) -> str:
    """The file into which a request wants its answer written; nothing where it names none."""
    words, _, known = question.partition("\n\n")
    words = words[:LOOKED_AT]
    named = [pair for clause in WRITES.findall(words) for pair in INTO_FILE.findall(clause)]
    targets = [name for how, name in named if how.lower() != "in"]
    if "?" not in words:
        made = [pair for clause in MAKES.findall(words) for pair in INTO_FILE.findall(clause)]
        made = [(how, name) for how, name in made if how.lower() != "in"]
        brought = [pair for clause in BRINGS.findall(words) for pair in INTO_FILE.findall(clause)]
        made += [(how, name) for how, name in brought if how.lower() == "into"]
        made += [("in", name) for name in IN_A_FILE.findall(words)]
        targets += [name for _, name in made if name.rpartition("/")[2] not in known]
    targets += NEW_FILE.findall(words)  # "write b.csv with what is in a.csv" means b.csv
    targets += [name for _, name in named[::-1]]
    return str(next(iter(targets), ""))


def is_about_files(question: str) -> bool:
    """Whether it is an order that cannot be done without changing a file."""
    words = question.partition("\n\n")[0][:LOOKED_AT]
    orders = (FILE_ORDER, MAKING, CHANGING, PROGRAM)
    wants = any(order.match(words) for order in orders) or _orders_in(question)
    return is_an_order(question) and bool(wants or file_to_write(question))


def keeps_files(question: str) -> bool:
    """Whether something is to be done, and nothing is to be deleted."""
    words = re.sub(r"\S+\.\w+", " ", question.partition("\n\n")[0][:LOOKED_AT])
    return is_an_order(question) and not TO_DELETE.search(words)


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
