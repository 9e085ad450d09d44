"""Programs on copies of the files: what each would change, and which of them to believe.

A small model that is to rename, clean or write something errs as often as one that is asked
something. What several programs make of a copy can be compared, as what they print can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from interpreter.models.small.checks.conditions import LEFT_OUT, conditions_left_out
from interpreter.models.small.checks.named_files import (
    FILE_NOT_WRITTEN,
    changed_originals,
    not_written,
)
from interpreter.models.small.checks.sources import does_not_take
from interpreter.models.small.checks.written_files import SHOWN, trouble_in
from interpreter.models.small.prompts.words import DELETES, NOT_WRITTEN, WOULD_DELETE
from interpreter.models.small.rounds import Round
from interpreter.models.small.wanted import file_to_write, is_about_files, keeps_files
from interpreter.protocol.values import frozen

# As inside/files/on_a_copy.py writes it.
TRIED = "\nTried on a copy:\n"
CHANGED = "It would change:\n"
CHANGE = re.compile(r"^(added|renamed|modified|deleted|gone) (.+)$", re.MULTILINE)
IN_ALL = re.compile(r"^In all: (\d+) old and \d+ new, (\d+) lost, mark (\w+)\s*\Z", re.MULTILINE)
HOLDS = r"^{name} would (hold|begin with):\n((?:\|.*\n)*)"
NEW = ("added", "renamed")

NOT_READ = """\
The program does not read {files}, of which the file is to be made. Open it, and write what comes \
of what it holds. Write the whole ```python block again."""
CHANGES_MUCH = "It changes {names}, which are to stay as they are. Write the whole block again."
WOULD_SPOIL = "I could not do this: the programs would change {names}, which is to stay as it is."
NOT_AGREED = """\
I did not do this: no two of the programs that I tried on copies would do the same to {names}, \
which you did not name, so all files are as they were. Say more exactly what is to happen to which \
files."""
NOT_AS_ASKED = """\
I did not do this: none of the programs that I tried on copies did all that you asked for{missed}, \
and they would have changed {names}, which you did not name, so all files are as they were. Say \
more exactly what is to happen to which files."""
FEW = 3  # names that are told
ENOUGH = 2  # programs that agree
IN_DOUBT = "\n\n(Not sure: other programs for this would have changed the files in another way.)"


@frozen
class Rehearsal:
    """What a program did on a copy."""

    mark: str
    """Equal where two programs did the same to all files."""
    one: Round
    """The program, as if it had run in earnest: what it printed, and the files that it changed."""
    told: str
    """What was told of its changes."""
    changed: tuple[str, ...] = ()
    """Names of what was there before and is changed, deleted or called otherwise; of many, not all,
    and how many more there are."""
    deletes: bool = False
    """Whether something is gone that is there under no other name."""

    @classmethod
    def of(cls, one: Round) -> Rehearsal | None:
        """Read it from a block that ran; None where it failed, or ran on no copy."""
        in_all = IN_ALL.search(one.output)
        if not one.on_copy or one.failed or in_all is None:
            return None
        printed, _, told = f"\n{one.output}".rpartition(TRIED)
        *_, listed = told.split(CHANGED)
        found = CHANGE.findall(listed) if CHANGED in told else []
        changed = [name for kind, name in found if kind not in NEW]
        if (more := int(in_all[1]) - len(changed)) > 0:
            changed.append(f"{more} more files")
            found.append(("modified", changed[-1]))
        files = tuple(f"{kind} {name}" for kind, name in found if kind != "gone")
        as_if = replace(one, output=printed.strip(), files=files)
        return cls(in_all[3], as_if, told, tuple(changed), in_all[2] != "0")

    def trouble(self, question: str) -> str:
        """What is wrong with it, in words for the model; nothing where all is well."""
        files, name = self.one.files, file_to_write(question)
        if names := not_written(question, files, name):
            return FILE_NOT_WRITTEN.format(names=names)
        if not files and is_about_files(question):
            return NOT_WRITTEN
        if unread := does_not_take(question, self.one.source, name):
            return NOT_READ.format(files=" and ".join(unread))
        if keeps_files(question) and self.deletes:
            return DELETES
        if spoilt := changed_originals(question, files):
            return CHANGES_MUCH.format(names=spoilt)
        if left_out := conditions_left_out(question, self.one):
            return LEFT_OUT.format(conditions=left_out)
        held = self.holds(name)
        return "" if held is None else trouble_in(question, held, replace(self.one, output=held))

    def holds(self, name: str) -> str | None:
        """What a file would hold; None where that was not told. What is only its beginning is made
        as long as what is taken for one."""
        found = self._told_of(name)
        if found is None:
            return None
        text = re.sub(r"^\| ?", "", found[2], flags=re.MULTILINE)
        if found[1] == "hold":
            return text
        return text.rstrip("\n").ljust(SHOWN) if text.count("\n") > 1 else None

    def tells_all_of(self, name: str) -> bool:
        """Whether all that a file would hold was told."""
        found = self._told_of(name)
        return found is not None and found[1] == "hold"

    def _told_of(self, name: str) -> re.Match[str] | None:
        escaped = re.escape(name.removeprefix("./"))
        return re.search(HOLDS.format(name=escaped), self.told, re.MULTILINE) if name else None

    def harm(self, question: str) -> str:
        """What it would do to files that are to stay, in words for the user; nothing for none."""
        if keeps_files(question) and self.deletes:
            return WOULD_DELETE
        spoilt = changed_originals(question, self.one.files)
        return WOULD_SPOIL.format(names=spoilt) if spoilt else ""

    def not_named(self, question: str) -> list[str]:
        """The files it would change that were there before, and that nobody named."""
        words = question.partition("\n\n")[0].casefold()
        return [name for name in self.changed if not _is_named(name, words)]


@frozen
class Comparison:
    """Which of the programs that were tried is to be carried out."""

    best: str = ""
    """One against which nothing speaks, and that most of the others agree with; or none."""
    votes: int = 0
    others: int = 0
    """How many did something else, against which nothing speaks either."""
    tells_the_file: bool = False
    """Whether all is known that would be in the file that the request names."""

    @property
    def is_agreed(self) -> bool:
        """Whether another program did the same."""
        return self.votes >= ENOUGH


def compared(question: str, rounds: Sequence[Round]) -> Comparison:
    """Compare what programs did to their copies."""
    tried = [one for one in map(Rehearsal.of, rounds) if one is not None]
    good = [one for one in tried if not one.trouble(question)]
    votes = [sum(other.mark == one.mark for other in good) for one in good]
    if not good:
        return Comparison()
    most = max(votes)
    best = good[votes.index(most)]
    tells = best.tells_all_of(file_to_write(question))
    return Comparison(best.one.source.strip(), most, len(good) - most, tells)


def refusal(question: str, rounds: Sequence[Round], names: str) -> str:
    """Why files that nobody named were not changed: no program was right, or no two were alike."""
    if compared(question, rounds).best:
        return NOT_AGREED.format(names=names)
    tried = [one for one in map(Rehearsal.of, rounds) if one is not None]
    missed = conditions_left_out(question, tried[0].one) if tried else ""
    said = f" (you said {missed}, and they do not use that)" if missed else ""
    return NOT_AS_ASKED.format(missed=said, names=names)


def in_doubt(question: str, rounds: Sequence[Round]) -> str:
    """What the user is told where programs did different things, and no two the same."""
    found = compared(question, rounds)
    return IN_DOUBT if found.others and not found.is_agreed else ""


def _is_named(name: str, words: str) -> bool:
    """Whether a file is spoken of: `settings.json`, or the settings file."""
    stem = name.rpartition("/")[2].casefold().partition(".")[0]
    return bool(stem) and re.search(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", words) is not None
