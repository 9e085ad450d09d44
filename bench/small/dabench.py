"""Data questions with one right answer (InfiAgent-DABench), in several forms of asking.

DIRECTORY holds questions.jsonl, labels.jsonl and tables/. What we say to small models was written
with the questions of the part "development" in view; every other question is held out.
"""

import csv
import json
import random
import re
import shutil
from pathlib import Path

from bench.small.cases import NO_ANSWER, RIGHT, WRONG, Case, as_json, equal, has_number

MARK = re.compile(r"@(\w+)\[(.*?)\]")
SEEN = {55, 59, 125, 133, 175}  # looked at before the questions were parted
FORMS = ("benchmark", "json", "sentence", "csv")


def cases(form, data, part=None):
    """The questions of a part, in the order of a fixed shuffle: fewer are always among more."""
    data = Path(data)
    labels = {line["id"]: line["common_answers"] for line in _lines(data / "labels.jsonl")}
    questions = _part(_lines(data / "questions.jsonl"), part)
    shuffled = random.Random(1).sample(questions, len(questions))
    return [_case(form, one, labels[one["id"]], data / "tables") for one in shuffled]


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _part(questions, part):
    held = {q["id"] for at, q in enumerate(questions) if at % 2 and q["id"] not in SEEN}
    return [q for q in questions if part is None or (q["id"] in held) == (part == "held-out")]


def _case(form, question, labels, tables):
    names = ", ".join(name for name, _ in labels)
    described = MARK.sub(r"\1 (\2)", question["format"])
    wanted = {
        "benchmark": f"Give the answer in this format: {question['format']}",
        "json": f"Answer with one JSON object with the keys {names}: {described}",
        "sentence": f"Answer in one plain sentence that gives {names}: {described}",
        "csv": "Write the answer to answer.csv, with the columns name and value and a row for "
        f"each of {names}: {described}",
    }
    ask = (
        f"{question['question']}\n{question['constraints']}\n"
        f"The file is {question['file_name']}.\n{wanted[form]}"
    )
    judges = {"benchmark": _marked, "json": _json, "sentence": _sentence, "csv": _csv}
    return Case(
        str(question["id"]),
        form,
        ask,
        lambda directory: shutil.copy(tables / question["file_name"], directory),
        lambda answer, directory: judges[form](answer, directory, labels),
        ("answer.csv",),
    )


def _by_name(given, labels):
    if not given:
        return NO_ANSWER
    if any(name not in given for name, _ in labels):
        return "other names"
    return RIGHT if all(equal(given[name], value) for name, value in labels) else WRONG


def _marked(answer, directory, labels):
    return _by_name(dict(MARK.findall(answer)), labels)


def _json(answer, directory, labels):
    value = as_json(answer)
    return _by_name(value if isinstance(value, dict) else {}, labels)


def _sentence(answer, directory, labels):
    """Every value stands in it, and it is prose."""
    if not answer.strip():
        return NO_ANSWER
    if re.search(r"[{}\[\]]|np\.", answer):
        return "no sentence"
    return RIGHT if all(_is_said(answer, value) for _, value in labels) else WRONG


def _is_said(answer, value):
    try:
        return has_number(answer, float(str(value).replace(",", "")))
    except ValueError:
        return str(value).strip().lower() in answer.lower()


def _csv(answer, directory, labels):
    file = directory / "answer.csv"
    if not file.is_file():
        return NO_ANSWER
    rows = list(csv.reader(file.read_text(errors="replace").splitlines()))
    if not rows or [cell.strip() for cell in rows[0]] != ["name", "value"]:
        return "other columns"
    return _by_name({row[0].strip(): row[1] for row in rows[1:] if len(row) > 1}, labels)
