"""The blocks of a session on disk: what was done, what was undone, and the way between the two.

`done/NAME` holds what reverses a block, `undone/NAME` what brings it back. A block on its way is
`NAME.part` on the other side; when all is reversed, the old directory becomes `NAME.old`, and from
then on the block is where it was going. Whoever opens the history finishes what was cut short.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from interpreter.checkpoints.journal.kept.blocks import BlockDirectory, BlockFacts, JournalStep
from interpreter.checkpoints.journal.kept.changes import Change, changes_of, places_after, renamed
from interpreter.checkpoints.journal.kept.directory_times import directories_after, holder
from interpreter.checkpoints.journal.kept.reversal import Reversal
from interpreter.checkpoints.journal.kept.trees import FileState, TreePlace, Trees, same
from interpreter.protocol.values import frozen

WRITABLE = 0o222


@frozen
class Retention:
    """How much is kept: blocks, and bytes on the disk."""

    blocks: int = 50
    size: int = 5 << 30


class BlockHistory:
    """Blocks that can be undone and redone."""

    def __init__(self, store: Path, trees: Trees, retention: Retention) -> None:
        self._trees = trees
        self._retention = retention
        self._sides = {side: store / side for side in ("done", "undone")}
        for path in self._sides.values():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.problems: list[str] = []
        self._finish_what_was_cut_short()
        self.done = self._load("done")
        self.undone = self._load("undone")
        self._sizes: dict[str, int] = {}

    def begin(self, name: str, label: str) -> BlockDirectory:
        """A new block, after `seal`; what was undone can no longer be brought back."""
        if self._pending():
            self._finish_what_was_cut_short()
            self.done, self.undone = self._load("done"), self._load("undone")
            if self._pending():
                raise OSError(errno.EBUSY, self.problems[-1])
        while self.undone:
            self.undone.pop().discard()
        block = BlockDirectory.make(self._sides["done"] / name, BlockFacts(label, time.time()))
        self.done.append(block)
        return block

    def end(self) -> list[Change]:
        """What the newest block did; it stays open for what its programs still do."""
        block = self.done[-1]
        steps = list(block.steps())
        for step in steps:
            self._return_what_was_moved_for_nothing(block, step)
        self._note_ends(block, steps)
        unchanged = {step.place for step in self._unchanged(block, steps)}
        found = changes_of(steps, self._trees)
        return [change for change in found if change.place not in unchanged]

    def seal(self, writing: Iterable[TreePlace] = ()) -> None:
        """Close the newest block: what comes now belongs to another one.

        What its programs did since `end`, and are doing to the files in `writing`, is still its
        own; any other change since then is somebody else's, and shows as a conflict.
        """
        if not self.done:
            return
        block = self.done[-1]
        steps = list(block.steps())
        for step in self._unchanged(block, steps):
            Path(block.image(step.image)).unlink(missing_ok=True)
        if not block.facts.ended:
            self._note_ends(block, steps)
        late = places_after(steps[block.facts.noted :]) | set(writing)
        if late:
            self._note_ends(block, steps, late)
        self._sizes[block.name] = block.size()
        block.close()

    def known(self) -> dict[TreePlace, FileState | None]:
        """What the blocks left, the newest word counting."""
        found: dict[TreePlace, FileState | None] = {}
        for block in self.done:
            found = renamed(found, block.moves()) if found else found
            found.update(block.facts.ends)
        return found

    def conflicts(self, blocks: Sequence[BlockDirectory]) -> list[TreePlace]:
        """Places that somebody else changed since; `blocks` are given newest first."""
        seen: set[TreePlace] = set()
        found: list[TreePlace] = []
        for block in blocks:
            later = _later(blocks, block) if block.facts.foreign else set()
            found += [place for place in block.facts.foreign if place in later]
            for place, state in block.facts.ends:
                if place not in seen and self._differs(place, state):
                    found.append(place)
                seen.add(place)
        return sorted(set(found))

    def undo(self, spared: Iterable[TreePlace]) -> list[str]:
        """Reverse the newest block, leaving `spared` alone; what went wrong, as text."""
        back, problems = self._move(self.done[-1], "undone", set(spared))
        self.done.pop()
        self._trust_again(back)
        self.undone.append(back)
        return problems

    def redo(self, spared: Iterable[TreePlace]) -> list[str]:
        """Bring the block back that was undone last."""
        block, problems = self._move(self.undone[-1], "done", set(spared))
        self.undone.pop()
        self._trust_again(block)
        self.done.append(block)
        return problems

    def changes(self, block: BlockDirectory) -> list[Change]:
        """What a block did, as far as it still shows."""
        return changes_of(block.steps(), self._trees)

    def find(self, name: str) -> BlockDirectory | None:
        """The block of that name, done or undone."""
        return next((b for b in (*self.done, *self.undone) if b.name == name), None)

    def drop_undone(self) -> None:
        """Give up the block that was undone last: it cannot be brought back."""
        if self.undone:
            self.undone.pop().discard()

    def let_go_of_the_oldest(self) -> None:
        """Keep no more than is wanted, blocks and bytes, beside the newest, which may still run."""
        for block in self.done[:-1]:
            if block.name not in self._sizes:
                self._sizes[block.name] = block.size()
        total = sum(self._sizes[block.name] for block in self.done[:-1])
        while len(self.done) > 2 and (  # the last two can always be undone
            len(self.done) - 1 > self._retention.blocks or total > self._retention.size
        ):
            total -= self._sizes.pop(self.done[0].name)
            self.done.pop(0).discard()

    def close(self) -> None:
        """Write down how things are."""
        self.seal()

    def _trust_again(self, moved: BlockDirectory) -> None:
        """What a move put back is what the other blocks expect, though under a new inode."""
        foreign = set(moved.facts.foreign)
        for side in (self.done, self.undone):
            fresh = {place: state for place, state in moved.facts.ends if place not in foreign}
            for block in reversed(side):
                if not fresh:
                    break
                if any(place in fresh for place, _ in block.facts.ends):
                    block.facts.ends = [(p, fresh.pop(p, s)) for p, s in block.facts.ends]
                    block.save()
                fresh = renamed(fresh, [_backwards(step) for step in reversed(block.moves())])

    def _move(
        self, block: BlockDirectory, side: str, spared: set[TreePlace]
    ) -> tuple[BlockDirectory, list[str]]:
        block.close()
        part = self._sides[side] / f"{block.name}.part"
        if _is_begun(part):  # it was given up for want of room, and goes on where it stopped
            target = BlockDirectory.load(part)
            spared |= set(target.facts.foreign)
        else:
            BlockDirectory(part).discard()
            target = BlockDirectory.make(part, BlockFacts(block.facts.label, block.facts.created))
            self._note_directories(target, list(block.steps()))
        target.facts.foreign = sorted(spared)
        target.save()
        return self._carry_out(block, target)

    def _carry_out(
        self, source: BlockDirectory, target: BlockDirectory
    ) -> tuple[BlockDirectory, list[str]]:
        reversal = Reversal(self._trees, source, target, set(target.facts.foreign))
        reversal.run()
        target.facts.foreign = source.facts.foreign
        self._note_ends(target, list(target.steps()))
        target.close()
        self._arrive(source.path, target.path)
        return BlockDirectory.load(target.path.with_suffix("")), reversal.problems

    def _arrive(self, source: Path, part: Path) -> None:
        old = source.with_suffix(".old")
        if source.exists():
            source.rename(old)
        part.rename(part.with_suffix(""))
        BlockDirectory(old).discard()

    def _pending(self) -> list[Path]:
        """Blocks that were on their way when somebody was killed, or when the disk was full."""
        sides = [(path, sorted(os.listdir(path))) for path in self._sides.values()]
        return [path / name for path, names in sides for name in names if name.endswith(".part")]

    def _finish_what_was_cut_short(self) -> None:
        for part in self._pending():
            side = "done" if part.parent == self._sides["undone"] else "undone"
            try:
                self._finish(self._sides[side] / part.stem, part)
            except OSError as error:
                self.problems.append(f"block {part.stem} is undone in part: {error.strerror}")
        for path in self._sides.values():
            for old in path.glob("*.old"):
                BlockDirectory(old).discard()

    def _finish(self, source: Path, part: Path) -> None:
        if not source.exists():
            self._arrive(source, part)
        elif _is_begun(part):
            self.problems += self._carry_out(
                BlockDirectory.load(source), BlockDirectory.load(part)
            )[1]
        else:
            BlockDirectory(part).discard()

    def _load(self, side: str) -> list[BlockDirectory]:
        paths = sorted(self._sides[side].iterdir(), reverse=side == "undone")
        return [BlockDirectory.load(path) for path in paths if path.is_dir()]

    def _note_ends(
        self,
        block: BlockDirectory,
        steps: Sequence[JournalStep],
        only: set[TreePlace] | None = None,
    ) -> None:
        places = places_after(steps)
        known = dict(block.facts.ends) if only is not None else {}
        look = places if only is None else places - (known.keys() - only)
        known.update({place: self._trees.state(place) for place in sorted(look)})
        block.facts.ends = [(place, known[place]) for place in sorted(places)]
        self._note_directories(block, steps, only)
        block.facts.noted = len(steps)
        block.facts.ended = True
        block.save()

    def _note_directories(
        self,
        block: BlockDirectory,
        steps: Sequence[JournalStep],
        only: set[TreePlace] | None = None,
    ) -> None:
        late = None if only is None else {holder(place) for place in only}
        known = {one[0]: one for one in block.facts.directories if late and one[0] not in late}
        for place in directories_after(steps):
            status = self._trees.status(place)
            if status is not None and place not in known:
                known[place] = (place, status.st_ino, status.st_mtime_ns)
        block.facts.directories = list(known.values())

    def _differs(self, place: TreePlace, state: FileState | None) -> bool:
        """Whether somebody changed what a block left; to touch a file that nobody may write is no
        change, and git does that to the objects it has already; nor is a new index that says the
        same."""
        now = self._trees.state(place)
        if now is None or state is None or same(now, state):
            return not same(now, state)
        status = self._trees.status(place)
        touched = (now.kind, now.size, now.inode) == (state.kind, state.size, state.inode)
        return not touched or status is None or bool(status.st_mode & WRITABLE)

    def _unchanged(self, block: BlockDirectory, steps: Sequence[JournalStep]) -> list[JournalStep]:
        """The files that were opened for writing and are as they were.

        Not those of which the name went: what came in its place may have got the same inode, and
        an archive gives it the same size and time.
        """
        went = {step.place for step in steps if step.kind == "gone"}
        candidates = (step for step in steps if step.place not in went)
        return [step for step in candidates if self._is_unchanged(block, step)]

    def _is_unchanged(self, block: BlockDirectory, step: JournalStep) -> bool:
        """Opened for writing, and not written: databases do that to be read."""
        if step.kind != "write":
            return False
        try:
            image = os.lstat(block.image(step.image))
        except FileNotFoundError:
            return True
        now = self._trees.status(step.place)
        if now is None or now.st_ino != step.inode or now.st_ctime_ns != step.time:
            return False  # nobody can set the time of the last change, unlike that of the content
        return _look(now) == _look(image)

    def _return_what_was_moved_for_nothing(self, block: BlockDirectory, step: JournalStep) -> None:
        """A large file was moved away to be replaced, and then its opening failed after all."""
        if step.kind != "write" or not step.image:
            return
        image, now = Path(block.image(step.image)), self._trees.status(step.place)
        if now is None or now.st_size or not image.exists():
            return
        kept = image.lstat()
        if kept.st_ino == step.inode and kept.st_size and kept.st_mtime_ns == now.st_mtime_ns:
            with self._trees.parent(step.place) as parent:
                os.rename(image, step.place.name, dst_dir_fd=parent)


def _backwards(step: JournalStep) -> JournalStep:
    return step._replace(place=step.other or step.place, other=step.place)


def _is_begun(part: Path) -> bool:
    """Whether it is known what to spare: that is written first, and nothing is done before."""
    return (part / "facts.json").exists()


def _later(blocks: Sequence[BlockDirectory], block: BlockDirectory) -> set[TreePlace]:
    """The places of the blocks that are undone together with `block` and ran before it."""
    older = blocks[blocks.index(block) + 1 :]
    return {place for other in older for place, _ in other.facts.ends}


def _look(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, stat.S_IMODE(status.st_mode)
