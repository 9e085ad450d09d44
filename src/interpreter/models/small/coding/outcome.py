"""What the user is told of a file, when it is written, or cannot be."""

from __future__ import annotations

from interpreter.models.small.coding.programs import CUTS_A_REPLY, FAIL, PASS
from interpreter.models.small.coding.task import LONGEST, Coding
from interpreter.models.small.coding.versions import (
    all_tried,
    best,
    failure_of,
    length_of_file,
    not_wanted,
    stands,
    written,
)
from interpreter.models.small.rounds import Round

NO_FILE = "What the model wrote for {name} was too long, and cut off twice: it is not written."
NO_PART = "What the model wrote twice in a row is not {what}, and was not put there."
CUT_OFF = """\
{name} is as it was: the function that is to be changed holds a line of three backticks, at which \
this model's reply would end."""
TOO_LONG = """\
{name} has {length:,} characters, and this model can rewrite no more than {longest:,} at once: \
it is as it was. Name the function that is to be changed, if it is not longer than that, or take a \
larger model (see `models list`)."""
NO_WAY = ("PermissionError", "IsADirectoryError", "FileNotFoundError", "OSError", "LookupError")
"""Why no other content could be written either."""
NOT_READ = "{name} could not be looked at, and is as it was: {why}"
NOT_WRITTEN = "{name} could not be written, and is as it was: {why}"
AS_IT_WAS = "{name} is as it was."
AS_WRITTEN_LAST = "{name} is as it was written last."
DONE = "{what} is written, and the tests in {tests} pass."
NO_TESTS = "{what} is written and compiles; there are no tests for it, so nothing else was tried."
NO_CHANGE = "{name} is as it was: what the model wrote for it is the same."
NOT_BETTER = (
    "{name} is as it was: nothing that was written for it passes more of the tests in {tests}."
)
NOT_COMPILED = "{name} is as it was: nothing that was written for it compiles."
NOT_DONE = "{what} is written, but the tests in {tests} still fail."
BROKEN = "{what} is written, but does not compile."
THE_BEST = """\
 This is the best of {count} tried:

```text
{output}
```"""


def outcome(coding: Coding, rounds: list[Round]) -> str:
    """What the user is told, when it is done or cannot be; nothing while it goes on."""
    told = _without_a_file(coding, rounds)
    if told or not written(rounds):
        return told
    last, now = written(rounds)[-1], stands(rounds, coding.original)
    passes = not last.failed and last.output.strip().endswith(PASS)
    names = {"name": coding.name, "what": coding.what, "tests": ", ".join(coding.tests)}
    if passes and now != coding.original:
        return (DONE if coding.tests else NO_TESTS).format(**names)
    if passes and not _others(coding, rounds):
        return NO_CHANGE.format(**names)
    if len(not_wanted(rounds)) > 1:
        return (AS_IT_WAS if now == coding.original else AS_WRITTEN_LAST).format(**names)
    is_done = passes or last.summary.startswith(NO_WAY)
    if not is_done and (not coding.is_over(rounds) or coding.to_write(rounds)):
        return ""
    if all(one.failed for one in written(rounds)):
        return NOT_WRITTEN.format(**names, why=last.summary)
    if now == coding.original:
        said = NOT_BETTER if coding.tests else NOT_COMPILED
    else:
        said = NOT_DONE if coding.tests else BROKEN
    return said.format(**names) + _the_best(coding, rounds)


def _without_a_file(coding: Coding, rounds: list[Round]) -> str:
    """Why the file cannot be written by this model, where nothing has to be tried for that."""
    if not coding.is_read(rounds):
        return NOT_READ.format(name=coding.name, why=rounds[-1].summary or "it was not shown.")
    if not coding.wants_a_part(rounds) or coding.part is not None:
        return ""
    if CUTS_A_REPLY in rounds[-1].output:
        return CUT_OFF.format(name=coding.name)
    length = length_of_file(rounds[0])
    return TOO_LONG.format(name=coding.name, length=length, longest=LONGEST)


def _others(coding: Coding, rounds: list[Round]) -> set[str]:
    """What was tried instead of the file as it was."""
    return {text for text, _ in all_tried(rounds)} - {coding.original}


def _the_best(coding: Coding, rounds: list[Round]) -> str:
    _, output = best(rounds, coding.original)
    output = output.removesuffix(FAIL).strip() or failure_of(written(rounds)[-1])
    return THE_BEST.format(count=len(_others(coding, rounds)), output=output)
