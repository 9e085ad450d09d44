"""Answers that are wanted in a file: they are computed as any answer is, and written by us.

"Write the answer to answer.csv, with a row for each of mean and median" asks for two values. A
small model that has to think of the file, too, errs twice as often; it is asked for the values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from interpreter.models.small.checks.written_files import NOT_THE_FILE
from interpreter.models.small.form.asked import form_of
from interpreter.models.small.parsed import parsed
from interpreter.models.small.requests import PYTHON
from interpreter.models.small.rounds import BETWEEN, Round
from interpreter.models.small.wanted import INTO_FILE, LOOKED_AT, NEW_FILE, WRITES, is_an_order
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReplyFinished,
    TextDelta,
)
from interpreter.protocol.messages import Code, Message, Text

FORMS = {"csv": "CSV", "json": "JSON", "yaml": "YAML", "yml": "YAML", "txt": "", "md": ""}
VALUES = {  # the forms that one file can have, where it holds an answer and no data
    **{"csv": ("csv",), "json": ("json",), "yaml": ("yaml",), "yml": ("yaml",)},
    "txt": ("lines", "list", "template", "number", "yes or no"),
    "md": ("table", "lines", "template"),
}
NAMED = ("json", "yaml", "table")
ONE_ROW = re.compile(r"\b(?:one|a single|only one|just one) (?:row|line|record)\b", re.IGNORECASE)
OF_ROWS = re.compile(
    r"\b(?:lists?|arrays?|objects|records|tables?(?! t)|all|each(?! of)|every|per)\b", re.IGNORECASE
)
OF_ONE = re.compile(  # what makes one value of many
    r"\b(?:mean|average|median|sum|total|number of|counts?|how many|min(?:imum)?|max(?:imum)?"
    r"|deviation|variance|correlation|coefficient|percent\w*|share|ratio|rate|p-?values?"
    r"|(?:most|least|best|worst|(?:few|high|low|larg|small|great|bigg|old|young|new|earli|lat|long"
    r"|short|cheap|fast|slow|busi|strong|weak)est)"
    r"(?! (?:\w+ ){0,2}?(?:\d+|two|three|five|ten|\w{2,}s)\b))\b",
    re.IGNORECASE,
)
SOMETHING_SAID = re.compile(
    r" (?:the |your |both )?(?:answers?|results?|values?|numbers?|it|them|this|that|these|both|only"
    r"|just|yes)\b",
    re.IGNORECASE,
)
NOT_COMPUTED = re.compile(r"\s*\Z|I could not\b|There (?:is|are|was|were) no\b")
SENTENCE_ENDS = re.compile(r"[.?!;]+\s+|\n")
BEFORE_AN_ORDER = re.compile(  # nothing, or what an order may follow
    r"(?:.*[,:]|.*\b(?:and|then))?\W*(?:\b(?:and|then|please|also|just|now|(?:can|could) you)\W+)*",
    re.IGNORECASE | re.DOTALL,
)
ON_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|in case|not|never|without|instead|why|should|would)\b|n't\b",
    re.IGNORECASE,
)
ADDED_TO = re.compile(
    r"\b(?:append|add|below|under|beneath|at the (?:end|top)|new line|next line|what is in it"
    r"|keep what)\b",
    re.IGNORECASE,
)
AND_MORE = re.compile(
    r"\?|(?:[.;!:]\s+|\n|\b(?:and|then|also|but)\s+)(?:(?:and|then|also|please|but|just)\s+)*"
    r"(?:add|answer|append|change|clean|compute|copy|create|delete|draw|drop|email|explain|export"
    r"|fix|give|list|make|move|open|plot|print|put|remove|rename|reply|report|run|save|say|send"
    r"|show|sort|store|tell|update|write|zip)\b",
    re.IGNORECASE,
)
PROGRAMS = re.compile(r"\b(?:scripts?|programs?|modules?)\b", re.IGNORECASE)
WRITING = "# The answer, in the file that was asked for.\n"
WRITE = "{folder}with open({name!r}, 'x', encoding='utf-8') as file:\n    _ = file.write({text!r})"
FOLDER = "import os\nos.makedirs({folder!r}, exist_ok=True)\n"
INTO_IT = "The answer, into its file:\n"
WRITTEN = "This is in {name} now:\n\n```text\n{text}\n```"
AS_CHANGED = "{name} was written, as you changed it."
NOT_WRITTEN = "{name} was not written{why}. The answer is:\n\n```text\n{text}\n```"
NOT_IN_FORM = "\n\n(Careful: {name} was not written, since the answer is not in the form for it.)"


def answer_into_file(request: str) -> tuple[str, str]:
    """A request as one for an answer in words, and the file into which that is to be written; the
    same request and nothing where no file is named, or several, where it is there already or is to
    hold data, or where more is wanted than that."""
    words, between, known = request.partition("\n\n")
    if PROGRAMS.search(words) or len(_files_to_write(words)) != 1:
        return request, ""
    for clause in WRITES.finditer(words[:LOOKED_AT]):
        if (target := _target(clause.group(1))) is None:
            continue
        name, suffix = target.group(2), target.group(2).rpartition(".")[2].lower()
        start, body = clause.span()[0], clause.start(1)
        is_there = re.search(rf"^{re.escape(name.rpartition('/')[2])}[: ]", known, re.MULTILINE)
        if suffix not in FORMS or is_there or not _is_an_order_here(words, start):
            break
        verb = "Give" if words[start].isupper() else "give"
        form = f" as {FORMS[suffix]}" if FORMS[suffix] else ""
        what = words[body : body + target.start()].rstrip()
        rest = words[body + target.end() :]
        question = words[:start] + verb + what + form + rest + between + known
        is_more = AND_MORE.search(rest[:LOOKED_AT]) or is_an_order(question)
        if _is_of_values(question, suffix, what) and not is_more:
            return question, name
        break
    return request, ""


def _files_to_write(words: str) -> set[str]:
    """All files that a request may want written."""
    clauses = (clause.group(1) for clause in WRITES.finditer(words[:LOOKED_AT]))
    named = [name for clause in clauses for _, name in INTO_FILE.findall(clause)]
    return {*named, *NEW_FILE.findall(words[:LOOKED_AT])}


def _is_an_order_here(words: str, start: int) -> bool:
    """Whether a verb orders something: it is not forbidden, explained, or wanted only sometimes,
    and what is written is not to stand beside what a file holds."""
    begin = [found.end() for found in SENTENCE_ENDS.finditer(words[:start])]
    before = words[begin[-1] if begin else 0 : start]
    after = SENTENCE_ENDS.split(words[start:], maxsplit=1)[0]
    is_unsure = ON_CONDITION.search(before) or ON_CONDITION.search(after)
    return bool(BEFORE_AN_ORDER.fullmatch(before)) and not is_unsure and not ADDED_TO.search(after)


def _target(clause: str) -> re.Match[str] | None:
    """Where a clause that wants something written says into which file."""
    found = list(INTO_FILE.finditer(clause))
    is_answer = SOMETHING_SAID.match(clause)  # else "in" says where it is
    return next((one for one in found if is_answer or one.group(1).lower() != "in"), None)


def _is_of_values(question: str, suffix: str, what: str) -> bool:
    """Whether what the file is to hold is an answer of a few values, which have names, and no part
    of a table: "the users older than 30", with the keys name and age."""
    form, words = form_of(question), question.partition("\n\n")[0]
    if form.kind not in VALUES[suffix]:
        return False
    if suffix == "csv":
        return bool(form.keys or (form.columns and ONE_ROW.search(words)))
    is_one = SOMETHING_SAID.match(what) or OF_ONE.search(what)
    return form.kind not in NAMED or bool(form.keys and is_one and not OF_ROWS.search(words))


def with_words(message: Message, request: str) -> Message:
    """What the user said in these words, with what is known of its files."""
    parts = message.parts
    at = next((at for at, part in enumerate(parts) if part == BETWEEN), len(parts))
    others = (one for one in parts[:at] if not isinstance(one, Text))
    return replace(message, parts=(Text(request.partition("\n\n")[0]), *others, *parts[at:]))


def put_into_file(events: Iterable[ModelEvent], question: str, name: str) -> Iterator[ModelEvent]:
    """A reply as it is; where it is an answer in the form that was asked for, a block that writes
    it into its file."""
    said: list[TextDelta] = []
    for event in events:
        if isinstance(event, TextDelta):
            said.append(event)
            continue
        answer = "".join(one.text for one in said).strip()
        ended = event if isinstance(event, ReplyFinished) and event.end == "stop" else None
        is_answer = form_of(question).is_form_of(answer) and not NOT_THE_FILE.search(answer)
        if ended is not None and is_answer and not NOT_COMPUTED.match(answer):
            source = _writing(name, answer)
            yield TextDelta(INTO_IT)
            yield CodeDelta(PYTHON, source)
            yield ActionProposed(Code(PYTHON, source))
            yield replace(ended, end="actions")
        else:
            yield from said
            if ended is not None and not NOT_COMPUTED.match(answer):
                yield TextDelta(NOT_IN_FORM.format(name=name))
            yield event
        said.clear()
    yield from said


def _writing(name: str, answer: str) -> str:
    folder = FOLDER.format(folder=name.rpartition("/")[0]) if "/" in name else ""
    return WRITING + WRITE.format(folder=folder, name=name, text=f"{answer}\n")


def said_of_file(name: str, last: Round) -> str:
    """What is said once such a block has run, or was refused; nothing after any other block."""
    if not last.source.startswith(WRITING):
        return ""
    text = _text_of(last.source)
    if last.overruled and not last.failed:
        return AS_CHANGED.format(name=name)
    if not last.failed:
        return WRITTEN.format(name=name, text=text)
    return NOT_WRITTEN.format(name=name, why=f" ({last.summary.rstrip('.')})", text=text)


def _text_of(source: str) -> str:
    """What such a block writes; nothing where somebody else has written it."""
    nodes = ast.walk(parsed(source))
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(attr="write"), [ast.Constant(str(text))]):
                return text.rstrip("\n")
    return ""
