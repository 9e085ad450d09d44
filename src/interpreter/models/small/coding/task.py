"""A file of code that is to be changed: the model writes the whole file, and nothing else.

Small models err in patches, in quoting, and in saying what they did. So they are shown the file and
its tests, write all of the file anew, and the tests are run each time. Where the first one fails,
several others are written at once and tried where nothing lasts; one that passes is taken, else
several repairs of the best are tried in the same way, and again while each makes more tests pass.
Where that cannot be, it is repaired twice at most. A version is shown as a file and not as the
model's own reply, to which it would cling. Tests that the user does not name are looked for beside
the file. Of a file that is too long for one reply, the function that is meant, or that the failing
tests are about, is written anew in the same way; all else stays as it is. Where nothing that was
written passes more tests than the file did before, it is written back as it was.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from itertools import accumulate
from pathlib import PurePath

from interpreter.models.small.coding.mends import mended
from interpreter.models.small.coding.orders import file_to_change
from interpreter.models.small.coding.part import NAMES, Part
from interpreter.models.small.coding.programs import (
    AS_IT_IS,
    CHOOSE,
    CUTS_A_REPLY,
    FAIL,
    LOOK,
    PASS,
    PUT,
    TESTED,
    TRY,
    WRITE,
)
from interpreter.models.small.coding.versions import (
    FAILED,
    all_tried,
    best,
    failure_of,
    length_of_file,
    not_wanted,
    passed,
    result_of,
    score,
    stands,
    tests_in,
    text_shown,
    ways,
    without_result,
    written,
    written_text,
)
from interpreter.models.small.coding.whole import whole
from interpreter.models.small.rounds import Round
from interpreter.protocol.values import frozen

REPAIRS = 2
MOST_TRIES = 4  # of several files at once
A_TRY = 0.25  # of the room, for one of them
LONGEST = 3_000  # characters of a file that can be written as a whole, in one reply
SHOWN = 4_000  # characters of its tests
ALL_FAILED = 20_000  # of which the part to be changed is chosen
OUTLINE = 1_500  # characters of what else is in a long file
ASKED = 2_000  # characters of a request, in which a part may be named
NAMES_KNOWN = 2_000  # characters of the names that are in it
READ = 7_000  # characters that are printed of all this: of longer outputs the middle is left out

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
    original: str = ""
    """The file, or the part, as it was before."""
    result: str = ""
    """What came of the tests then."""

    @classmethod
    def of(cls, request: str) -> Coding | None:
        """Read it from a request that orders one file to be changed; None for all others."""
        found = file_to_change(request)
        return cls(*found, asked=request.partition("\n\n")[0][:ASKED]) if found else None

    def next_look(self, rounds: list[Round]) -> tuple[str, str] | None:
        """Code that shows the file and its tests, and of a long one what is to be changed, with
        words before it; None where that is known."""
        if not rounds:
            look = LOOK.format(shown=SHOWN, longest=LONGEST, most=READ)
            return self._tested(30) + look, "The file and its tests:\n"
        if len(rounds) == 1 and self.wants_a_part(rounds):
            return self.after_look(rounds)._choosing, "What is to be changed:\n"
        return None

    @property
    def _choosing(self) -> str:
        """Code that finds the part of the file that is to be changed, and shows it."""
        sizes = {"longest": LONGEST, "outline": OUTLINE, "shown": SHOWN, "failed": FAILED}
        before = self._tested(120, ALL_FAILED)
        return before + CHOOSE.format(
            asked=self.asked, cuts=CUTS_A_REPLY, names=NAMES_KNOWN, most=READ, **sizes
        )

    def after_look(self, rounds: list[Round]) -> Coding:
        """The same, with the tests that were found, and the part that was chosen."""
        look = rounds[0]
        found = replace(self, tests=self.tests or tests_in(look))
        if not self.wants_a_part(rounds):
            text = text_shown(look, self.name) or ""
            return replace(found, original=text, result=result_of(look))
        if not rounds[1:] or not (part := Part.of(rounds[1].printed)):
            return found
        now = replace(part, text=stands(rounds, part.text))
        return replace(found, part=now, original=part.text, result=result_of(rounds[1]))

    def is_read(self, rounds: list[Round]) -> bool:
        """Whether it is known how the file was."""
        looks = rounds[: 1 + self.wants_a_part(rounds)]
        return text_shown(looks[0], self.name) is not None and not looks[-1].failed

    def wants_a_part(self, rounds: list[Round]) -> bool:
        """Whether the file is too long to be written as a whole."""
        return length_of_file(rounds[0]) > LONGEST

    @property
    def what(self) -> str:
        """What is written, in words."""
        return f"{self.part.name} in {self.name}" if self.part else self.name

    def writing(self, text: str) -> str:
        """Code that writes this into the file, or in the place of the part, and runs the tests."""
        simple = "'''" not in text and not text.rstrip().endswith(("'", "\\"))
        literal = f"r'''{text}'''" if simple else repr(text)
        return self._tested(120) + PUT.format() + WRITE.format(text=literal, **self._putting)

    def trying(self, texts: tuple[str, ...]) -> str:
        """Code that tries others in the place of this one, each among what lies beside it."""
        return self._tested(30) + PUT.format() + TRY.format(ways=[*texts], **self._putting)

    def text_in(self, source: str) -> str:
        """What a reply has for the file, without slips, or for the part; nothing where it has
        none of that."""
        source = re.sub(r"\r\n?", "\n", source)
        if self.part:
            return self.part.fitted(source)
        return whole(self.original, mended(source).strip() + "\n", self.asked)

    @property
    def _putting(self) -> dict[str, str]:
        old = f", old={self.part.text!r}" if self.part else ""
        return {"old": old, "passing": PASS, "failing": FAIL}

    def _tested(self, seconds: int, failed: int = FAILED) -> str:
        return TESTED.format(
            name=self.name,
            tests=[*self.tests],
            seconds=seconds,
            failed=failed,
            as_it_is=AS_IT_IS,
            passing=PASS,
            failing=FAIL,
        )

    def wants_other_ways(self, rounds: list[Round]) -> bool:
        """Whether the first file has failed, and no others were tried yet, or no repairs, or the
        last ones made more tests pass than there were before."""
        tries = [at for at, one in enumerate(rounds) if ways(one)]
        held = sum(len(one.source) + len(one.output) for one in rounds) + self.room * A_TRY
        if (
            self.is_late
            or self._is_elsewhere
            or not_wanted(rounds)
            or len(written(rounds)) != 1
            or len(tries) >= MOST_TRIES
            or held > self.room
        ):
            return False
        most, before = (passed(best(some)[1]) for some in (rounds, rounds[: (tries or [0])[-1]]))
        return len(tries) < REPAIRS or most > before

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the file is not in the folder of which others can be tried in a copy."""
        path = PurePath(self.name)
        return path.is_absolute() or ".." in path.parts

    def to_write(self, rounds: list[Round]) -> str:
        """A version that is to be written: one that passed where nothing lasts, or, when all has
        failed, the best; and the original again, where none is better."""
        if not written(rounds):
            return ""
        last = written(rounds)[-1]
        text, output = best(rounds, self.original)
        is_over = self.is_over(rounds)
        if is_over and self.original.strip() and score(output) <= score(self.result):
            text = self.original
        elif not (output.endswith(PASS) or (is_over and passed(output) > passed(last.output))):
            return ""
        return "" if text in (written_text(last), stands(rounds, self.original)) else text

    def is_over(self, rounds: list[Round]) -> bool:
        """Whether the model has repaired it often enough, or knows no better."""
        texts = [written_text(one) for one in written(rounds)]
        tried = sum(bool(ways(one)) for one in rounds)
        if tried >= REPAIRS or (self.is_late and texts):
            return not self.wants_other_ways(rounds)
        return len(texts) > REPAIRS or len(set(texts)) < len(texts)

    def request(self, rounds: list[Round]) -> str:
        """What is added to the question: the files, and the best version with what is wrong with
        it, once others were tried."""
        if self.part is None:
            kind, name = "file", self.name
            added = ASK.format(files=without_result(rounds[0]).strip(), name=name)
        else:
            kind, name = "part", self.part.name
            files = NAMES.sub("", without_result(rounds[1])).strip()
            added = ASK_PART.format(files=files, name=self.name, part=name)
        for one in not_wanted(rounds):
            attempt = textwrap.dedent(written_text(one)).strip()
            added += WISH.format(attempt=attempt, wish=one.summary, kind=kind, name=name)
        if rounds[-1].overruled:
            return added
        attempt, output = best(rounds)
        if not attempt:
            return added
        told = output.removesuffix(FAIL).strip() or failure_of(written(rounds)[-1])
        attempt = textwrap.dedent(attempt).strip()
        return added + REPAIR.format(attempt=attempt, output=told, kind=kind, name=name)

    def new_ones(self, sources: tuple[str, ...], rounds: list[Round]) -> tuple[str, ...]:
        """What replies have for it, where that was not tried yet."""
        tried = {text for text, _ in all_tried(rounds)}
        files = dict.fromkeys(filter(None, map(self.text_in, sources)))
        new = [file for file in files if file not in tried]
        sizes = accumulate(map(len, new))
        return tuple(
            file for file, size in zip(new, sizes, strict=True) if size <= self.room * A_TRY
        )

    def is_to_begin_afresh(self, rounds: list[Round]) -> bool:
        """Whether other ways are to be independent of the first."""
        return not any(ways(one) for one in rounds)
