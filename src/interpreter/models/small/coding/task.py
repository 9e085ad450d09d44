"""A file of code that is to be changed: the model writes the whole file, and nothing else.

Small models err in patches, in quoting, and in saying what they did. So they are shown the file and
its tests, write all of the file anew, and the tests are run each time. Where the first one fails,
several others are written at once and tried where nothing lasts; one that passes is taken, else
several repairs of the best are tried in the same way, and again while each makes more tests pass.
Where that cannot be, it is repaired twice at most. A version is shown as a file and not as the
model's own reply, to which it would cling. Tests that the user does not name are looked for beside
the file. Of a file that is too long for one reply, the function that is meant, or that the failing
tests are about, is written anew in the same way; all else stays as it is.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import replace
from itertools import accumulate

from interpreter.models.small.coding.mends import mended
from interpreter.models.small.coding.orders import file_to_change
from interpreter.models.small.coding.part import NAMES, Part
from interpreter.models.small.coding.programs import (
    CHOOSE,
    CUTS_A_REPLY,
    FAIL,
    LOOK,
    PASS,
    PUT,
    PUT_FILE,
    PUT_PART,
    TESTED,
    TRY,
    WRITE,
)
from interpreter.models.small.rounds import Round
from interpreter.protocol.values import frozen

REPAIRS = 2
MOST_TRIES = 4  # of several files at once
A_TRY = 0.25  # of the room, for one of them
LONGEST = 3_000  # characters of a file that can be written as a whole, in one reply
SHOWN = 4_000  # characters of its tests
FAILED = 1_200  # characters of what failing tests print
ALL_FAILED = 20_000  # of which the part to be changed is chosen
OUTLINE = 1_500  # characters of what else is in a long file
ASKED = 2_000  # characters of a request, in which a part may be named
NAMES_KNOWN = 2_000  # characters of the names that are in it
READ = 7_000  # characters that are printed of all this: of longer outputs the middle is left out

OTHER_WAYS, THIS_ONE = "Other ways, to compare:\n", "The best of them:\n"
WAY = re.compile(r"^way (\d):$", re.MULTILINE)
PASSED = re.compile(r"(\d+) passed")
CODER = """\
You are an expert Python programmer. You write whole files that are complete and correct, and use \
the standard library.
"""
ASK = """\


{files}
Write the whole file {name} as one ```python block. It is saved for you, and the tests are run. \
Keep the names that the tests use. Write no tests."""
ASK_PART = """\


{files}
Write only {part} of {name} anew, whole, as one ```python block. It is put in the place of the old \
one for you, and the tests are run. Write nothing else of the file, and no tests."""
REPAIR = """\


This version of {name} fails:
```python
{attempt}
```
{output}

Find what is wrong with it, and write the whole {kind} {name} again, corrected."""
WISH = """\


The user did not want this version of {name}:
```python
{attempt}
```
The user said: {wish}

Write the whole {kind} {name} as the user wishes."""
SHORTER = """\
Your reply was too long and was cut off. Write a shorter one: compute what repeats itself, \
do not write it out."""
NO_FILE = "What the model wrote for {name} was too long, and cut off twice: it is not written."
NO_PART = "What the model wrote twice in a row is not {what}, and was not put there."
CUT_OFF = """\
{name} is as it was: the function that is to be changed holds a line of three backticks, at which \
this model's reply would end."""
FOUND = re.compile(r"^tests: (\[.*\])$", re.MULTILINE)
LENGTH = re.compile(r", (\d+) characters:$", re.MULTILINE)
TOO_LONG = """\
{name} has {length:,} characters, and this model can rewrite no more than {longest:,} at once: \
it is as it was. Name the function that is to be changed, if it is not longer than that, or take a \
larger model (see `models list`)."""
NO_TESTS = "{name} is written and compiles; there are no tests for it, so nothing else was tried."
NO_WAY = ("PermissionError", "IsADirectoryError", "FileNotFoundError", "OSError")
NOT_WANTED = "{name} is as it was."
NOT_WRITTEN = "{name} could not be written, and is as it was: {why}"
DONE = "{name} is written, and the tests in {tests} pass."
NOT_DONE = """\
{name} is written, but the tests in {tests} still fail. This is the best of {count} tried:

```text
{output}
```"""


@frozen
class Coding:
    """A file to be written, and the tests that it has to pass."""

    name: str
    tests: tuple[str, ...]
    room: int = 60_000
    """Characters that the conversation can hold: what was tried has to stay in it."""
    is_late: bool = False
    """Whether so much time has passed that nothing more is tried."""
    asked: str = ""
    """What the user said."""
    part: Part | None = None
    """The part that is written instead of the file, as it stands there now."""

    @classmethod
    def of(cls, request: str) -> Coding | None:
        """Read it from a request that orders one file to be changed; None for all others."""
        found = file_to_change(request)
        return cls(*found, asked=request.partition("\n\n")[0][:ASKED]) if found else None

    def next_look(self, rounds: list[Round]) -> tuple[str, str] | None:
        """Code that shows the file and its tests, and of a long one what is to be changed, with
        words before it; None where that is known."""
        if not rounds:
            tests = [*self.tests]
            look = LOOK.format(name=self.name, tests=tests, shown=SHOWN, longest=LONGEST)
            return look, "The file and its tests:\n"
        if len(rounds) == 1 and self.wants_a_part(rounds):
            return self.after_look(rounds)._choosing, "What is to be changed:\n"
        return None

    @property
    def _choosing(self) -> str:
        """Code that finds the part of the file that is to be changed, and shows it."""
        sizes = {"longest": LONGEST, "outline": OUTLINE, "shown": SHOWN, "failed": FAILED}
        before = self._tested(120, ALL_FAILED)
        return f"{before}file, tests = {self.name!r}, {[*self.tests]}\n" + CHOOSE.format(
            asked=self.asked, cuts=CUTS_A_REPLY, names=NAMES_KNOWN, most=READ, **sizes
        )

    def after_look(self, rounds: list[Round]) -> Coding:
        """The same, with the tests that were found, and the part that was chosen."""
        found = FOUND.search(rounds[0].output)
        names = re.findall(r"[\w./-]+\.py", found[1]) if found else []
        part = Part.of(rounds[1].output) if self.wants_a_part(rounds) and rounds[1:] else None
        if part is not None:
            put = [written_text(one) for one in _written(rounds) if not one.failed]
            part = replace(part, text=put[-1] if put else part.text)
        return replace(self, tests=self.tests or tuple(names), part=part)

    def wants_a_part(self, rounds: list[Round]) -> bool:
        """Whether the file is too long to be written as a whole."""
        return _length(rounds) > LONGEST

    @property
    def what(self) -> str:
        """What is written, in words."""
        return f"{self.part.name} in {self.name}" if self.part else self.name

    def writing(self, source: str) -> str:
        """Code that writes the file, or the part, and runs the tests."""
        text = self.text_in(source)
        simple = "'''" not in text and not text.rstrip().endswith(("'", "\\"))
        literal = f"r'''{text}'''" if simple else repr(text)
        put = self._putting(f"Path({self.name!r})", literal)
        return self._prepared(120) + WRITE.format(put=put, passing=PASS, failing=FAIL)

    def trying(self, ways: tuple[str, ...]) -> str:
        """Code that tries others in the place of this one, each among what lies beside it."""
        return self._prepared(30) + TRY.format(
            ways=[self.text_in(way) for way in ways],
            name=self.name,
            put=self._putting("file", "source"),
            passing=PASS,
            failing=FAIL,
        )

    def text_in(self, source: str) -> str:
        """What a reply has for the file, without slips, or for the part, if it has that."""
        return self.part.fitted(source) if self.part else mended(source).strip() + "\n"

    def _putting(self, file: str, source: str) -> str:
        old = self.part.text if self.part else ""
        return (PUT_PART if self.part else PUT_FILE).format(file=file, old=repr(old), source=source)

    def _prepared(self, seconds: int) -> str:
        return self._tested(seconds) + (PUT.format(name=self.name) if self.part else "")

    def _tested(self, seconds: int, failed: int = FAILED) -> str:
        tests = ", ".join(map(repr, self.tests))
        return TESTED.format(name=self.name, test=tests, seconds=seconds, failed=failed)

    def wants_other_ways(self, rounds: list[Round]) -> bool:
        """Whether the first file has failed, and no others were tried yet, or no repairs, or the
        last ones made more tests pass than there were before."""
        tries = [at for at, one in enumerate(rounds) if _ways(one)]
        held = sum(len(one.source) + len(one.output) for one in rounds) + self.room * A_TRY
        if (
            self.is_late
            or _not_wanted(rounds)
            or len(_written(rounds)) != 1
            or len(tries) >= MOST_TRIES
            or held > self.room
        ):
            return False
        return len(tries) < REPAIRS or _most(rounds) > _most(rounds[: tries[-1]])

    def to_write(self, rounds: list[Round]) -> str:
        """A file that was tried before and is to be written: one that passed where nothing lasts,
        or, when all has failed, the one of which most passed."""
        best, output = _best(rounds)
        written = [written_text(one) for one in _written(rounds)]
        if best in written[-1:] or not written:
            return ""
        better = self._is_over(rounds) and _passed(output) > _passed(_written(rounds)[-1].output)
        return best if better or output.endswith(PASS) else ""

    def _is_over(self, rounds: list[Round]) -> bool:
        """Whether the model has repaired it often enough, or knows no better."""
        texts = [written_text(one) for one in _written(rounds)]
        tried = sum(bool(_ways(one)) for one in rounds)
        if tried >= REPAIRS or (self.is_late and texts):
            return not self.wants_other_ways(rounds)
        return len(texts) > REPAIRS or len(set(texts)) < len(texts)

    def answer(self, rounds: list[Round]) -> str:
        """What the user is told, when it is done or cannot be; nothing while it goes on."""
        written = _written(rounds)
        tests = ", ".join(self.tests)
        if self.wants_a_part(rounds) and self.part is None:
            if CUTS_A_REPLY in rounds[-1].output:
                return CUT_OFF.format(name=self.name)
            return TOO_LONG.format(name=self.name, length=_length(rounds), longest=LONGEST)
        if written and written[-1].output.strip().endswith(PASS):
            return (DONE if tests else NO_TESTS).format(name=self.what, tests=tests)
        if len(_not_wanted(rounds)) > 1:
            return NOT_WANTED.format(name=self.name)
        if written and written[-1].summary.startswith(NO_WAY):  # no other content would help
            return NOT_WRITTEN.format(name=self.name, why=written[-1].summary)
        if not self._is_over(rounds) or self.to_write(rounds):
            return ""
        output = failure_of(written[-1])
        count = len({text for text, _ in _all_tried(rounds)})
        return NOT_DONE.format(name=self.what, tests=tests, count=count, output=output)

    def request(self, rounds: list[Round]) -> str:
        """What is added to the question: the files, and the best version with what is wrong with
        it, once others were tried."""
        if self.part is None:
            kind, name = "file", self.name
            added = ASK.format(files=rounds[0].output.strip(), name=name)
        else:
            kind, name = "part", self.part.name
            files = NAMES.sub("", rounds[1].output).strip()
            added = ASK_PART.format(files=files, name=self.name, part=name)
        for one in _not_wanted(rounds):
            attempt = textwrap.dedent(written_text(one)).strip()
            added += WISH.format(attempt=attempt, wish=one.summary, kind=kind, name=name)
        if rounds[-1].overruled:
            return added
        attempt, output = _best(rounds)
        if not attempt:
            return added
        told = output.removesuffix(FAIL).strip() or failure_of(_written(rounds)[-1])
        attempt = textwrap.dedent(attempt).strip()
        return added + REPAIR.format(attempt=attempt, output=told, kind=kind, name=name)

    def new_ones(self, sources: tuple[str, ...], rounds: list[Round]) -> tuple[str, ...]:
        """Files, without slips, or parts, that were not tried yet."""
        tried = {text for text, _ in _all_tried(rounds)}
        files = dict.fromkeys(filter(None, map(self.text_in, sources)))
        new = [file for file in files if file not in tried]
        sizes = accumulate(map(len, new))
        return tuple(
            file for file, size in zip(new, sizes, strict=True) if size <= self.room * A_TRY
        )

    def is_to_begin_afresh(self, rounds: list[Round]) -> bool:
        """Whether other ways are to be independent of the first."""
        return not any(_ways(one) for one in rounds)


def _length(rounds: list[Round]) -> int:
    """The characters of the file."""
    found = LENGTH.search(rounds[0].output)
    return int(found[1]) if found else 0


def _written(rounds: list[Round]) -> list[Round]:
    return [one for one in rounds if not one.to_compare and written_text(one)]


def _not_wanted(rounds: list[Round]) -> list[Round]:
    """Versions that the user declined to have written."""
    return [one for one in _written(rounds) if one.overruled and one.failed]


def _best(rounds: list[Round]) -> tuple[str, str]:
    """The file of which most tests passed, and what they printed; the first of such files."""
    tried = _all_tried(rounds)
    return max(tried, key=lambda way: (way[1].endswith(PASS), _passed(way[1])), default=("", ""))


def _most(rounds: list[Round]) -> int:
    """How many tests pass with the best file."""
    return _passed(_best(rounds)[1])


def _all_tried(rounds: list[Round]) -> list[tuple[str, str]]:
    written = [(written_text(one), one.output.strip()) for one in _written(rounds)]
    return [*written, *(way for one in rounds for way in _tried(one))]


def _ways(one: Round) -> list[str]:
    """The files that a block tries."""
    try:
        nodes = ast.parse(one.source).body if one.to_compare else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in nodes:
        match node:
            case ast.Assign([ast.Name("WAYS")], ast.List(ways)):
                values = [way.value for way in ways if isinstance(way, ast.Constant)]
                return [value for value in values if isinstance(value, str)]
    return []


def _tried(one: Round) -> list[tuple[str, str]]:
    """The files that a block tried, each with what its tests printed."""
    ways, (_, *told) = _ways(one), WAY.split(one.output)
    outputs = dict(zip(map(int, told[::2]), told[1::2], strict=True))
    return [(way, outputs[at].strip()) for at, way in enumerate(ways) if at in outputs]


def _passed(output: str) -> int:
    """How many tests passed, by what is said at their end."""
    found = PASSED.findall(output)
    return int(found[-1]) if found else 0


def written_text(one: Round) -> str:
    """The text that a block writes into its file, or puts there; nothing where it writes none."""
    try:
        nodes = list(ast.walk(ast.parse(one.source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(attr="write_text"), [ast.Constant(str(text))]):
                return text
            case ast.Call(ast.Name("put"), [_, _, ast.Constant(str(text))]):
                return text
    return ""


def failure_of(one: Round) -> str:
    """What failing tests printed, or why they did not run."""
    printed = one.output.strip().removesuffix(FAIL).strip()
    return printed or one.summary or one.errors.strip()[-FAILED:]
