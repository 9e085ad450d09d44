"""A conversation: the one stateful object, and the only one that writes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing

from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    DisplayShown,
    Event,
    OutputCleared,
    OutputDelta,
    ReasoningDelta,
    TextDelta,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Message, Role, user_says
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
        on_close: Iterable[Callable[[], None]] = (),
    ) -> None:
        self.engine = engine  # replace it between turns, never within one
        self.id = session_id
        self.transcript = Transcript(messages)
        self._store = store
        self._on_close = tuple(on_close)
        self._interrupt = Interrupt()
        self._deltas = 0

    def send(self, message: str | Message) -> Generator[Event, None, None]:
        """Say something; the events of the turn it starts. Closing the generator stops the turn."""
        self._record(user_says(message) if isinstance(message, str) else message)
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

    def interrupt(self) -> None:
        """Stop the running turn soon, with all kept; callable from any thread or signal handler."""
        self._interrupt.request()

    @property
    def stopping(self) -> bool:
        """Whether the running turn, or the last one, was asked to stop."""
        return self._interrupt.requested

    def close(self) -> None:
        """Give back what the session holds."""
        for close in self._on_close:
            close()

    def _record(self, message: Message) -> None:
        if self._store is not None:
            self._store.append(self.id, len(self.transcript), message)
        self._deltas = 0
        self.transcript.add(message)

    def _keep(self, event: Event) -> None:
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


def _as_generator(turn: Turn) -> Generator[Event, None, None]:
    yield from run_turn(turn)
