"""The two ways to get an answer from one model: a single shot, and our interpreter."""

import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.small.cases import NO_ANSWER, RIGHT, TOUCHED, numbers_in, snapshot, touched

BLOCK_SECONDS = 60
QUESTION_SECONDS = 900
STEPS = 12  # programs on copies count, too
WARMTH = 0.2  # temperature with a seed; without one (0) the model is greedy, as it is shipped
DOUBT = re.compile(r"\((?:Not sure|Not computed|Careful):|^I could not", re.MULTILINE)
TOLD = "told: "  # beside an answer that is to be nothing but JSON, or a number
SINGLE_SHOT = "You are a data analyst. Reply with one Python code block."
HEAD_LINES, HEAD_CHARACTERS = 5, 1_500


@dataclass
class Result:
    """How one question went."""

    identity: str
    form: str
    way: str
    seed: int
    kind: str
    seconds: float
    tokens: int
    blocks: int
    sure: bool
    invented: bool
    answer: str
    transcript: tuple[str, ...] = ()

    @property
    def key(self):
        return (self.identity, self.form, self.way, self.seed)

    @property
    def right(self):
        return self.kind == RIGHT


def measured(case, way, seed):
    """One case, in a directory of its own."""
    with tempfile.TemporaryDirectory(prefix="small-") as name:
        directory = Path(name)
        case.prepare(directory)
        before = snapshot(directory)
        start = time.perf_counter()
        answer, tokens, blocks, transcript = WAYS[way](case, directory, seed)
        took = time.perf_counter() - start
        kind = case.judge(answer, directory)
        if touched(before, directory, case.may_change):
            kind = TOUCHED
    answer = answer.strip()
    told = "\n".join(one.removeprefix(TOLD) for one in transcript if one.startswith(TOLD))
    doubted = DOUBT.search(answer) or DOUBT.search(told)
    sure = kind not in (RIGHT, NO_ANSWER) and bool(answer) and not doubted
    known = {round(number, 6) for number in numbers_in("\n".join(transcript))}
    strange = [number for number in numbers_in(answer) if round(number, 6) not in known]
    return Result(
        case.identity, case.form, way, seed, kind, round(took, 1), tokens, blocks, sure,
        kind != RIGHT and bool(strange), answer[:2_000], transcript,
    )  # fmt: skip


def single_shot(case, directory, seed):
    """One reply to the question and the first lines of its files; its first block is run once."""
    from interpreter.protocol.events import ActionProposed, CodeDelta, TextDelta
    from interpreter.protocol.interrupt import Interrupt
    from interpreter.protocol.messages import user_says
    from interpreter.protocol.ports import Request

    wanted = "Write one Python block that does this and prints the answer."
    heads = _heads(case.ask, directory)
    if case.block_is:
        heads = f"{case.block_is}:\n{(directory / case.block_is).read_text()}"
        wanted = f"Write the whole file {case.block_is} as one Python block."
    text = f"{case.ask}\n{heads}\n{wanted}"
    model = _embedded(seed)
    source, tokens = "", 0
    for event in model.stream(Request(SINGLE_SHOT, (user_says(text),)), Interrupt()):
        if isinstance(event, ActionProposed) and not source:
            source = getattr(event.action, "source", "")
        tokens += isinstance(event, CodeDelta | TextDelta)
    model.close()
    if case.block_is and source:
        (directory / case.block_is).write_text(source)
    answer = "" if case.block_is else _printed(source, directory)
    return answer, tokens, 1, (text, source, answer)


def _heads(ask, directory):
    """The names of the files, and how those begin that are named."""
    names = sorted(path.name for path in directory.iterdir())
    told = [f"Files here: {', '.join(names[:20])}"]
    for name in names:
        path = directory / name
        if name in ask and path.is_file():
            text = path.read_bytes()[: 4 * HEAD_CHARACTERS].decode(errors="replace")
            head = "\n".join(text.splitlines()[:HEAD_LINES])[:HEAD_CHARACTERS]
            told.append(f"The first lines of {name}:\n{head}")
    return "\n".join(told)


def _printed(source, directory):
    try:
        ended = subprocess.run(
            [sys.executable, "-c", source],
            cwd=directory,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=BLOCK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return ""
    return ended.stdout


def without_grammar(case, directory, seed):
    """The same, but for the grammar that holds replies to their form."""
    return ours(case, directory, seed, grammar=False)


def ours(case, directory, seed, *, grammar=True):
    """A session of the built-in model, as a user has it."""
    from interpreter.protocol.events import CodeDelta, ExecutionFinished, MessageFinished, TextDelta

    start = time.perf_counter()
    answer, blocks, tokens = "", 0, 0
    told = []
    with _session(directory, seed, grammar, told.append) as session:
        for event in session.send(case.ask):
            if isinstance(event, MessageFinished) and event.message.role == "assistant":
                answer = event.message.text
            blocks += isinstance(event, ExecutionFinished)
            tokens += isinstance(event, CodeDelta | TextDelta)  # the engine sends one token a time
            if time.perf_counter() - start > QUESTION_SECONDS:
                session.interrupt()
        last = session.transcript[-1]
        answer = answer if last.role == "assistant" and not last.actions else ""
        transcript = tuple(_words(message) for message in session.transcript)
    transcript = transcript[:-1] if answer else transcript
    return answer, tokens, blocks, (*transcript, *(f"{TOLD}{text}" for text in told))


def _words(message):
    return f"{message.role}: " + "\n".join(str(part) for part in message.parts)


def _embedded(seed, *, grammar=True):
    from interpreter.models.names import resolve
    from interpreter.models.options import ModelOptions

    model = resolve("embedded", ModelOptions(grammar=grammar))
    return model.sampled(seed, WARMTH) if seed else model


@contextmanager
def _session(workspace, seed, grammar, notice):
    from interpreter.assembly import SessionFactory
    from interpreter.assembly.model_choice import FaceCallbacks
    from interpreter.models.small.model import SmallModel
    from interpreter.protocol.actions import Decision
    from interpreter.protocol.ports import nobody_answers
    from interpreter.settings.settings import Settings

    settings = Settings(
        model="embedded",
        auto_run=True,
        keep_history=False,
        workspace=str(workspace),
        max_steps=STEPS,
        grammar=grammar,
    )
    face = FaceCallbacks(notice=notice)
    factory = SessionFactory(settings, lambda request: Decision("yes"), nobody_answers, face)
    try:
        session = factory.open_session(settings)
        if seed:
            model = _embedded(seed, grammar=grammar)
            small = SmallModel(
                model,
                model.varied,
                model.drafts,
                together=model.drafts_together,
                notice=notice,
            )
            session.engine = replace(session.engine, model=small)
        yield session
    finally:
        factory.close()


WAYS = {"single": single_shot, "ours": ours, "free": without_grammar}
