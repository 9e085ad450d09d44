"""`Interpreter`: the typed way in. Settings are given once; everything that happens is an event."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from interpreter import lmc
from interpreter.assembly import SessionFactory
from interpreter.facade.typed.dialogue import Dialogue
from interpreter.facade.typed.result import Block, Result
from interpreter.facade.workplace import OwnedFactory
from interpreter.models.nobody import NobodyToAsk
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import Event
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Checkpoint,
    OnConflict,
    nobody_answers,
)
from interpreter.session.session import Session
from interpreter.settings.profiles import Confirm, nobody_confirms, with_profile
from interpreter.settings.settings import Settings, changed
from interpreter.terminal.profile_parts import equip, own_parts, run_first

if TYPE_CHECKING:
    from interpreter.assembly.attempts import Attempt

T = TypeVar("T")


class Interpreter:
    """A conversation with a model that runs code here. Use it as a context manager.

    `approve` is asked before code runs; `auto_run=True` runs without asking. Every other setting
    may be given by name; a profile, if one is named, lies below them. A profile from elsewhere is
    used only if `confirm(address, text)` says so. `resume` is the id of a kept session, or a
    conversation that Open Interpreter saved, by its path.
    """

    def __init__(
        self,
        model: str = "",
        *,
        profile: str = "",
        confirm: Confirm = nobody_confirms,
        resume: str = "",
        approve: Approver | None = None,
        answer: Answerer = nobody_answers,
        **settings: Any,
    ) -> None:
        given = {**settings, **({"model": model} if model else {})}
        self._own = own_parts()
        below = with_profile(Settings(), profile, confirm, self._own) if profile else Settings()
        self.settings = changed(below, given, source="Interpreter")
        self._resume = resume
        self._approve, self._answer = approve, answer
        self._attempt: Attempt | None = None
        self._session: Session | None = None
        self._dialogue = Dialogue(self._factory, self._ready_session, self._turn, approve)
        self._owned_factory = OwnedFactory(self._dialogue.approve, answer)
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Talking.

    def stream(self, message: str | Message) -> Generator[Event, None, None]:
        """Say something; what happens, as it happens. Closing the generator stops it."""
        return self._dialogue.stream(message)

    @overload
    def ask(self, message: str | Message) -> Result: ...
    @overload
    def ask(self, message: str, *, returns: type[T], retries: int = 2) -> T: ...
    def ask(
        self, message: str | Message, *, returns: type[T] | None = None, retries: int = 2
    ) -> Result | T:
        """Say something and wait. With `returns`, the answer is a value of that type."""
        if returns is None:
            return self._dialogue.ask(message)
        if not isinstance(message, str):
            raise ConfigurationError("A question with `returns` is a text.")
        value: T = self._dialogue.ask_for(message, returns, retries=retries)
        return value

    def proceed(self) -> Result:
        """Go on without saying anything: code that is still proposed runs."""
        return self._dialogue.ask(None)

    def allow(self) -> None:
        """Let what asks for approval run; call it when ApprovalRequested comes."""
        self._dialogue.decide(Decision("yes"))

    def decline(self, reason: str = "") -> None:
        """Do not let it run; the model reads the reason, and without one the turn ends."""
        self._dialogue.decide(Decision("no", reason))

    def interrupt(self) -> None:
        """Stop the running turn soon, with all kept; callable from any thread."""
        if self._session is not None:
            self._dialogue.interrupt()

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation so far; a live view."""
        return self._ready_session().transcript

    @property
    def last(self) -> Result | None:
        """What came of the last question, with its cost."""
        return self._dialogue.last

    # Working by hand.

    def run(self, language: str, source: str) -> Block:
        """Run a block in the REPL that the model uses."""
        return self._dialogue.run(language, source)

    def value(self, expression: str, *, unpickle: bool = False) -> Any:
        """A Python variable of the code, brought over as data; unpickled only if you say so."""
        return self._dialogue.value(expression, unpickle=unpickle)

    def put(self, name: str, value: Any) -> None:
        """Make a Python variable for the code, from data, arrays or tables."""
        self._dialogue.put(name, value)

    # Going back.

    def undo(self, count: int = 1, *, to: str = "", conflicts: OnConflict = "refuse") -> str:
        """Take the last blocks back, or all from the checkpoint `to` on; one line says what.

        The conversation, files and variables go back together. `conflicts` is for files that
        somebody else changed since: refuse, keep or overwrite them.
        """
        session = self._ready_session()
        return session.undo_to(to, conflicts) if to else session.undo(count, conflicts)

    def undo_message(self, *, conflicts: OnConflict = "refuse") -> str:
        """Take the last message back, with all that came of it."""
        return self._ready_session().undo_message(conflicts)

    def redo(self, *, conflicts: OnConflict = "refuse") -> str:
        """Take the last undo back."""
        return self._ready_session().redo(conflicts)

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The states that can be gone back to, oldest first."""
        return self._ready_session().engine.checkpoints().list()

    def diff(self, block: int | str = 1) -> str:
        """What a block did to files: the last one, the one before (2), or by its name."""
        return self._ready_session().diff(block)

    # Trying several ways.

    def fork(self) -> Interpreter:
        """Another interpreter with the same conversation, variables, and files in a copy.

        Use it as a context manager: what is not kept by then is gone.
        """
        from interpreter.assembly.attempts import Attempt  # noqa: PLC0415  (rarely asked for)

        other = Interpreter(approve=self._approve, answer=self._answer)
        attempt = Attempt(
            self._factory(),
            self._ready_session(),
            self.settings,
            approve=other._dialogue.approve,
            answer=self._answer,
            model=NobodyToAsk(),
        )
        other.settings, other._session, other._attempt = attempt.settings, attempt.session, attempt
        other._owned_factory.move_into(attempt.factory)
        return other

    def compare(self, other: Interpreter) -> str:
        """What a fork of this interpreter did: messages, variables, files."""
        return other._as_attempt().compare()

    def keep(self, other: Interpreter, *, conflicts: OnConflict = "refuse") -> str:
        """Make what a fork did what happened here, as one block to be undone; the fork is over."""
        told = other._as_attempt().keep(conflicts)
        other.close()
        return told

    def _as_attempt(self) -> Attempt:
        if self._attempt is None or self._closed:
            raise ConfigurationError("This is no fork, or it is over; fork() makes one.")
        return self._attempt

    def close(self) -> None:
        """End every process that was started."""
        if self._attempt is not None and not self._closed:
            self._attempt.close()
        self._closed = True
        self._session = None
        self._owned_factory.close()

    # How it is put together.

    def _turn(self, message: str | Message | None) -> Generator[Event, None, None]:
        session = self._ready_session()
        session.engine = self._factory().engine(self.settings)
        return session.proceed() if message is None else session.send(message)

    def _ready_session(self) -> Session:
        """The session, for work by hand; a model comes with the first turn."""
        if self._session is None:
            self._session = self._opened()
            run_first(self._factory(), self._own)
        return self._session

    def _opened(self) -> Session:
        factory, model = self._factory(), NobodyToAsk()
        if not self._resume.endswith(".json"):
            return factory.open_session(self.settings, resume=self._resume, model=model)
        kept = lmc.decode_all(lmc.read_conversation(Path(self._resume)))
        return factory.open_session(self.settings, messages=kept, model=model)

    def _factory(self) -> SessionFactory:
        if self._closed:
            raise ConfigurationError("This interpreter is closed; make a new one.")
        is_new = not self._owned_factory.is_open
        factory = self._owned_factory.open(lambda: self.settings)
        if is_new:
            equip(factory, self._own)
        return factory
