"""Programs on copies of the files: what each would change, and which of them to believe.

A small model that is to rename, clean or write something errs as often as one that is asked
something. What several programs make of a copy can be compared, as what they print can.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from interpreter.models.small.checks.conditions import (
    FILE_NOT_WRITTEN,
    LEFT_OUT,
    changed_originals,
    conditions_left_out,
    not_written,
)
from interpreter.models.small.checks.sources import does_not_take
from interpreter.models.small.checks.written_files import trouble_in
from interpreter.models.small.rounds import Round
from interpreter.models.small.words import (
    DELETES,
    NOT_WRITTEN,
    WOULD_DELETE,
    file_to_write,
    is_about_files,
    keeps_files,
)
from interpreter.protocol.values import frozen

# As inside/files/on_a_copy.py writes it.
CHANGED = re.compile(r"^It would change:\n", re.MULTILINE)
CHANGE = re.compile(r"^(added|modified|deleted) (.+) ([0-9a-f]{10})$", re.MULTILINE)
HOLDS = r"^{name} would hold:\n((?:\| .*\n)*)"

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

    changes: tuple[tuple[str, str, str], ...]
    """What it did to which file, and a mark that is equal for equal contents."""
    one: Round
    """The program, as if it had run in earnest: what it printed, and the files that it changed."""
    told: str
    """What was told of its changes."""
    gone: tuple[str, ...] = ()
    """Names that are there no more: of what was deleted or renamed."""

    @classmethod
    def of(cls, one: Round) -> Rehearsal | None:
        """Read it from a block that ran; None where it failed, or ran on no copy."""
        *printed, told = CHANGED.split(f"{one.output}\n")
        if not one.on_copy or one.failed or not printed:
            return None
        found = CHANGE.findall(told.partition(" would hold:\n")[0])
        changes = _with_renames(found)
        files = tuple(f"{kind} {name}" for kind, name, _ in changes)
        gone = tuple(name for kind, name, _ in found if kind == "deleted")
        return cls(changes, replace(one, output=printed[0].strip(), files=files), told, gone)

    def trouble(self, question: str) -> str:
        """What is wrong with it, in words for the model; nothing where all is well."""
        files, name = self.one.files, file_to_write(question)
        if names := not_written(question, files, name):
            return FILE_NOT_WRITTEN.format(names=names)
        if not files and is_about_files(question):
            return NOT_WRITTEN
        if unread := does_not_take(question, self.one.source, name):
            return NOT_READ.format(files=" and ".join(unread))
        if keeps_files(question) and any(kind == "deleted" for kind, _, _ in self.changes):
            return DELETES
        if spoilt := changed_originals(question, files):
            return CHANGES_MUCH.format(names=spoilt)
        if left_out := conditions_left_out(question, self.one):
            return LEFT_OUT.format(conditions=left_out)
        held = self.holds(name.removeprefix("./")) if name else None
        return "" if held is None else trouble_in(question, held, replace(self.one, output=held))

    def holds(self, name: str) -> str | None:
        """What a file would hold; None where that was not told."""
        found = re.search(HOLDS.format(name=re.escape(name)), self.told, re.MULTILINE)
        return None if found is None else re.sub(r"^\| ", "", found[1], flags=re.MULTILINE)

    def harm(self, question: str) -> str:
        """What it would do to files that are to stay, in words for the user; nothing for none."""
        if keeps_files(question) and any(kind == "deleted" for kind, _, _ in self.changes):
            return WOULD_DELETE
        spoilt = changed_originals(question, self.one.files)
        return WOULD_SPOIL.format(names=spoilt) if spoilt else ""

    def not_named(self, question: str) -> list[str]:
        """The files it would change that were there before, and that nobody named."""
        words = question.partition("\n\n")[0].casefold()
        changed = [name for kind, name, _ in self.changes if kind == "modified"]
        return [name for name in (*changed, *self.gone) if not _is_named(name, words)]


@frozen
class Comparison:
    """Which of the programs that were tried is to be carried out."""

    best: str = ""
    """One against which nothing speaks, and that most of the others agree with; or none."""
    votes: int = 0
    others: int = 0
    """How many did something else, against which nothing speaks either."""

    @property
    def is_agreed(self) -> bool:
        """Whether another program did the same."""
        return self.votes >= ENOUGH


def compared(question: str, rounds: Sequence[Round]) -> Comparison:
    """Compare what programs did to their copies."""
    tried = [one for one in map(Rehearsal.of, rounds) if one is not None]
    good = [one for one in tried if not one.trouble(question)]
    votes = [sum(other.changes == one.changes for other in good) for one in good]
    if not good:
        return Comparison()
    most = max(votes)
    return Comparison(good[votes.index(most)].one.source.strip(), most, len(good) - most)


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


def _with_renames(changes: Sequence[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    """A file that is gone and there under another name was renamed, not deleted."""
    came = Counter(mark for kind, _, mark in changes if kind == "added")
    went = Counter(mark for kind, _, mark in changes if kind == "deleted")
    gone = {mark for mark, count in went.items() if count <= came[mark]}
    return tuple(
        ("renamed" if kind == "added" and mark in gone else kind, name, mark)
        for kind, name, mark in changes
        if not (kind == "deleted" and mark in gone)
    )
