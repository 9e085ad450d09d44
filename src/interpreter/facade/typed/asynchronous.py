"""`AsyncInterpreter`: the typed way in for asyncio, and what Open Interpreter's servers use."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from interpreter import lmc
from interpreter.assembly.live import EventLog, Questions, SessionThread
from interpreter.facade.compatible.interpreter import OpenInterpreter
from interpreter.facade.typed.dialogue import Dialogue
from interpreter.facade.typed.going_back import GoingBack
from interpreter.facade.typed.result import Block, Result
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ApprovalRequested, Event
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import Approver, OnConflict
from interpreter.server.lmc.pipe import Pipe
from interpreter.session.session import Session

if TYPE_CHECKING:
    from interpreter.facade.compatible.served import InterpreterServer

T = TypeVar("T")


class AsyncInterpreter(OpenInterpreter):
    """An interpreter whose turns run in a thread while the event loop goes on."""

    def __init__(
        self, *args: Any, model: str = "", approve: Approver | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        if model:
            self.llm.model = model
        self._given_approve = approve
        self._dialogue = Dialogue(self._open_factory, self._talk, self._typed, approve)
        self._typed_turn = False
        self._thread = SessionThread("interpreter")
        self._questions = Questions(lambda number, by: None)
        self._pipe = Pipe(self._chunk_turn, self._stop)
        self.id = os.environ.get("INTERPRETER_ID", str(time.time()))
        self.print = False
        wish = os.environ.get("INTERPRETER_REQUIRE_ACKNOWLEDGE", "")
        self.require_acknowledge = wish.lower() in ("true", "1")
        self.acknowledged_outputs: list[str] = []
        self.unsent_messages: list[dict[str, Any]] = []
        self.context_mode = False
        self._server: InterpreterServer | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._in_thread(self.close)
        self._thread.close()

    # The typed way.

    async def stream(self, message: str | Message) -> AsyncGenerator[Event, None]:
        """Say something; what happens, as it happens. Leaving the loop stops the turn."""
        stop = threading.Event()
        log: EventLog[Event] = EventLog()
        with log.reader() as reader:
            playing = self._in_thread(self._play, message, log, stop)
            try:
                async for one in reader:
                    yield one.event
                    self._questions.close("end")  # whoever goes on has answered, or keeps silent
                await playing
            finally:
                log.wait_for_readers(False)
                if not playing.done():
                    await asyncio.shield(self._ended(playing, stop))

    def _play(self, message: str | Message, log: EventLog[Event], stop: threading.Event) -> None:
        try:
            for event in self._dialogue.stream(message, stop):
                self._tell(event, log)
        finally:
            log.end()

    def _tell(self, event: Event, log: EventLog[Event]) -> None:
        with log.changed:  # whoever reads a question can answer it at once
            number = log.append(event)
            if isinstance(event, ApprovalRequested):
                self._questions.put(number, event)

    @overload
    async def ask(self, message: str | Message) -> Result: ...
    @overload
    async def ask(self, message: str, *, returns: type[T], retries: int = 2) -> T: ...
    async def ask(
        self, message: str | Message, *, returns: type[T] | None = None, retries: int = 2
    ) -> Result | T:
        """Say something and wait. With `returns`, the answer is a value of that type."""
        if returns is None:
            return await self._stoppable(lambda stop: self._dialogue.ask(message, stop))
        if not isinstance(message, str):
            raise ConfigurationError("A question with `returns` is a text.")
        value: T = await self._stoppable(
            lambda stop: self._dialogue.ask_for(message, returns, retries=retries, stop=stop)
        )
        return value

    def allow(self) -> None:
        """Let what asks for approval run; call it when ApprovalRequested comes."""
        self._dialogue.decide(Decision("yes"))

    def decline(self, reason: str = "") -> None:
        """Do not let it run; the model reads the reason, and without one the turn ends."""
        self._dialogue.decide(Decision("no", reason))

    async def run(self, language: str, source: str) -> Block:
        """Run a block in the REPL that the model uses."""
        return await self._stoppable(lambda stop: self._dialogue.run(language, source))

    async def value(self, expression: str, *, unpickle: bool = False) -> Any:
        """A Python variable of the code, brought over as data; unpickled only if you say so."""
        return await self._in_thread(lambda: self._dialogue.value(expression, unpickle=unpickle))

    async def put(self, name: str, value: Any) -> None:
        """Make a Python variable for the code, from data, arrays or tables."""
        await self._in_thread(self._dialogue.put, name, value)

    async def undo(  # type: ignore[override]
        self, count: int = 1, *, to: str = "", conflicts: OnConflict = "refuse"
    ) -> str:
        """Take the last blocks back: messages, files and variables; one line says what."""
        work = partial(super().undo, count, to=to, conflicts=conflicts)
        return await self._in_thread(work)

    async def redo(self, *, conflicts: OnConflict = "refuse") -> str:  # type: ignore[override]
        """Take the last undo back."""
        return await self._in_thread(partial(super().redo, conflicts=conflicts))

    async def diff(self, block: int | str = 1) -> str:  # type: ignore[override]
        """What a block did to files: the last one, the one before (2), or by its name."""
        return await self._in_thread(super().diff, block)

    async def fork(self) -> Self:  # type: ignore[override]
        """Another interpreter with the same messages, variables, and files in a copy."""
        return await self._in_thread(super().fork)

    async def compare(self, other: GoingBack) -> str:  # type: ignore[override]
        """What a fork of this interpreter did: messages, variables, files."""
        return await self._in_thread(super().compare, other)

    async def keep(  # type: ignore[override]
        self, other: GoingBack, *, conflicts: OnConflict = "refuse"
    ) -> str:
        """Make what a fork did what happened here, as one block to be undone; the fork is over."""
        return await self._in_thread(partial(super().keep, other, conflicts=conflicts))

    # The way of Open Interpreter's servers.

    async def input(self, chunk: dict[str, Any] | bytes) -> None:
        """Take a chunk of what the user says; the end flag starts the answer, `stop` ends it."""
        await self._pipe.put(chunk)

    async def output(self) -> dict[str, Any]:
        """The next chunk of the answer; after the last one comes the status `complete`."""
        return await self._pipe.get()

    def accumulate(self, chunk: dict[str, Any]) -> None:
        """Add a chunk to the message that is being made, without answering it."""
        self._pipe.accumulate(chunk)

    @property
    def respond_thread(self) -> threading.Thread | None:
        """The thread that answers, while there is one."""
        return self._pipe.thread

    @property
    def stop_event(self) -> threading.Event:
        """Set it, and the answer ends soon."""
        return self._pipe.stopping

    @property
    def output_queue(self) -> Any:
        """What waits to be read by `output`."""
        return self._pipe.waiting

    @property
    def server(self) -> InterpreterServer:
        """The HTTP and WebSocket server around this interpreter: `host`, `port`, `app`, `run()`."""
        if self._server is None:
            from interpreter.facade.compatible.served import InterpreterServer  # noqa: PLC0415

            self._server = InterpreterServer(self)
        return self._server

    async def run_by_hand(self, language: str, source: str) -> list[dict[str, Any]]:
        """Run code; what it printed and showed, as dictionaries."""
        return list(await self._in_thread(self.computer.run, language, source))

    def work_directory(self) -> Path:
        """Where code works."""
        return self._settings(render=False).directory()

    # How it works.

    def _chunk_turn(self, new: list[dict[str, Any]]) -> Generator[dict[str, Any], None, None]:
        """An answer; it ends before a confirmation, which `go` gives."""
        self.messages.extend(new)
        for chunk in self._respond_and_store():
            if chunk.get("type") == "confirmation" and new:
                return
            yield chunk

    def _typed(self, message: str | Message | None) -> Generator[Event, None, None]:
        said = lmc.encode(message)[0] if isinstance(message, Message) else message
        self._typed_turn = True
        return self._events(said, display=False)

    def _approve(self, request: ApprovalRequested) -> Decision:
        if self._typed_turn:
            if self._questions.is_about(request):
                self._questions.wait()
            return self._dialogue.approve(request)
        return super()._approve(request)

    def _another(self) -> Self:
        return type(self)(approve=self._given_approve)

    def _talk(self) -> Session:
        return self._session or self._session_by_hand()

    def _stop(self) -> None:
        if self._session is not None:
            self._dialogue.interrupt()

    async def _stoppable(self, work: Callable[[threading.Event], T]) -> T:
        """The work in its thread; cancelling the task stops the turn and waits for its end."""
        stop = threading.Event()
        running = self._in_thread(work, stop)
        return await self._thread.stoppable(running, partial(self._stop_all, stop))

    async def _ended(self, running: asyncio.Future[Any], stop: threading.Event) -> None:
        await self._thread.stopped(running, partial(self._stop_all, stop))
        if not running.cancelled():
            running.exception()  # which nobody waits for any more

    def _stop_all(self, stop: threading.Event, by_force: bool) -> None:
        """Stop what runs; what does not stop by itself is stopped by force."""
        stop.set()
        self._questions.close("interrupt")
        if by_force:
            self._dialogue.interrupt(force=True)
        else:
            self._stop()

    def _in_thread(self, work: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        return self._thread.ado(work, *args)
