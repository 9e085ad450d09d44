"""A conversation: the one stateful object, and the only one that writes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing

from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.events import (
    ActionProposed,
    CheckpointDiscarded,
    CheckpointTaken,
    CodeDelta,
    DisplayShown,
    Event,
    OutputCleared,
    OutputDelta,
    ReasoningDelta,
    TextDelta,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Message, Role, Text, user_says
from interpreter.protocol.ports import OnConflict
from interpreter.session.engine import Engine, Turn
from interpreter.session.store import Store
from interpreter.session.transcript import Transcript
from interpreter.session.turn import run_turn

FROM_THE_MODEL = TextDelta | ReasoningDelta | CodeDelta | ActionProposed
FROM_A_BLOCK = OutputDelta | DisplayShown | OutputCleared


class Session:
    """Takes what the user says, yields what happens, and keeps all of it."""

    def __init__(
        self,
        engine: Engine,
        *,
        store: Store | None = None,
        session_id: str = "",
        messages: Iterable[Message] = (),
        describe: Callable[[str], str] = lambda text: "",
    ) -> None:
        self.engine = engine  # replace it between turns, never within one
        self.id = session_id
        self.transcript = Transcript(messages)
        self._store = store
        self._describe = describe
        self._interrupt = Interrupt()
        self._deltas = 0
        self._marks: list[int] = []  # per checkpoint, where the reply is that proposed its block
        self._undone: list[tuple[tuple[Message, ...], list[int]]] = []

    def send(self, message: str | Message) -> Generator[Event, None, None]:
        """Say something; the events of the turn it starts. Closing the generator stops the turn."""
        said = user_says(message) if isinstance(message, str) else message
        known = self._describe(said.text)
        if known:  # about the files that the message names; for the model alone
            self._record(Message("user", (Text(known),), audience="assistant"))
        self._record(said)
        yield from self.proceed()

    def proceed(self) -> Generator[Event, None, None]:
        """A turn without a new message: what was proposed last is run, or the model goes on."""
        self._interrupt.clear()
        self.engine.asking.budget.begin_turn()
        turn = Turn(self.transcript, self.engine, self._record, self._interrupt)
        with closing(_as_generator(turn)) as events:
            for event in events:
                self._keep(event)
                yield event

    def add(self, message: Message) -> None:
        """Take a message into the transcript without starting a turn."""
        self._record(message)

    def undo(self, blocks: int = 1, conflicts: OnConflict = "refuse") -> str:
        """Go back to before the last blocks: the conversation, files and variables together.

        What the same reply proposed goes back with them. One line says what was done.
        """
        places = self._marks[-blocks:]
        if not 1 <= blocks <= len(self._marks):
            raise CheckpointError(f"There are {len(self._marks)} blocks that can be undone.")
        return self._go_back(places[0], conflicts)

    def undo_message(self, conflicts: OnConflict = "refuse") -> str:
        """Go back to before the user's last message, with every block that came of it."""
        places = (at for at in range(len(self.transcript) - 1, -1, -1))
        place = next((at for at in places if self.transcript[at].role == "user"), None)
        if place is None:
            raise CheckpointError("There is no message to undo.")
        return self._go_back(place, conflicts)

    def redo(self, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo back."""
        if not self._undone:
            raise CheckpointError("There is nothing to redo.")
        messages, marks = self._undone[-1]
        told = [self.engine.checkpoints.redo(conflicts) for _ in marks]
        self._undone.pop()
        for message in messages:
            self._write(message)
        self._marks += marks
        return "; ".join([*told, f"{len(messages)} messages are back"])

    def _go_back(self, place: int, conflicts: OnConflict) -> str:
        marks = [mark for mark in self._marks if mark >= place]
        told = [self.engine.checkpoints.undo(len(marks), conflicts)] if marks else []
        del self._marks[len(self._marks) - len(marks) :]
        gone = self.transcript.cut(place)
        if self._store is not None:
            self._store.retract(self.id, place)
        self._undone.append((gone, marks))
        return "; ".join([*told, f"{len(gone)} messages taken back"])

    def interrupt(self) -> None:
        """Stop the running turn soon, with all kept; callable from any thread or signal handler."""
        self._interrupt.request()

    @property
    def stopping(self) -> bool:
        """Whether the running turn, or the last one, was asked to stop."""
        return self._interrupt.requested

    def _record(self, message: Message) -> None:
        self._undone.clear()  # what happens now is another future than the one taken back
        self._write(message)

    def _write(self, message: Message) -> None:
        if self._store is not None:
            self._store.append(self.id, len(self.transcript), message)
        self._deltas = 0
        self.transcript.add(message)

    def _keep(self, event: Event) -> None:
        if isinstance(event, CheckpointTaken):
            self._marks.append(self._last_reply())
        if isinstance(event, CheckpointDiscarded):
            self._marks.pop()
        role: Role
        if isinstance(event, FROM_THE_MODEL):
            role = "assistant"
        elif isinstance(event, FROM_A_BLOCK):
            role = "computer"
        else:
            return
        if self._store is not None:
            self._store.append_delta(self.id, self._deltas, role, event)
            self._deltas += 1

    def _last_reply(self) -> int:
        places = range(len(self.transcript) - 1, -1, -1)
        return next((at for at in places if self.transcript[at].role == "assistant"), 0)


def _as_generator(turn: Turn) -> Generator[Event, None, None]:
    yield from run_turn(turn)
