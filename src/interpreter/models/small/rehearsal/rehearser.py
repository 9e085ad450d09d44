"""Has an order tried on copies, by several programs, before one of them changes anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace

from interpreter.models.small.checks.sources import deletes_what_nobody_named
from interpreter.models.small.effort import Effort
from interpreter.models.small.mends.slips import to_be_run, with_columns
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.prompts.words import WOULD_DELETE, each_failed, lessons_of
from interpreter.models.small.rehearsal.copies import (
    FEW,
    Comparison,
    Rehearsal,
    compared,
    refusal,
)
from interpreter.models.small.requests import (
    PYTHON,
    Drafter,
    in_short,
    next_drafts,
    no_drafts,
    proposed,
    sources_of,
    told,
)
from interpreter.models.small.small_plan import BLOCK, with_more
from interpreter.models.small.wanted import PROGRAM, is_about_files, keeps_files
from interpreter.protocol.events import (
    ActionProposed,
    ModelEvent,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import Request
from interpreter.protocol.values import frozen

ON_A_COPY = "On a copy first, which changes nothing of yours:\n"
ANOTHER = "Another program, on a copy, too:\n"
IN_EARNEST = "This one, on your files:\n"
OUTSIDE = re.compile(r"\b(?:download|install|uninstall|https?)\b|://", re.IGNORECASE)

Reply = Callable[[Request, int, Interrupt], Generator[ModelEvent, None, None]]
"""Asks the model; a number above 0 makes it sample."""


@frozen
class _Written:
    """The programs of one turn, the first as the model writes it, the others sampled."""

    turn: object = None
    sources: tuple[str, ...] = ()
    asked_for: int = 0


class Rehearser:
    """Tries orders about files on copies."""

    def __init__(
        self,
        reply: Reply,
        drafter: Drafter,
        drafts: Callable[[], int],
        together: int,
        effort: Effort,
    ) -> None:
        self._reply = reply
        self._drafter = drafter
        self._most = drafts
        self._together = together
        self._effort = effort
        self._written = _Written()

    def applies(self, turn: SmallTurn) -> bool:
        """Whether it is an order that can be tried on a copy, and nothing was done about it yet."""
        words = turn.question.partition("\n\n")[0]
        return (
            turn.is_computable
            and self._drafter is not no_drafts
            and bool(self._most())
            and is_about_files(turn.question)
            and not PROGRAM.match(words)
            and not OUTSIDE.search(words)
            and all(one.on_copy for one in turn.rounds)
        )

    def stream(
        self, turn: SmallTurn, request: Request, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, bool]:
        """The next program on a copy, or the best one in earnest; False where there is none, and it
        is done as without copies."""
        if not turn.rounds:
            return (yield from self._first(turn, request, interrupt))
        if self._written.turn != turn.identity:  # of a conversation that began elsewhere
            self._written = _Written(turn.identity, (turn.rounds[0].source.strip(),))
        following = self._next(turn, request, interrupt)
        if interrupt.requested:
            return True
        if following:
            yield from proposed(following, ANOTHER, to_compare=True, attempt="copy")
            return True
        if self._effort.is_spent and all(one.failed for one in turn.rounds):
            yield from told(each_failed(len(turn.rounds), turn.rounds, on_copies=True))
            return True
        tried = [one for one in map(Rehearsal.of, turn.rounds) if one is not None]
        if tried:
            yield from self._in_earnest(turn, tried)
            return True
        return (yield from self._untried(turn))

    def _in_earnest(self, turn: SmallTurn, tried: list[Rehearsal]) -> Iterator[ModelEvent]:
        """The best of the programs that were tried, or why none of them is carried out."""
        harmless = [one.one.source for one in tried if not one.harm(turn.question)]
        if not harmless:
            yield from told(tried[0].harm(turn.question))
            return
        found = compared(turn.question, turn.rounds)
        best = found.best or harmless[0]
        if not self._is_agreed(found) and (names := _not_named(best, tried, turn.question)):
            yield from told(refusal(turn.question, turn.rounds, names))
            return
        yield from proposed(best, IN_EARNEST, attempt=turn.attempt)

    def _untried(self, turn: SmallTurn) -> Generator[ModelEvent, None, bool]:
        """Where nothing can be tried, the first program as it was written; nothing where all failed
        on their copies."""
        if not all(one.overruled for one in turn.rounds):
            return False
        first = self._written.sources[0]
        if deletes_what_nobody_named(turn.question * keeps_files(turn.question), first):
            yield from told(WOULD_DELETE)
        else:
            yield from proposed(first, IN_EARNEST, attempt=turn.attempt)
        return True

    def _next(self, turn: SmallTurn, request: Request, interrupt: Interrupt) -> str:
        """A program that is still to be tried; nothing where enough is known."""
        found = compared(turn.question, turn.rounds)
        if turn.rounds[-1].overruled or self._is_agreed(found):
            return ""
        last, tried = turn.rounds[-1], {one.source.strip() for one in turn.rounds}
        if (better := with_columns(turn.question, last.source.strip(), last.summary)) not in tried:
            return better
        has_others = not tried.issuperset(self._written.sources)
        tries = [one for one in map(Rehearsal.of, turn.rounds) if one is not None]
        certain = not _not_named(found.best, tries, turn.question)
        enough = self._written.asked_for > 1 and found.best and certain
        if not has_others and not enough and not self._effort.is_spent:
            self._write_more(turn, request, interrupt)
        untried = (one for one in self._written.sources if one not in tried)
        return "" if self._is_agreed(found) else next(untried, "")

    def _is_agreed(self, found: Comparison) -> bool:
        """Whether another program did the same, or the same program was written once more."""
        again = bool(found.best) and self._written.sources.count(found.best) > 1
        return found.is_agreed or again

    def _write_more(self, turn: SmallTurn, request: Request, interrupt: Interrupt) -> None:
        numbers = next_drafts(self._written.asked_for, self._most(), self._together)
        if not numbers:
            return
        asked = replace(in_short(request, _for_others(turn)), frame=BLOCK)
        more = sources_of(self._drafter(asked, numbers, interrupt))
        plain = (to_be_run(one.strip()) for one in more)
        sources = (*self._written.sources, *filter(None, plain))
        self._written = _Written(turn.identity, sources, numbers.stop)

    def _first(
        self, turn: SmallTurn, request: Request, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, bool]:
        """The first program, on a copy as it is written."""
        asked = replace(in_short(request, turn.asked), frame=BLOCK)
        source = ""
        with closing(self._reply(asked, 0, interrupt)) as events:
            for event in events:
                action = event.action if isinstance(event, ActionProposed) else None
                if isinstance(action, Code) and action.language == PYTHON and not source:
                    source = to_be_run(action.source.strip())
                    self._written = _Written(turn.identity, (source,))
                    yield from proposed(source, ON_A_COPY, to_compare=True, attempt="copy")
        return bool(source)


def _not_named(source: str, tried: list[Rehearsal], question: str) -> str:
    """Files that nobody named, and that a program would change; a few of them."""
    done = next((one for one in tried if one.one.source.strip() == source.strip()), None)
    names = done.not_named(question) if done else []
    return ", ".join(names[:FEW]) + (" and others" if len(names) > FEW else "")


def _for_others(turn: SmallTurn) -> tuple[Message, ...]:
    """The order, with what went wrong where nothing that was tried will do."""
    question, rounds = turn.question, turn.rounds
    if compared(question, rounds).best:
        return turn.asked
    tried = [one for one in map(Rehearsal.of, rounds) if one is not None]
    more = tried[0].trouble(question) if tried else lessons_of(rounds, question)
    return (*turn.asked[:-1], with_more(turn.asked[-1], more))
