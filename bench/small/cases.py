"""What is asked, and how an answer is judged: strictly, as a program would read it."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")
RIGHT, NO_ANSWER, WRONG, TOUCHED = "right", "no answer", "wrong value", "touched files"


@dataclass(frozen=True)
class Case:
    """One thing that somebody wants."""

    identity: str
    form: str
    ask: str
    prepare: Callable[[Path], None]
    """Puts the files into an empty directory."""
    judge: Callable[[str, Path], str]
    """RIGHT, or the kind of failure, by the answer and the directory afterwards."""
    may_change: tuple[str, ...] = ()
    """Patterns of files that may be different afterwards; all others may not."""
    block_is: str = ""
    """The file whose text the block of a single shot is, where it is not a program to be run."""


def numbers_in(text):
    """The numbers of a text, as they are written."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(text) if found.strip(",.")]


def equal(given, wanted):
    """Whether two values are the same: numbers as numbers, all else as text."""
    try:
        return abs(float(str(given).replace(",", "")) - float(str(wanted).replace(",", ""))) < 1e-6
    except ValueError:
        return str(given).strip().lower() == str(wanted).strip().lower()


def has_number(text, wanted, slack=1e-6):
    """Whether a text has a number, and no more of NumPy than a reader wants."""
    if "np." in text:
        return False
    return any(abs(number - wanted) <= slack for number in numbers_in(text))


def as_json(answer):
    """The value that an answer is; None where it is anything else than JSON."""
    try:
        return json.loads(answer.strip())
    except ValueError:
        return None


def snapshot(directory):
    """What every file of a directory holds."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def touched(before, directory, may_change):
    """The files that were there before, and are changed or gone without having been asked for."""
    after = snapshot(directory)
    different = [name for name, content in before.items() if after.get(name) != content]
    return [name for name in different if not any(Path(name).match(one) for one in may_change)]
