"""The only module that knows every concrete class: settings become a session."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Capabilities,
    Cell,
    Model,
    Policy,
    Tool,
    ToolContext,
)
from interpreter.session.asking import Asking
from interpreter.session.budget import Budget
from interpreter.session.context import Context
from interpreter.session.engine import Engine, Limits
from interpreter.session.prompt import Facts, system_prompt
from interpreter.session.session import Session
from interpreter.session.store import Store
from interpreter.settings.paths import config_directory, data_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.models.options import ModelOptions
    from interpreter.runtimes.pool import RuntimePool
    from interpreter.sandboxes.confinement import Level

DEMO = "scripted/demo"


class Workshop:
    """What outlives a turn: store, cell, runtimes, model. It makes engines out of settings."""

    def __init__(self, settings: Settings, approve: Approver, answer: Answerer) -> None:
        self._settings = settings
        self._approve = approve
        self._answer = answer
        self._budget = Budget()
        self._context = Context(Capabilities())
        self.unconfined = ""
        """Why there is no sandbox although one was asked for; then every block is asked about."""
        self._made_model: Model | None = None
        self._model_made_from: object = None
        self._closing: list[Callable[[], None]] = [self._close_model]

    # What faces use.

    def open_session(
        self, settings: Settings, *, resume: str = "", messages: Iterable[Message] = ()
    ) -> Session:
        """A new session, or one that goes on where it was left."""
        self._runtimes.warm("python")  # it starts while the first request is on its way
        engine = self.engine(settings)
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

        model = self._model(settings)
        return Engine(
            model=model,
            tools=self._tools,
            asking=self._asking(settings, model),
            policy=self._policy(settings),
            checkpoints=NoCheckpoints(),
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
        from interpreter.models.names import resolve

        name, options = settings.model or DEMO, _model_options(settings)
        if (name, options) != self._model_made_from:
            self._close_model()
            self._made_model = resolve(name, options)
            self._model_made_from = (name, options)
            self._context = Context(self._made_model.capabilities)
        assert self._made_model is not None
        return self._made_model

    def _close_model(self) -> None:
        if self._made_model is not None:
            self._made_model.close()
            self._made_model = None

    def _asking(self, settings: Settings, model: Model) -> Asking:
        facts = Facts(
            system=platform.system(),
            date=time.strftime("%Y-%m-%d"),
            directory=str(settings.directory()),
            languages=self.languages,
            sandbox=self._cell.describe(),
        )
        system = system_prompt(
            facts,
            system_message=settings.system_message or None,
            custom_instructions=settings.custom_instructions,
        )
        specs = tuple(tool.spec for tool in self._tools.values())
        return Asking(self._context, self._budget, system, specs)

    def _policy(self, settings: Settings) -> Policy:
        from interpreter.policies.approvals import AskFirst, RunAll

        if settings.auto_run and not self.unconfined:
            return RunAll()
        return AskFirst()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._runtimes.names()

    @cached_property
    def _cell(self) -> Cell:
        cell = self._open_cell()
        self._closing.append(cell.close)
        return cell

    def _open_cell(self) -> Cell:
        """A cell at the level of the settings; where none can be had, an open one that says so."""
        from interpreter.sandboxes.none import NoSandbox

        workspace = self._settings.directory()
        if self._settings.sandbox == "off":
            return NoSandbox().open(workspace)
        from interpreter.sandboxes.bubblewrap import BubblewrapSandbox
        from interpreter.sandboxes.confinement import Confinement, interpreter_places

        confinement = Confinement(
            level=cast("Level", self._settings.sandbox),  # checked there
            programs=interpreter_places(),
            hidden=(config_directory(), data_directory()),
        )
        try:
            return BubblewrapSandbox(confinement, os.environ).open(workspace)
        except SandboxUnavailable as reason:
            self.unconfined = str(reason)
            return NoSandbox().open(workspace)

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


def _model_options(settings: Settings) -> ModelOptions:
    from interpreter.models.options import ModelOptions

    return ModelOptions(
        api_base=settings.api_base or None,
        api_key=settings.api_key or None,
        api_version=settings.api_version or None,
        context_window=settings.context_window or None,
        max_tokens=settings.max_tokens or None,
        temperature=settings.temperature or None,
        environ=dict(os.environ),
    )
