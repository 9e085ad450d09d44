"""A session on a thread of its own, for a face that cannot stand still while a turn runs."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Literal, TypeVar

from interpreter.assembly.live.log import EventLog
from interpreter.assembly.live.questions import Questions
from interpreter.assembly.live.thread import SessionThread
from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.assembly.session_factory import SessionFactory
from interpreter.models.nobody import NobodyToAsk
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import InterpreterError, NotApproved
from interpreter.protocol.events import (
    ActionStarted,
    ApprovalRequested,
    Event,
    InputRequested,
    MessageFinished,
    Notice,
    TurnFinished,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.live import ClosedBy, LiveEvent, QuestionClosed, TurnStarted, WentBack
from interpreter.protocol.messages import Code, Message, user_says
from interpreter.protocol.ports import nobody_approves
from interpreter.session.session import Session
from interpreter.settings.settings import Settings

T = TypeVar("T")
State = Literal["idle", "running", "waiting"]
Begun = Callable[[Message | None], None]
SETTLING = TurnStarted | MessageFinished | TurnFinished | WentBack
logger = logging.getLogger(__name__)


class Busy(InterpreterError):
    """The session is in the middle of something."""


class LiveSession:
    """Everything that happens goes to `log`; all that is asked of it may come from any thread.

    One turn runs at a time, and whoever wants another one meanwhile is told Busy. What a turn asks
    is answered by its number in the log, through `questions`. `prepare` is handed what makes the
    session, before it is opened.
    """

    def __init__(
        self,
        settings: Settings,
        log: EventLog[LiveEvent],
        session_id: str = "",
        messages: Sequence[Message] = (),
        prepare: Callable[[SessionFactory], None] = lambda factory: None,
    ) -> None:
        self.id = session_id
        self._prepare = prepare
        self.settings = settings
        self.log = log
        self.questions = Questions(self._question_closed)
        self.used = time.monotonic()
        """When it did something last."""
        self.has_run = False
        """Whether it has run code since it was opened."""
        self._thread = SessionThread(f"session {session_id}")
        self._factory: SessionFactory | None = None
        self._session: Session | None = None
        self._by_hand = Interrupt()
        self._messages = messages
        self._lock = threading.Lock()
        self._busy = False
        self._stop = False
        self._settled = (log.last, 0)

    @property
    def state(self) -> State:
        """What it does now."""
        if self.questions.open is not None:
            return "waiting"
        return "running" if self._busy else "idle"

    def move_into(self, factory: SessionFactory, session: Session) -> None:
        """Go on with a session that somebody else has opened for us."""
        self._factory, self._session, self.id = factory, session, session.id
        self._settled = (self.log.last, len(session.transcript))

    # Turns.

    def send(self, message: str | Message) -> Future[int]:
        """Say something; the number of TurnStarted, once the message is kept."""
        said = user_says(message) if isinstance(message, str) else message
        return self._begin(lambda session, begun: session.send(said, heard=begun))

    def proceed(self) -> Future[int]:
        """A turn without a new message: what was proposed last is asked about, or it goes on."""
        return self._begin(_without_a_message)

    def run(self, action: Code) -> Future[int]:
        """Run a block by hand, without the model; it can be undone."""
        return self._begin(lambda session, begun: self._block(action, session, begun), model=False)

    def interrupt(self, *, force: bool = False) -> None:
        """Stop what runs; asked again, by force, it ends even at the REPL's cost."""
        self._stop = True
        self.questions.close("interrupt")
        session = self._session
        if session is not None and (force or not session.stopping):
            session.interrupt()
        if force or not self._by_hand.requested:
            self._by_hand.request()

    def leave_proposed(self) -> None:
        """End a turn that waits for approval; `proceed` asks again."""
        self.questions.close("end")

    def use(self, work: Callable[[SessionFactory, Session], T]) -> Future[T]:
        """Do something with the session between turns, on its thread."""
        self._occupy()
        return self._thread.do(self._between_turns, work)

    def go_back(self, work: Callable[[Session], str]) -> Future[str]:
        """Undo or redo, and tell the readers what came of it."""

        def gone_back(factory: SessionFactory, session: Session) -> str:
            told = work(session)
            self._record(WentBack(told, len(session.transcript)))
            return told

        return self.use(gone_back)

    def snapshot(self) -> tuple[Sequence[Message], int] | None:
        """The messages, and the number of the last event that they hold; None before it opened."""
        with self.log.changed:
            if self._session is None:
                return None
            number, count = self._settled
            return tuple(self._session.transcript[:count]), max(number, self.log.first - 1)

    def close(self) -> None:
        """Stop what runs, save the variables, and end every process.

        Code that waits for approval stays proposed.
        """
        self.leave_proposed()
        if self._busy:
            self.interrupt()
        self._thread.do(self._leave).result()
        self._thread.close()

    # On the thread of the session.

    def _occupy(self) -> None:
        with self._lock:
            if self._busy:
                raise Busy("A turn is running; interrupt it or wait.")
            self._busy = True
            self._stop = False
            self.used = time.monotonic()

    def _begin(
        self, events: Callable[[Session, Begun], Iterator[Event]], *, model: bool = True
    ) -> Future[int]:
        self._occupy()
        started: Future[int] = Future()
        self._thread.do(self._play, events, started, model)
        return started

    def _play(
        self,
        events: Callable[[Session, Begun], Iterator[Event]],
        started: Future[int],
        model: bool,
    ) -> None:
        end: BaseException | TurnFinished | None = None
        try:
            session = self._ready(with_model=model)
            for event in events(session, lambda said: self._started(said, started)):
                if isinstance(event, TurnFinished):
                    end = event  # told when it is so, and the next turn can begin
                else:
                    self._record(event)
                if self._stop and not session.stopping:
                    session.interrupt()  # it was asked before there was anything to interrupt
        except NotApproved as error:
            end = TurnFinished("declined", str(error))
        except InterpreterError as error:
            end = end or error
        except Exception as error:
            logger.exception("A turn broke off.")
            end = InterpreterError(f"An error of ours, {type(error).__name__}; see the log.")
        finally:
            self._ended(end, started)

    def _started(self, said: Message | None, started: Future[int]) -> None:
        started.set_result(self._record(TurnStarted(said)))

    def _ended(self, end: BaseException | TurnFinished | None, started: Future[int]) -> None:
        self.used = time.monotonic()
        if not started.done():
            self._busy = False
            started.set_exception(end if isinstance(end, Exception) else Busy("Nothing began."))
            return
        with self.log.changed:  # whoever reads that it is over can begin the next one at once
            self._busy = False
            failed = TurnFinished("failed", str(end or ""))
            self._record(end if isinstance(end, TurnFinished) else failed)

    def _block(self, action: Code, session: Session, begun: Begun) -> Iterator[Event]:
        assert self._factory is not None, "the session is ready"
        self._by_hand.clear()
        begun(None)
        yield ActionStarted(action)
        yield from session.by_hand(action, self._factory.run(action, self._by_hand))
        yield TurnFinished("interrupted" if self._by_hand.requested else "answered")

    def _between_turns(self, work: Callable[[SessionFactory, Session], T]) -> T:
        try:
            session = self._ready(with_model=False)
            assert self._factory is not None, "the session is ready"
            return work(self._factory, session)
        finally:
            self.used = time.monotonic()
            self._busy = False

    def _ready(self, *, with_model: bool) -> Session:
        """The session, which goes on where it was left; a model comes with the first turn."""
        if self._factory is None:
            face = FaceCallbacks(notice=lambda text: self._notice(text))
            self._factory = SessionFactory(self.settings, self.approve, self.answer, face)
            self._prepare(self._factory)
        if self._session is None:
            session = self._factory.open_session(
                self.settings, resume=self.id, messages=self._messages, model=NobodyToAsk()
            )
            with self.log.changed:
                self._session, self.id = session, session.id
                self._settled = (self.log.last, len(session.transcript))
        if with_model:
            self._session.engine = self._factory.engine(self.settings)
        return self._session

    def _leave(self) -> None:
        with self.log.changed:
            factory, self._factory, self._session = self._factory, None, None
        if factory is not None:
            factory.close()

    # What is said and asked.

    def approve(self, request: ApprovalRequested) -> Decision:
        """Wait for somebody's decision; silence means no."""
        if not self.questions.is_about(request):
            self._record(request)
        reply, by = self.questions.wait()
        if isinstance(reply, Decision):
            return reply
        if by == "end" and request.proposed:
            raise NotApproved("The code is still proposed.")
        return nobody_approves(request) if by == "timeout" else Decision("stop", "it was stopped")

    def answer(self, request: InputRequested) -> str | None:
        """Wait for somebody's line of input."""
        if not self.questions.is_about(request):
            self._record(request)
        reply, _ = self.questions.wait()
        return reply if isinstance(reply, str) else None

    def _question_closed(self, number: int, by: ClosedBy) -> None:
        self._record(QuestionClosed(number, by))

    def _notice(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the disk is full; the turn itself tells of it
            self._record(Notice(text))

    def _record(self, event: LiveEvent) -> int:
        with self.log.changed:  # whoever reads a question can answer it at once
            number = self.log.append(event)
            if isinstance(event, ApprovalRequested | InputRequested):
                self.questions.put(number, event)
            self.has_run = self.has_run or isinstance(event, ActionStarted)
            if isinstance(event, SETTLING) and self._session is not None:
                self._settled = (number, len(self._session.transcript))
        return number


def _without_a_message(session: Session, begun: Begun) -> Iterator[Event]:
    begun(None)
    yield from session.proceed()
