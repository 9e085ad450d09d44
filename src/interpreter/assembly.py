"""The only module that knows every concrete class: settings become a session."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Cell,
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

if TYPE_CHECKING:
    from interpreter.runtimes.pool import RuntimePool

DEMO = "scripted/demo"


class Workshop:
    """What outlives a turn: store, cell, runtimes, model. It makes engines out of settings."""

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

    # How it is put together.

    def _resumed(self, engine: Engine, name: str) -> Session:
        session_id = self.store.find(name)
        self.store.settle(session_id)
        messages = self.store.messages(session_id)
        return Session(engine, store=self.store, session_id=session_id, messages=messages)

    def _model(self, settings: Settings) -> Model:
        name = settings.model or DEMO
        if name not in self._models:
            self._models[name] = _resolve(name)
        return self._models[name]

    def _policy(self, settings: Settings) -> Policy:
        from interpreter.policies.approvals import AskFirst, RunAll

        return RunAll() if settings.auto_run else AskFirst()

    def _system_text(self, settings: Settings) -> str:
        text = settings.system_message or _default_system_text(settings.directory(), self.languages)
        return "\n\n".join(filter(None, (text, settings.custom_instructions)))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._runtimes.names()

    @cached_property
    def _cell(self) -> Cell:
        from interpreter.sandboxes.none import NoSandbox

        cell = NoSandbox().open(self._settings.directory())
        self._closing.append(cell.close)
        return cell

    @cached_property
    def _runtimes(self) -> RuntimePool:
        from interpreter.runtimes.pool import RuntimePool

        pool = RuntimePool(self._cell.launch, self._cell.exchange)
        self._closing.append(pool.close)
        return pool

    @cached_property
    def _tools(self) -> dict[str, Tool]:
        from interpreter.tools.run_code import RunCode

        return {"execute": RunCode(self._runtimes)}


def _resolve(name: str) -> Model:
    from interpreter.models import scripted

    if name == DEMO:
        return scripted.load(Path(scripted.__file__).with_name("demo.yaml"), name=DEMO)
    if name.startswith("scripted/"):
        return scripted.load(Path(name.removeprefix("scripted/")), name=name)
    raise ConfigurationError(f"There is no model {name!r}.")


def _request(system: str, tools: dict[str, Tool], history: Sequence[Message]) -> Request:
    return Request(system, history, tuple(tool.spec for tool in tools.values()))


def _default_system_text(directory: Path, languages: tuple[str, ...]) -> str:
    return (
        "You reach the user's goal by writing code that runs on the user's machine, in small blocks "
        f"whose output you read before you go on. Languages: {', '.join(languages)}; variables stay "
        f"from block to block. System: {platform.system()}. Directory: {directory}. "
        "When the goal is reached, answer in a few sentences without code."
    )
