"""How well something fits what was asked for: exactly, from its beginning, or about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from interpreter.protocol.desktop import Box, Candidate, Point

EXACT = 1.0
SAME_LETTERS = 0.98  # but for case and the dots of "Save as…"
PREFIX = 0.9
WORDS = 0.85  # the words stand somewhere in it
ABOUT = 0.8
SMALLEST_RATIO = 0.78


def score(wanted: str, text: str) -> float:
    """From 1 for the very same to 0 for something else."""
    if not text or not wanted:
        return 0.0
    if text.strip() == wanted.strip():
        return EXACT
    one, other = _plain(wanted), _plain(text)
    if one == other:
        return SAME_LETTERS if one else 0.0
    if not one or not other:
        return 0.0
    if other.startswith(one + " "):
        return PREFIX
    if re.search(rf"\b{re.escape(one)}\b", other):
        return WORDS
    if min(len(one), len(other)) < 4:  # of short words any letter makes another
        return 0.0
    ratio = SequenceMatcher(None, one, other).ratio()
    return ratio * ABOUT if ratio >= SMALLEST_RATIO else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" .…:*\u00a0").split())


def part_of(box: Box, text: str, wanted: str) -> Box:
    """The part of a line's box in which some of its words stand, were all letters equally wide."""
    start = text.casefold().find(wanted.casefold().strip())
    if start < 0 or not text:
        return box
    letter = box.width / len(text)
    width = max(1, int(letter * len(wanted.strip())))
    return Box(box.left + int(letter * start), box.top, width, box.height)


def best(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Those that fit best and equally well, one for each place."""
    found = list(candidates)
    if not found:
        return ()
    top = max(one.score for one in found)
    equal = [one for one in found if one.score >= top - 0.001]
    clickable = [one for one in equal if one.role]
    return tuple(_distinct(clickable or equal))


def _distinct(candidates: Iterable[Candidate]) -> Iterable[Candidate]:
    """One of those that lie in each other: a button, and the label in it."""
    kept: list[Candidate] = []
    for one in sorted(candidates, key=lambda c: c.box.width * c.box.height):
        center: Point = one.box.center
        if not any(other.box.holds(center) or one.box.holds(other.box.center) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda c: (c.box.top, c.box.left))
