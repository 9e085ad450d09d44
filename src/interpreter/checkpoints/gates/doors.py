"""Everybody who looks at a change before it happens, one after the other."""

from __future__ import annotations

from interpreter.checkpoints.gates.asked_files import AskedFiles
from interpreter.checkpoints.gates.git_gate import EXCHANGE, GitGate
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.checkpoints.journal.recorder import Recorder


class Doors:
    """What must not be is Refused; what the user will be asked about is kept; then recorded."""

    def __init__(self, trees: Trees, git: GitGate, asked: AskedFiles, recorder: Recorder) -> None:
        self._trees = trees
        self._git = git
        self._asked = asked
        self._recorder = recorder

    def write(self, place: TreePlace) -> None:
        """A file is about to be opened for writing, or made."""
        self._git.write(place)
        self._asked.write(place)

    def create(self, place: TreePlace) -> None:
        """A name is about to appear."""
        self.write(place)
        self._recorder.create(place)

    def make_directory(self, place: TreePlace) -> None:
        """A directory is about to appear."""
        self._git.make_directory(place)
        self._asked.make_directory(place)
        self._recorder.make_directory(place)

    def remove(self, place: TreePlace) -> None:
        """A name is about to go."""
        self._git.remove(place)
        self._asked.remove(place)
        self._recorder.remove(place)

    def change_mode(self, place: TreePlace) -> None:
        """A mode, an owner or a time is about to change."""
        self._asked.write(place)
        self._recorder.change_mode(place)

    def symlink(self, place: TreePlace, target: str) -> None:
        """A symlink is about to appear."""
        self._git.symlink(place, target)
        self._asked.symlink(place, target)
        self._recorder.create(place)

    def link(self, source: TreePlace | None, place: TreePlace) -> None:
        """A second name of a file is about to appear."""
        self._git.link(source, place)
        self._asked.link(source, place)
        self._recorder.link(source, place)

    def rename(self, source: TreePlace | None, target: TreePlace | None, flags: int) -> None:
        """A name is about to move; either may be where nothing can be changed."""
        self._git.rename(source, target, flags)
        source, target = self._trees.free(source), self._trees.free(target)
        self._asked.rename(source, target)
        if flags & EXCHANGE:
            self._asked.rename(target, source)
