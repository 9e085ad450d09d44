"""A conversation: the one stateful object, and the only one that writes.

Its past: where each checkpoint stands in the conversation, and what was taken back of both.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from typing import NamedTuple, overload

from interpreter.protocol import events as ev
from interpreter.protocol.errors import CheckpointError, StoreError
from interpreter.protocol.hooks import HookCall
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Action, Message, Role, Text, user_says
from interpreter.protocol.ports import OnConflict
from interpreter.session.engine import Engine, Turn
from interpreter.session.store.database import Store
from interpreter.session.turn import run_turn


class Mark(NamedTuple):
    """A checkpoint, and the place of the message that came of it, or would come next."""

    checkpoint: str
    place: int


class Undone(NamedTuple):
    """Messages that were taken back together, and the checkpoints that went with them."""

    messages: tuple[Message, ...]
    marks: tuple[Mark, ...]


class Past:
    """Kept in the store where there is one, so that a session that goes on can still go back."""

    def __init__(self, store: Store | None, session_id: str) -> None:
        self._store = store
        self._session = session_id
        self.marks: list[Mark] = []
        self.undone: list[Undone] = []
        if store is not None:
            self.marks = [Mark(*row) for row in store.marks(session_id)]
            self.undone = [
                Undone(messages, tuple(Mark(*row) for row in rows))
                for messages, rows in store.undone(session_id)
            ]

    def add(self, mark: Mark) -> None:
        """A checkpoint was taken."""
        self.marks.append(mark)
        if self._store is not None:
            self._store.mark(self._session, [mark])

    def drop_last(self) -> None:
        """The last checkpoint is gone: its block was only tried."""
        mark = self.marks.pop()
        if self._store is not None:
            self._store.unmark(self._session, [mark.checkpoint])

    def take_back(self, start: int, messages: tuple[Message, ...]) -> None:
        """The checkpoints from `start` on are undone, and these messages went with them."""
        marks = tuple(self.marks[start:])
        del self.marks[start:]
        self.undone.append(Undone(messages, marks))
        if self._store is not None:
            self._store.unmark(self._session, [mark.checkpoint for mark in marks])
            self._store.keep_undone(self._session, messages, marks)

    def bring_back(self) -> Sequence[Mark]:
        """What was undone last is done again."""
        undone = self.undone.pop()
        self.marks += undone.marks
        if self._store is not None:
            self._store.mark(self._session, undone.marks)
            self._store.forget_undone(self._session, len(self.undone))
        return undone.marks

    def forget_undone(self) -> None:
        """Another future begins: what was taken back stays so."""
        if self.undone:
            self.undone.clear()
            if self._store is not None:
                self._store.forget_undone(self._session)


class Transcript(Sequence[Message]):
    """A live, read-only view for everyone but the session, which adds to it."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)

    def add(self, message: Message) -> None:
        """Append a message; the session's privilege."""
        self._messages.append(message)

    def cut(self, place: int) -> tuple[Message, ...]:
        """Take everything from a place on away; the session's privilege."""
        gone = tuple(self._messages[place:])
        del self._messages[place:]
        return gone

    @overload
    def __getitem__(self, place: int) -> Message: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Message]: ...
    def __getitem__(self, place: int | slice) -> Message | Sequence[Message]:
        return self._messages[place]

    def __len__(self) -> int:
        return len(self._messages)


FROM_THE_MODEL = ev.TextDelta | ev.ReasoningDelta | ev.CodeDelta | ev.ActionProposed
FROM_A_BLOCK = ev.OutputDelta | ev.DisplayShown | ev.OutputCleared


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
        past: Past | None = None,
    ) -> None:
        self.engine = engine  # replace it between turns, never within one
        self.id = session_id
        self.transcript = Transcript(messages)
        self._store = store
        self._describe = describe
        self._interrupt = Interrupt()
        self._deltas = 0
        self._past = past or Past(None, session_id)

    def send(
        self, message: str | Message, *, heard: Callable[[Message], None] = lambda message: None
    ) -> Generator[ev.Event, None, None]:
        """Say something; the events of the turn it starts. Closing the generator stops the turn.

        `heard` is called when the message is kept.
        """
        said = user_says(message) if isinstance(message, str) else message
        answer = self.engine.hooks(HookCall("UserPromptSubmit", {"prompt": said.text}))
        if answer.ruling == "deny" or answer.stop is not None:
            why = answer.stop or answer.reason or "a hook refused the message"
            heard(said)
            yield ev.TurnFinished("declined", why)
            return
        known = "\n\n".join(filter(None, (self._describe(said.text), answer.context)))
        if known:  # about the files that the message names; for the model alone
            self._record(Message("user", (Text(known),), audience="assistant"))
        self._record(said)
        heard(said)
        yield from self.proceed()

    def proceed(self) -> Generator[ev.Event, None, None]:
        """A turn without a new message: what was proposed last is run, or the model goes on."""
        self._interrupt.clear()
        self.engine.asking.budget.begin_turn()
        turn = Turn(self.transcript, self.engine, self._record, self._interrupt)
        try:
            with closing(_as_generator(turn)) as events:
                for event in events:
                    self._keep(event)
                    yield event
        finally:
            self._keep_spent()

    def _keep_spent(self) -> None:
        if self._store is not None:
            with suppress(StoreError):  # the turn itself has told of a store that is gone
                self._store.keep_spent(self.id, self.engine.asking.budget.session)

    def add(self, message: Message) -> None:
        """Take a message into the transcript without starting a turn."""
        self._record(message)

    def by_hand(
        self, action: Action, work: Iterable[ev.RuntimeEvent]
    ) -> Generator[ev.RuntimeEvent | ev.FilesChanged, None, None]:
        """What the user runs without the model, as a block that can be undone."""
        self.engine.before_block()
        checkpoint = self.engine.checkpoints().begin(action)
        if checkpoint:
            self._past.forget_undone()
            self._past.add(Mark(checkpoint, len(self.transcript)))
        changed: ev.FilesChanged | None = None
        try:
            yield from work
        finally:
            changed = self.engine.checkpoints().end()
        if changed:
            yield changed

    @property
    def blocks(self) -> tuple[str, ...]:
        """The checkpoints of the blocks that can be undone, the oldest first."""
        return tuple(mark.checkpoint for mark in self._past.marks)

    def undo(self, blocks: int = 1, conflicts: OnConflict = "refuse") -> str:
        """Go back to before the last blocks: the conversation, files and variables together.

        What the same reply proposed goes back with them. One line says what was done.
        """
        marks = self._past.marks
        if not 1 <= blocks <= len(marks):
            count = "There is 1 block" if len(marks) == 1 else f"There are {len(marks)} blocks"
            raise CheckpointError(f"{count} that can be undone.")
        start = len(marks) - blocks
        place = marks[start].place
        while start and self._is_of_the_same_reply(marks[start - 1], place):
            start -= 1
        return self._go_back(place, start, conflicts)

    def undo_to(self, checkpoint: str, conflicts: OnConflict = "refuse") -> str:
        """Go back to before the block with this checkpoint."""
        names = self.blocks
        if checkpoint not in names:
            raise CheckpointError(f"There is no block {checkpoint!r} that can be undone.")
        return self.undo(len(names) - names.index(checkpoint), conflicts)

    def undo_message(self, conflicts: OnConflict = "refuse") -> str:
        """Go back to before the user's last message, with every block that came of it."""
        places = (at for at in range(len(self.transcript) - 1, -1, -1))
        said = (at for at in places if self.transcript[at].role == "user")
        place = next((at for at in said if not self.transcript[at].is_private), None)
        if place is None:
            raise CheckpointError("There is no message to undo.")
        start = sum(mark.place <= place for mark in self._past.marks)
        while place and self.transcript[place - 1].is_private:
            place -= 1  # what the model was told about that message
        return self._go_back(place, start, conflicts)

    def redo(self, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo back."""
        if not self._past.undone:
            raise CheckpointError("There is nothing to redo.")
        messages, marks = self._past.undone[-1]
        told = self._redone(len(marks), conflicts)
        self._past.bring_back()
        for message in messages:
            self._write(message)
        return "; ".join([*told, *_messages(len(messages), "back")])

    def _redone(self, count: int, conflicts: OnConflict) -> list[str]:
        """Do blocks again, all of them or none."""
        told: list[str] = []
        try:
            for _ in range(count):
                told.append(self.engine.checkpoints().redo(conflicts))
        except CheckpointError:
            if told:
                self.engine.checkpoints().undo(len(told), "keep")
            raise
        return told

    def diff(self, block: int | str = 1) -> str:
        """What a block did to files: counted back from the last one, or by its checkpoint."""
        if isinstance(block, str):
            return self.engine.checkpoints().diff(block)
        marks = self._past.marks
        if not 1 <= block <= len(marks):
            raise CheckpointError(f"There are {len(marks)} blocks to compare.")
        return self.engine.checkpoints().diff(marks[-block].checkpoint)

    def _is_of_the_same_reply(self, mark: Mark, place: int) -> bool:
        inside = mark.place == place < len(self.transcript)
        return inside and self.transcript[place].role == "assistant"

    def _go_back(self, place: int, start: int, conflicts: OnConflict) -> str:
        count = len(self._past.marks) - start
        told = [self.engine.checkpoints().undo(count, conflicts)] if count else []
        gone = self.transcript.cut(place)
        if self._store is not None:
            self._store.retract(self.id, place)
        self._past.take_back(start, gone)
        return "; ".join([*told, *_messages(len(gone), "taken back")])

    def interrupt(self) -> None:
        """Stop the running turn soon, with all kept; callable from any thread or signal handler."""
        self._interrupt.request()

    @property
    def stopping(self) -> bool:
        """Whether the running turn, or the last one, was asked to stop."""
        return self._interrupt.requested

    def _record(self, message: Message) -> None:
        self._past.forget_undone()  # what happens now is another future than the one taken back
        self._write(message)

    def _write(self, message: Message) -> None:
        if self._store is not None:
            self._store.append(self.id, len(self.transcript), message)
        self._deltas = 0
        self.transcript.add(message)

    def _keep(self, event: ev.Event) -> None:
        if isinstance(event, ev.CheckpointTaken):
            self._past.add(Mark(event.checkpoint, self._last_reply()))
        if isinstance(event, ev.CheckpointDiscarded):
            self._past.drop_last()
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


def _as_generator(turn: Turn) -> Generator[ev.Event, None, None]:
    yield from run_turn(turn)


def _messages(count: int, what: str) -> list[str]:
    some = "1 message" if count == 1 else f"{count} messages"
    return [f"{some} {what}"] if count else []
