"""Data-analysis questions with one right answer: our interpreter against a plain single shot.

    python -m bench.dabench [N] [--part development|held-out] [--only ours|single] [--log FILE]

Both use the built-in model, greedy, on the same questions. What we say to small models was written
with the questions of the part "development" in view; those held out were left alone until the end.
With a log, a run goes on where the one before stopped, and nothing is asked twice; several runs can
share the work, each with its --share. The single shot is one reply to the
question and the first lines of the file; its first block is run once, and what that prints is the
answer. A question counts when every sub-answer is right. The questions are those of
InfiAgent-DABench; DIRECTORY holds questions.jsonl, labels.jsonl and tables/.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.table import show

DATA = os.environ.get("DABENCH", "../shared/data/dabench")
ANSWER = re.compile(r"@(\w+)\[(.*?)\]")
BLOCK_SECONDS = 60
QUESTION_SECONDS = 900
STEPS = 8
SEEN = {55, 59, 125, 133, 175}  # looked at before the questions were parted
SINGLE_SHOT = "You are a data analyst. Reply with one Python code block."


@dataclass
class Result:
    """How one question went."""

    identity: int
    right: bool
    kind: str
    seconds: float
    tokens: int
    blocks: int
    answer: str
    transcript: tuple[str, ...] = ()


def main(arguments=()):
    options = _options(arguments)
    data = Path(options.data)
    questions = _some(_part(_lines(data / "questions.jsonl"), options.part), options.n)
    labels = {line["id"]: line["common_answers"] for line in _lines(data / "labels.jsonl")}
    ways = {"single": single_shot, "ours": ours}
    chosen = [options.only] if options.only else ["single", "ours"]
    known = _known(options.log)
    results = {way: [] for way in chosen}
    first, step = map(int, options.share.split("/"))
    for question in questions[first - 1 :: step]:
        for way in chosen:
            result = known.get((way, question["id"]))
            if result is None:
                result = ways[way](question, data / "tables", labels[question["id"]])
                _note(way, result, results[way], options.log)
            results[way].append(result)
    _report(results)


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m bench.dabench")
    parser.add_argument("n", nargs="?", type=int, default=20)
    parser.add_argument("--only", choices=("single", "ours"))
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--part", choices=("development", "held-out"))
    parser.add_argument("--log")
    parser.add_argument("--share", default="1/1", help="2/3: the second of every three questions")
    return parser.parse_args(arguments)


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _part(questions, part):
    """Every other question is held out, but for those that were seen before."""
    held = {q["id"] for at, q in enumerate(questions) if at % 2 and q["id"] not in SEEN}
    return [q for q in questions if part is None or (q["id"] in held) == (part == "held-out")]


def _known(log):
    """The results that a log holds already, by way and question."""
    if not log or not Path(log).exists():
        return {}
    kept = _lines(Path(log))
    return {(one.pop("way"), one["identity"]): Result(**one) for one in kept}


def _some(questions, count):
    """As many questions, from all tables; fewer are always among more."""
    return random.Random(1).sample(questions, len(questions))[:count]


def _note(way, result, so_far, log):
    right = sum(one.right for one in (*so_far, result))
    said = f"{way:6} {result.identity:4} {result.kind:12} {result.seconds:5.0f} s"
    print(f"{said}  {right}/{len(so_far) + 1}", flush=True)
    if log:
        with Path(log).open("a") as file:
            file.write(json.dumps({"way": way, **vars(result)}) + "\n")


def _report(results):
    rows = [("way", "right", "of", "share", "s/question", "tokens/question", "blocks/question")]
    for way, each in results.items():
        count = len(each)
        right = sum(one.right for one in each)
        measures = ("seconds", "tokens", "blocks")
        means = [sum(getattr(one, name) for one in each) / count for name in measures]
        rows.append((way, right, count, f"{right / count:.0%}", *(f"{mean:.1f}" for mean in means)))
    show("DABench, built-in model", rows)
    if len(results) == 2 and sum(one.right for one in results["single"]):
        ratio = sum(o.right for o in results["ours"]) / sum(o.right for o in results["single"])
        print(f"  ratio ours / single shot: {ratio:.2f} (goal: 1.25)")
    for way, each in results.items():
        kinds = sorted({one.kind for one in each if not one.right})
        counts = ", ".join(f"{kind} {sum(one.kind == kind for one in each)}" for kind in kinds)
        print(f"  {way} failed by: {counts or 'nothing'}")


# The benchmark's own rule.


def judged(answer, labels):
    """Right, or the kind of failure."""
    given = dict(ANSWER.findall(answer))
    if not given:
        return "no answer"
    if any(name not in given for name, _ in labels):
        return "other names"
    return "right" if all(_equal(given[name], value) for name, value in labels) else "wrong value"


def _equal(given, wanted):
    try:
        return abs(float(given.replace(",", "")) - float(str(wanted).replace(",", ""))) < 1e-6
    except ValueError:
        return given.strip().lower() == str(wanted).strip().lower()


def _prompt(question):
    return (
        f"{question['question']}\n{question['constraints']}\n"
        f"The file is {question['file_name']}.\n"
        f"Give the answer in this format: {question['format']}"
    )


def _single_prompt(question, head):
    return (
        f"{question['question']}\n{question['constraints']}\n"
        f"The file is {question['file_name']}. Its first lines:\n{head}\n"
        "Write one Python block that computes the answer and prints it in this format: "
        f"{question['format']}"
    )


# The two ways.


def single_shot(question, tables, labels):
    from interpreter.protocol.events import ActionProposed, CodeDelta, TextDelta
    from interpreter.protocol.interrupt import Interrupt
    from interpreter.protocol.messages import user_says
    from interpreter.protocol.ports import Request

    start = time.perf_counter()
    with (tables / question["file_name"]).open(errors="replace") as file:
        head = "".join(line for _, line in zip(range(5), file, strict=False))[:1500]
    text = _single_prompt(question, head)
    model = _embedded()
    source, tokens = "", 0
    for event in model.stream(Request(SINGLE_SHOT, (user_says(text),)), Interrupt()):
        if isinstance(event, ActionProposed) and not source:
            source = getattr(event.action, "source", "")
        tokens += isinstance(event, CodeDelta | TextDelta)
    model.close()
    answer = _printed(source, tables)
    kind = judged(answer, labels)
    took = time.perf_counter() - start
    right = kind == "right"
    return Result(question["id"], right, kind, took, tokens, 1, answer, (text, source))


def _printed(source, tables):
    command = [sys.executable, "-c", source]
    try:
        ended = subprocess.run(
            command, cwd=tables, capture_output=True, text=True, timeout=BLOCK_SECONDS
        )
    except subprocess.TimeoutExpired:
        return ""
    return ended.stdout


def ours(question, tables, labels):
    from interpreter.protocol.events import (
        CodeDelta,
        ExecutionFinished,
        MessageFinished,
        TextDelta,
    )

    start = time.perf_counter()
    answer, blocks, tokens = "", 0, 0
    with _session(tables / question["file_name"]) as session:
        for event in session.send(_prompt(question)):
            if isinstance(event, MessageFinished) and event.message.role == "assistant":
                answer = event.message.text
            blocks += isinstance(event, ExecutionFinished)
            tokens += isinstance(event, CodeDelta | TextDelta)  # the engine sends one token a time
            if time.perf_counter() - start > QUESTION_SECONDS:
                session.interrupt()
        transcript = tuple(_words(message) for message in session.transcript)
    kind = judged(answer, labels)
    took = time.perf_counter() - start
    right = kind == "right"
    return Result(question["id"], right, kind, took, tokens, blocks, answer, transcript)


def _words(message):
    return f"{message.role}: " + "\n".join(str(part) for part in message.parts)


def _embedded():
    from interpreter.models.names import resolve
    from interpreter.models.options import ModelOptions

    return resolve("embedded", ModelOptions(context_window=8192))


@contextmanager
def _session(table):
    """A session of the built-in model, as a user has it, in a directory that holds the table."""
    from interpreter.assembly import SessionFactory
    from interpreter.protocol.actions import Decision
    from interpreter.protocol.ports import nobody_answers
    from interpreter.settings.settings import Settings

    with tempfile.TemporaryDirectory(prefix="dabench-") as workspace:
        shutil.copy(table, workspace)
        settings = Settings(
            model="embedded",
            auto_run=True,
            keep_history=False,
            workspace=workspace,
            context_window=8192,
            max_steps=STEPS,
        )
        factory = SessionFactory(settings, lambda request: Decision("yes"), nobody_answers)
        try:
            yield factory.open_session(settings)
        finally:
            factory.close()


if __name__ == "__main__":
    main(sys.argv[1:])
