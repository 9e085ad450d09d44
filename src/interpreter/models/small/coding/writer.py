"""Has a file written by a small model: shows it and its tests, tries versions, keeps the best."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace

from interpreter.models.small.coding.outcome import NO_FILE, NO_PART, outcome
from interpreter.models.small.coding.task import CODER, Coding
from interpreter.models.small.coding.versions import written_text
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.requests import PYTHON, Drafter, in_short, proposed, sources_of, told
from interpreter.models.small.small_plan import FILE
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReplyFinished,
    TextDelta,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, user_says
from interpreter.protocol.ports import Capabilities, Request

MOST_SECONDS = 300.0  # after which no other version of a file is begun
OTHER_WAYS, THIS_ONE = "Other ways, to compare:\n", "The best of them:\n"
AS_BEFORE = "The file as it was:\n"
A_TOKEN = 2  # characters of code, with some left for what else is said
SHORTER = """\
Your reply was too long and was cut off. Write a shorter one: compute what repeats itself, \
do not write it out."""
ANOTHER_PART = """\
Your reply does not hold what is to be written. Write it whole, with its name, as one ```python \
block, and nothing else."""

Reply = Callable[[Request, int, Interrupt], Generator[ModelEvent, None, None]]
"""Asks the model; a number above 0 makes it sample."""


class FileWriter:
    """Works on one file in one turn."""

    def __init__(
        self,
        reply: Reply,
        drafter: Drafter,
        drafts: Callable[[], int],
        capabilities: Capabilities,
        clock: Callable[[], float],
    ) -> None:
        self._reply = reply
        self._drafter = drafter
        self._most = drafts
        self._room = capabilities.context_window * A_TOKEN
        self._clock = clock
        self._begun: tuple[object, float] = (None, 0.0)

    def stream(
        self, coding: Coding, turn: SmallTurn, request: Request, interrupt: Interrupt
    ) -> Iterator[ModelEvent]:
        """Show the file and its tests, have it written as a whole, or a part of it, run the tests,
        try others, repair the best."""
        if look := coding.next_look(turn.rounds):
            yield from proposed(*look)
            return
        coding = replace(
            coding.after_look(turn.rounds),
            room=self._room,
            is_late=self._clock() - self._since(turn) > MOST_SECONDS,
        )
        if answer := outcome(coding, turn.rounds):
            yield from told(answer)
            return
        if way := coding.to_write(turn.rounds):
            words = AS_BEFORE if way == coding.original else THIS_ONE
            yield from proposed(coding.writing(way), words)
            return
        asked = replace(in_short(request, turn.for_coding(coding), head=CODER), frame=FILE)
        if coding.wants_other_ways(turn.rounds) and self._most():
            afresh = coding.is_to_begin_afresh(turn.rounds)
            other = replace(asked, messages=turn.for_coding(coding, afresh=afresh))
            first = sum(one.to_compare for one in turn.rounds) * self._most()
            numbers = range(first, first + self._most())
            drafts = sources_of(self._drafter(other, numbers, interrupt))
            if ways := coding.new_ones(drafts, turn.rounds):
                yield from proposed(coding.trying(ways), OTHER_WAYS, to_compare=True)
                return
        variation = sum(bool(written_text(one)) for one in turn.rounds)
        wrong = yield from self._file(coding, asked, variation, interrupt)
        if not wrong or interrupt.requested:
            return
        again = replace(asked, messages=(*asked.messages, user_says(wrong)))
        more = yield from self._file(coding, again, variation + 1, interrupt)
        if more:
            no_file = NO_PART if ANOTHER_PART in (wrong, more) else NO_FILE
            yield from told(no_file.format(name=coding.name, what=coding.what))

    def _since(self, turn: SmallTurn) -> float:
        """When the file of this turn was begun."""
        if self._begun[0] != turn.identity:
            self._begun = turn.identity, self._clock()
        return self._begun[1]

    def _file(
        self, coding: Coding, asked: Request, variation: int, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, str]:
        """Have the file written; what is wrong with the reply if it has none, as when it was cut
        off, or not the part that is wanted."""
        wrong = SHORTER
        with closing(self._reply(asked, variation, interrupt)) as events:
            for event in events:
                source = _source_of(event)
                text = coding.text_in(source) if source else ""
                if source and not text:
                    wrong = wrong and ANOTHER_PART
                elif source:
                    wrong, written = "", coding.writing(text)
                    yield CodeDelta(PYTHON, written)
                    yield ActionProposed(Code(PYTHON, written))
                elif isinstance(event, TextDelta) or (
                    isinstance(event, ReplyFinished) and not wrong
                ):
                    yield event
        return wrong


def _source_of(event: ModelEvent) -> str:
    """The program that an event proposes; nothing for all others."""
    action = event.action if isinstance(event, ActionProposed) else None
    return action.source if isinstance(action, Code) else ""
