"""The parts that read a text reply: each takes what it understands and names who reads on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from interpreter.protocol.events import ModelEvent


class State(Protocol):
    """A place in a reply, such as prose or a block of code."""

    def read(self, text: str, *, final: bool) -> Step:
        """Take from `text`; with `final`, nothing more will come and nothing may be held back."""
        ...


@dataclass(slots=True)  # not frozen: one is made for every piece, and that is four times faster
class Step:
    """What was understood, what is still undecided, and who goes on (None: wait for more)."""

    rest: str = ""
    events: list[ModelEvent] = field(default_factory=list)
    then: State | None = None


class Done:
    """The reply has said what to do; whatever follows was imagined and is not read."""

    def read(self, text: str, *, final: bool) -> Step:
        """Drop everything."""
        return Step()
