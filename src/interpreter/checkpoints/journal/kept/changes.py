"""The sum of a block's steps: which files are new, different, gone or elsewhere."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from interpreter.checkpoints.journal.kept.blocks import JournalStep
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.protocol.values import frozen

T = TypeVar("T")
Nature = Literal["added", "modified", "deleted", "renamed"]


@frozen
class Change:
    """What became of one file. `image` names what it was before, where that is kept."""

    place: TreePlace
    kind: Nature
    size: int | None = None
    origin: TreePlace | None = None
    image: str = ""


@dataclass(slots=True)
class _Replay:
    """Follows names forward: what is at a place now, and what it was when the block began."""

    origins: dict[TreePlace, TreePlace | None] = field(default_factory=dict)
    images: dict[TreePlace, str] = field(default_factory=dict)
    removed: set[TreePlace] = field(default_factory=set)
    directories: set[TreePlace] = field(default_factory=set)

    def take(self, step: JournalStep) -> None:
        match step.kind:
            case "create" | "mkdir":
                self.origins[step.place] = None
            case "write" | "meta":
                self._touch(step)
            case "unlink" | "gone" | "rmdir":
                self._remove(step)
            case "rename" if step.other is not None:
                self._move(step.place, step.other, directory=bool(step.mode))
            case "exchange" if step.other is not None:
                self._exchange(step.place, step.other)
        if step.kind in ("mkdir", "rmdir"):
            self.directories.add(step.place)

    def _touch(self, step: JournalStep) -> None:
        origin = self.origins.setdefault(step.place, step.place)
        if origin is not None and step.image:
            self.images.setdefault(origin, step.image)

    def _remove(self, step: JournalStep) -> None:
        origin = self.origins.pop(step.place, step.place)
        if origin is None:
            return
        self.removed.add(origin)
        if step.image:
            self.images.setdefault(origin, step.image)

    def _move(self, source: TreePlace, target: TreePlace, *, directory: bool) -> None:
        self.origins[target] = self.origins.pop(source, source)
        if not directory:
            return
        self.origins = {
            place.moved(source, target) if place.below(source) else place: origin
            for place, origin in self.origins.items()
        }

    def _exchange(self, one: TreePlace, other: TreePlace) -> None:
        first, second = self.origins.get(one, one), self.origins.get(other, other)
        self.origins[one], self.origins[other] = second, first


def changes_of(steps: Iterable[JournalStep], trees: Trees) -> list[Change]:
    """The changes that a block amounts to, by path."""
    replay = _Replay()
    for step in steps:
        replay.take(step)
    found = {place: _arrived(replay, trees, place) for place in replay.origins}
    for place in replay.removed:
        if found.get(place) is None and trees.status(place) is None:
            found[place] = _left(replay, place)
    kept = [change for change in found.values() if change is not None]
    return sorted(kept, key=lambda change: change.place)


def _left(replay: _Replay, place: TreePlace) -> Change | None:
    if place in replay.directories:
        return None
    return Change(place, "deleted", origin=place, image=replay.images.get(place, ""))


def _arrived(replay: _Replay, trees: Trees, place: TreePlace) -> Change | None:
    status = trees.status(place)
    origin = replay.origins[place]
    if status is None:
        return None
    directory = stat.S_ISDIR(status.st_mode)
    size = None if directory else status.st_size
    if origin is None and place in replay.removed:
        return Change(place, "modified", size, place, replay.images.get(place, ""))
    if origin is None:
        return None if directory else Change(place, "added", size)
    kind: Nature = "modified" if origin == place else "renamed"
    return Change(place, kind, size, origin, replay.images.get(origin, ""))


def places_after(steps: Iterable[JournalStep]) -> set[TreePlace]:
    """Every place that a block had to do with, under the name it has at the end."""
    places: set[TreePlace] = set()
    for step in steps:
        if step.kind in ("times", "attributes"):
            continue
        if step.other is not None and step.kind == "rename" and step.mode:
            places = _moved(places, step.place, step.other)
        places.add(step.place)
        if step.other is not None:
            places.add(step.other)
    return places


def renamed(known: dict[TreePlace, T], moves: Iterable[JournalStep]) -> dict[TreePlace, T]:
    """What is known about places, under the names that they have after these moves; it may be the
    same dictionary, changed."""
    for step in moves:
        if step.other is None:
            continue
        source, target = step.place, step.other
        if step.kind == "rename" and not step.mode:  # a file: one name only
            if source in known:
                known[target] = known.pop(source)
            continue
        swapped = step.kind == "exchange"
        known = {_renamed(place, source, target, swapped=swapped): v for place, v in known.items()}
    return known


def _renamed(place: TreePlace, source: TreePlace, target: TreePlace, *, swapped: bool) -> TreePlace:
    if place.below(source):
        return place.moved(source, target)
    return place.moved(target, source) if swapped and place.below(target) else place


def _moved(places: set[TreePlace], source: TreePlace, target: TreePlace) -> set[TreePlace]:
    return {place.moved(source, target) if place.below(source) else place for place in places}
