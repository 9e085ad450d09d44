"""Questions to the session's model beside the conversation: code asks them, the session pays."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import closing

from interpreter.protocol.errors import CallFailed, ConfigurationError, OutOfBudget
from interpreter.protocol.events import ModelEvent, ReplyFinished, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Display, Face, Message, Text
from interpreter.protocol.ports import Model, Request
from interpreter.session.budget import Budget
from interpreter.session.request.shrink import TokenEstimate

SUMMARIZE = "Summarize the text."
JOIN_SUMMARIES = "Make one summary of these summaries."
USUAL_ROOM = 24_000  # characters of a long text that a model reads at a time
LEAST_ROOM, MOST_ROOM = 2_000, 60_000
MOST_PIECES = 256
WINDOW_FOR_TEXT = 0.5  # the part of a model's window that a piece may fill
_LAST_SPACE = re.compile(r"\s\S*\Z")


def read_through(
    ask: Callable[[str], str],
    text: str,
    question: str,
    reduce_question: str = "",
    room: int = USUAL_ROOM,
) -> str:
    """The answer to a question about a text of any length: asked about each piece, then about the
    answers, until one is left.

    It ends: an answer is cut to a quarter of the room, so that from n pieces at most n / 3, rounded
    up, are left for the next round.
    """
    pieces = _pieces(text, room)
    if len(pieces) > MOST_PIECES:
        raise ConfigurationError(
            f"The text has {len(text):,} characters; {MOST_PIECES * room:,} can be read at once."
        )
    while True:
        answers = [ask(f"{question}\n\n<text>\n{piece}\n</text>") for piece in pieces]
        if len(answers) == 1:
            return answers[0]
        question = reduce_question or question
        pieces = _pieces("\n\n".join(answer[: room // 4] for answer in answers), room)


def _pieces(text: str, room: int) -> list[str]:
    """Pieces of at most `room` characters, cut between words where there are any."""
    pieces = []
    while len(text) > room:
        space = _LAST_SPACE.search(text, room * 3 // 4, room)
        end = space.start() + 1 if space else room
        pieces.append(text[:end])
        text = text[end:]
    return [*pieces, text]


class SideQuestions:
    """Asks one at a time, within the session's budget."""

    def __init__(self, model: Callable[[], Model], budget: Budget) -> None:
        self._model = model
        self._budget = budget
        self._estimate = TokenEstimate()
        self._alone = threading.Lock()

    def chat(self, text: str, picture: bytes | None, interrupt: Interrupt) -> str:
        """The answer to one question, with a picture if one is given."""
        shown = (Display((Face("image/png", picture),)),) if picture else ()
        message = Message("user", (Text(text), *shown))
        tokens = self._estimate.tokens(self._estimate.weigh(message))
        with self._alone:
            if interrupt.requested:
                raise CallFailed("The question was taken back.", "CallCancelled")
            if objection := self._budget.objection(tokens):
                raise OutOfBudget(objection)
            return self._answered(Request("", (message,)), interrupt)

    def query(self, text: str, question: str, reduce_question: str, interrupt: Interrupt) -> str:
        """The answer to a question about a text of any length."""
        return read_through(
            lambda asked: self.chat(asked, None, interrupt),
            text,
            question,
            reduce_question,
            self._room(),
        )

    def _room(self) -> int:
        window = self._model().capabilities.context_window
        room = self._estimate.characters(int(window * WINDOW_FOR_TEXT))
        return min(max(room, LEAST_ROOM), MOST_ROOM)

    def _answered(self, request: Request, interrupt: Interrupt) -> str:
        said: list[str] = []
        stream = (event for event in self._model().stream(request, interrupt))
        with closing(stream) as events:
            for event in events:
                self._hear(event, said)
        if interrupt.requested:
            raise CallFailed("The question was taken back.", "CallCancelled")
        return "".join(said)

    def _hear(self, event: ModelEvent, said: list[str]) -> None:
        if isinstance(event, TextDelta):
            said.append(event.text)
        if isinstance(event, ReplyFinished):
            self._budget.add(event.usage)
