"""What a turn works with, handed in and frozen for as long as it lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Message, Part
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Checkpoints,
    Model,
    Policy,
    Tool,
)
from interpreter.protocol.values import frozen
from interpreter.session.draft import Draft
from interpreter.session.request.asking import Asking


@frozen
class TurnLimits:
    """Where a turn ends by itself."""

    steps: int = 100
    repeats: int = 3


@frozen
class Engine:
    """The parts of a session that a turn uses."""

    model: Model
    tools: Mapping[str, Tool]
    policy: Callable[[], Policy]
    """Gives the policy, which is made when the first action is proposed."""
    checkpoints: Callable[[], Checkpoints]
    """Gives the checkpoints of the sandbox that is open now."""
    asking: Asking
    approve: Approver
    answer: Answerer
    limits: TurnLimits = TurnLimits()
    before_block: Callable[[], None] = lambda: None
    """Prepares the place where a block is about to run."""


@frozen
class Turn:
    """One turn: `history` is a live view of what `record` has appended so far."""

    history: Sequence[Message]
    engine: Engine
    record: Callable[[Message], None]
    interrupt: Interrupt

    @contextmanager
    def keeping(self, draft: Draft, *last_words: Part) -> Iterator[None]:
        """Whatever breaks off the work inside, what had come together is recorded first."""
        try:
            yield
        except BaseException:
            for part in last_words:
                draft.put(part)
            partial = draft.message("interrupted")
            if partial is not None:
                self.record(partial)
            raise
