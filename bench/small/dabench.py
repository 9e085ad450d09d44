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

import yaml

from bench.small.cases import NO_ANSWER, RIGHT, WRONG, Case, as_json, equal, has_number

MARK = re.compile(r"@(\w+)\[(.*?)\]")
SEEN = {55, 59, 125, 133, 175}  # looked at before the questions were parted
FORMS = ("benchmark", "json", "sentence", "csv")
MORE_FORMS = ("yaml", "table", "lines", "list", "file")  # of which the goals say nothing


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
        "yaml": f"Reply in YAML with the keys {names}, and nothing else: {described}",
        "table": "Reply with a Markdown table with the columns name and value and a row for each "
        f"of {names}: {described}",
        "lines": f"Reply with one line per value, as name=value, for {names}: {described}",
        "list": f"Reply with only the values of {names}, in this order, separated by semicolons: "
        f"{described}",
        "file": f"Save the results as results.json, an object with the keys {names}: {described}",
    }
    ask = (
        f"{question['question']}\n{question['constraints']}\n"
        f"The file is {question['file_name']}.\n{wanted[form]}"
    )
    judges = {
        "benchmark": _marked,
        "json": _json,
        "sentence": _sentence,
        "csv": _csv,
        "yaml": _yaml,
        "table": _table,
        "lines": _name_and_value,
        "list": _list,
        "file": _file,
    }
    return Case(
        str(question["id"]),
        form,
        ask,
        lambda directory: shutil.copy(tables / question["file_name"], directory),
        lambda answer, directory: judges[form](answer, directory, labels),
        ("answer.csv", "results.json"),
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


def _yaml(answer, directory, labels):
    try:
        value = yaml.safe_load(answer)
    except yaml.YAMLError:
        return "no YAML"
    return _by_name(value if isinstance(value, dict) else {}, labels)


def _table(answer, directory, labels):
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in answer.strip().splitlines()
    ]
    if len(rows) < 3 or rows[0] != ["name", "value"] or set("".join(rows[1])) - set("-: "):
        return "no such table" if answer.strip() else NO_ANSWER
    return _by_name({row[0]: row[1] for row in rows[2:] if len(row) == 2}, labels)


def _name_and_value(answer, directory, labels):
    pairs = (line.partition("=") for line in answer.strip().splitlines())
    return _by_name({name.strip(): value.strip() for name, _, value in pairs}, labels)


def _list(answer, directory, labels):
    values = [value.strip() for value in answer.strip().split(";")]
    if len(values) != len(labels):
        return "another number of values" if answer.strip() else NO_ANSWER
    same = all(equal(one, value) for one, (_, value) in zip(values, labels, strict=True))
    return RIGHT if same else WRONG


def _file(answer, directory, labels):
    file = directory / "results.json"
    return (
        _json(file.read_text(errors="replace"), directory, labels) if file.is_file() else NO_ANSWER
    )
