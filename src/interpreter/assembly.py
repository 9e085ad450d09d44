"""The only module that knows every concrete class: settings become a session."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Model,
    Policy,
    Request,
    Tool,
    ToolContext,
)
from interpreter.session.engine import Engine, Limits
from interpreter.session.session import Session
from interpreter.session.store import Store
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings

DEMO = "scripted/demo"


class Workshop:
    """The parts that outlive a turn: store, cell, runtimes, model. It makes engines out of settings."""

    def __init__(self, settings: Settings, approve: Approver, answer: Answerer) -> None:
        self._settings = settings
        self._approve = approve
        self._answer = answer
        self._models: dict[str, Model] = {}
        self._closing: list[Callable[[], None]] = []

    # What faces use.

    def open_session(
        self, settings: Settings, *, resume: str = "", messages: Iterable[Message] = ()
    ) -> Session:
        """A new session, or one that goes on where it was left."""
        engine = self.engine(settings)
        self._runtimes.warm("python")
        if resume:
            return self._resumed(engine, resume)
        if not settings.keep_history:
            return Session(engine, messages=messages)
        session_id = self.store.create(model=engine.model.name, directory=str(Path.cwd()))
        for place, message in enumerate(messages := tuple(messages)):
            self.store.append(session_id, place, message)
        return Session(engine, store=self.store, session_id=session_id, messages=messages)

    def engine(self, settings: Settings) -> Engine:
        """What a turn works with under these settings."""
        from interpreter.checkpoints.none import NoCheckpoints

        return Engine(
            model=self._model(settings),
            tools=self._tools,
            policy=self._policy(settings),
            checkpoints=NoCheckpoints(),
            prepare=partial(_request, self._system_text(settings), self._tools),
            approve=self._approve,
            answer=self._answer,
            limits=Limits(steps=settings.max_steps),
        )

    def run(self, action: Code) -> Iterator[RuntimeEvent]:
        """Run a block by hand, without a model."""
        yield from self._tools["execute"].run(action, ToolContext(self._answer, Interrupt()))

    def restart_runtimes(self) -> None:
        """End every REPL; they start again when they are needed."""
        if "_runtimes" in self.__dict__:
            self._runtimes.close()
            del self.__dict__["_runtimes"]
            self.__dict__.pop("_tools", None)

    def close(self) -> None:
        """End everything that was started."""
        while self._closing:
            self._closing.pop()()

    @cached_property
    def store(self) -> Store:
        """The sessions of this user."""
        store = Store(data_directory())
        self._closing.append(store.close)
        return store
