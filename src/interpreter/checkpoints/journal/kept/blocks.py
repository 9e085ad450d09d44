"""What a block did to files, on disk: an ordered log, and what the files were before."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from interpreter.checkpoints.journal.kept.trees import FileState, TreePlace

Kind = Literal[
    "create",  # a name appeared
    "mkdir",  # a directory appeared
    "write",  # a file was opened for writing; the image is its content before
    "unlink",  # a name went; the image is what it was
    "rmdir",  # a directory went
    "gone",  # a name went that this block had made or kept before: nothing to keep
    "rename",  # from `place` to `other`; the mode says whether it is a directory
    "exchange",  # `place` and `other` were swapped
    "meta",  # mode, owner or time changed; they are kept here
    "attributes",  # of a directory, extended ones; the image has them
    "times",  # names of a directory are about to change for the first time; its own is kept here
    "nothing",  # a step whose reversal found nothing to do
]


_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_TAIL = 1 << 16
_MOVES = (b'["rename"', b'["exchange"')
_quote = json.encoder.encode_basestring_ascii


class JournalStep(NamedTuple):
    """One change, written down before it happens, with all that is needed to reverse it."""

    kind: Kind
    place: TreePlace
    other: TreePlace | None = None
    image: str = ""
    mode: int = 0
    user: int = -1
    group: int = -1
    inode: int = 0
    time: int = 0
    """Of `write`, when the file's inode last changed; of all else, when the content did."""

    def line(self) -> bytes:
        """The step as a line of the log; by hand, since every change of a file waits for it."""
        root, path = self.place
        other = f"[{self.other.root},{_quote(self.other.path)}]" if self.other else "null"
        rest = f'"{self.image}",{self.mode},{self.user},{self.group},{self.inode},{self.time}'
        return f'["{self.kind}",[{root},{_quote(path)}],{other},{rest}]\n'.encode()


def step_from(line: str) -> JournalStep:
    """A step from a line of the log."""
    kind, place, other, *rest = json.loads(line)
    return JournalStep(kind, TreePlace(*place), TreePlace(*other) if other else None, *rest)


@dataclass(slots=True)
class BlockFacts:
    """What is known of a block beside its log."""

    label: str = ""
    created: float = 0.0
    ended: bool = False
    noted: int = 0
    ends: list[tuple[TreePlace, FileState | None]] = field(default_factory=list)
    directories: list[tuple[TreePlace, int, int]] = field(default_factory=list)
    """Inode and time of the directories whose names have changed; at first, of those that will."""
    foreign: list[TreePlace] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class BlockDirectory:
    """The directory of one block: `log`, `facts.json`, and images by number."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name.partition(".")[0]
        """The name the block goes by."""
        self.facts = BlockFacts()
        self._log: int | None = None
        self._images = 0
        self._moves: list[JournalStep] | None = None

    @classmethod
    def make(cls, path: Path, facts: BlockFacts) -> BlockDirectory:
        """A new, empty block."""
        path.mkdir(mode=0o700, parents=True)
        block = cls(path)
        block.facts = facts
        try:
            block.save()
        except OSError:
            block.discard()
            raise
        return block

    @classmethod
    def load(cls, path: Path) -> BlockDirectory:
        """A block from the disk, finished or not."""
        block = cls(path)
        try:
            block.facts = _facts(json.loads((path / "facts.json").read_text()))
        except (OSError, ValueError, TypeError):
            block.facts = BlockFacts(created=path.stat().st_mtime)
        block._images = max((int(n) for n in os.listdir(path) if n.isdigit()), default=0)
        return block

    def save(self) -> None:
        """Write the facts, whole or not at all."""
        fresh = f"{self.path}/facts.new"
        plain = {name: getattr(self.facts, name) for name in BlockFacts.__slots__}
        with open(fresh, "wb", 0) as file:
            whole = _encode(plain).encode()
            if file.write(whole) < len(whole):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.replace(fresh, f"{self.path}/facts.json")

    def add(self, step: JournalStep) -> None:
        """Append to the log: the step is on record when this returns, even if we are killed."""
        if self._log is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._log = os.open(self.path / "log", flags, 0o600)
            _cut_to_whole_lines(self._log)
        line = step.line()
        self._moves = None if line.startswith(_MOVES) else self._moves
        if os.write(self._log, line) < len(line):
            _cut_to_whole_lines(self._log)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def steps(self) -> Iterator[JournalStep]:
        """The log, oldest first; a last line cut short by a kill was never acted upon."""
        with contextlib.suppress(FileNotFoundError), (self.path / "log").open() as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield step_from(line)

    def moves(self) -> list[JournalStep]:
        """The steps by which what lies below a name got another one, oldest first."""
        if self._moves is None:
            self._moves = []
            with contextlib.suppress(FileNotFoundError), (self.path / "log").open("rb") as lines:
                moves = (line for line in lines if line.startswith(_MOVES))
                self._moves += [step_from(line.decode()) for line in moves if line[-1:] == b"\n"]
        return self._moves

    def new_image(self) -> str:
        """A name for the next image."""
        self._images += 1
        return str(self._images)

    def image(self, name: str) -> str:
        """Where an image is."""
        return f"{self.path}/{name}"

    def size(self) -> int:
        """The bytes that the block keeps on the disk."""
        return _size(str(self.path))

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def discard(self) -> None:
        """Remove the block and give its space back."""
        self.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _cut_to_whole_lines(log: int) -> None:
    """Remove a last line that a kill or a full disk cut short, or the next would be part of it."""
    size = os.fstat(log).st_size
    end = size
    while end and b"\n" not in (tail := os.pread(log, min(end, _TAIL), max(0, end - _TAIL))):
        end = max(0, end - _TAIL)
    whole = max(0, end - _TAIL) + tail.rindex(b"\n") + 1 if end else 0
    if whole < size:
        os.ftruncate(log, whole)


def _size(directory: str) -> int:
    total = 0
    with os.scandir(directory) as entries:
        for entry in entries:
            total += entry.stat(follow_symlinks=False).st_blocks * 512
            if entry.is_dir(follow_symlinks=False):
                total += _size(entry.path)
    return total


def _facts(plain: dict[str, Any]) -> BlockFacts:
    ends = [
        (TreePlace(*place), FileState(*state) if state else None) for place, state in plain["ends"]
    ]
    foreign = [TreePlace(*place) for place in plain["foreign"]]
    directories = [(TreePlace(*place), *rest) for place, *rest in plain.get("directories", ())]
    return BlockFacts(**{**plain, "ends": ends, "foreign": foreign, "directories": directories})
