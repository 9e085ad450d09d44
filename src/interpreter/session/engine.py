"""What a turn works with, handed in and frozen for as long as it lasts; how the model is asked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from interpreter.protocol.errors import ContextTooLong, ModelError, OutOfBudget
from interpreter.protocol.events import ModelEvent, ModelRetrying, ReplyFinished
from interpreter.protocol.hooks import HookCall, RunHooks, no_hooks
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Message, Part, Text
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Checkpoints,
    Model,
    Policy,
    Request,
    Tool,
    ToolSpec,
)
from interpreter.protocol.values import frozen
from interpreter.session.budget import Budget
from interpreter.session.draft import Draft
from interpreter.session.request.context import Context

MOST_SENT_ON = 5


@frozen
class TurnLimits:
    """Where a turn ends by itself."""

    steps: int = 100
    repeats: int = 3


@frozen
class Asking:
    """The words around a conversation, the view of it that is sent, and the purse."""

    context: Context
    budget: Budget
    system: Callable[[], str] = str
    """The text before the conversation, as far as the facts in it are known."""
    tools: tuple[ToolSpec, ...] = ()
    meanwhile: Callable[[], None] = lambda: None
    """Begins, in the background, what can be done while the model thinks."""

    def stream(
        self, model: Model, history: Sequence[Message], interrupt: Interrupt
    ) -> Generator[ModelEvent, None, None]:
        """Ask; a request that turns out too long is shortened and sent again."""
        while True:
            request = self._request(history)
            self.meanwhile()
            try:
                yield from self._listen(model, request, interrupt)
                return
            except ContextTooLong:
                if not self.context.overflowed():
                    raise

    def _listen(
        self, model: Model, request: Request, interrupt: Interrupt
    ) -> Generator[ModelEvent, None, None]:
        shown = False
        try:
            with closing(_delegated(model, request, interrupt)) as events:
                for event in events:
                    shown = shown or not isinstance(event, ModelRetrying)
                    self._learn(event)
                    yield event
        except ContextTooLong as error:
            if shown:  # asking again would say everything twice
                raise ModelError(str(error)) from error
            raise

    def _request(self, history: Sequence[Message]) -> Request:
        request = self.context.prepare(self.system(), self.tools, history)
        objection = self.budget.objection(self.context.tokens)
        if objection:
            raise OutOfBudget(objection)
        return request

    def _learn(self, event: ModelEvent) -> None:
        if isinstance(event, ReplyFinished):
            self.context.learn(event.usage)
            self.budget.add(event.usage)


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
    hooks: RunHooks = no_hooks
    """Told of what the user says and of the model's last word; they may refuse either."""


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

    def is_sent_on(self, before: int) -> bool:
        """Whether a hook does not let the model stop here: it is told why, a few times at most."""
        said = self.history[-1].text if self.history else ""
        payload = {"stop_hook_active": before > 0, "last_assistant_message": said}
        answer = self.engine.hooks(HookCall("Stop", payload))
        if answer.ruling != "deny" or answer.stop is not None or before >= MOST_SENT_ON:
            return False
        told = Text(answer.reason or "A hook wants you to go on.")
        self.record(Message("user", (told,), audience="assistant"))
        return True


def _delegated(
    model: Model, request: Request, interrupt: Interrupt
) -> Generator[ModelEvent, None, None]:
    """The same stream, but one whose closing closes the model's at once."""
    yield from model.stream(request, interrupt)
