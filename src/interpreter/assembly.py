"""The only module that knows every concrete class: settings become a session."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    Runtimes,
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
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.models.options import ModelOptions, Templates
    from interpreter.runtimes.pool import RuntimePool

DEMO = "scripted/demo"


class Workshop:
    """What outlives a turn: store, cell, runtimes, model. It makes engines out of settings."""

    def __init__(self, settings: Settings, approve: Approver, answer: Answerer) -> None:
        self._settings = settings
        self._approve = approve
        self._answer = answer
        self._budget = Budget()
        self._context = Context(Capabilities())
        self._made_model: Model | None = None
        self._model_made_from: object = None
        self._choose: Callable[[Runtimes], Runtimes] = lambda runtimes: runtimes
        self._completions: Callable[..., Iterable[Any]] | None = None
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
            policy=self._policy(settings),
            checkpoints=NoCheckpoints(),
            asking=self._asking(settings, model),
            approve=self._approve,
            answer=self._answer,
            limits=Limits(steps=settings.max_steps),
        )

    def run(
        self, action: Code, interrupt: Interrupt | None = None
    ) -> Generator[RuntimeEvent, None, None]:
        """Run a block by hand, without a model."""
        context = ToolContext(self._answer, interrupt or Interrupt())
        yield from self._tools["execute"].run(action, context)

    def choose_runtimes(self, choose: Callable[[Runtimes], Runtimes]) -> None:
        """Let the caller add languages of its own, or leave some out."""
        self._choose = choose
        self.__dict__.pop("_tools", None)

    def use_completions(self, completions: Callable[..., Iterable[Any]] | None) -> None:
        """Ask a function of the caller's own instead of the model that the settings name."""
        self._completions = completions

    @property
    def exchange(self) -> Path:
        """The directory that has the same path for us and for the code."""
        return self._cell.exchange

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
        name, options = settings.model or DEMO, _model_options(settings)
        if (name, options, self._completions) != self._model_made_from:
            self._close_model()
            self._made_model = _opened_model(name, options, self._completions)
            self._model_made_from = (name, options, self._completions)
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

        return RunAll() if settings.auto_run else AskFirst()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._choose(self._runtimes).names()

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

        return {"execute": RunCode(self._choose(self._runtimes))}


def _model_options(settings: Settings) -> ModelOptions:
    from interpreter.models.options import ModelOptions

    return ModelOptions(
        supports_functions=settings.supports_functions,
        supports_vision=settings.supports_vision,
        offline=settings.offline,
        templates=_templates(settings),
        api_base=settings.api_base or None,
        api_key=settings.api_key or None,
        api_version=settings.api_version or None,
        context_window=settings.context_window or None,
        max_tokens=settings.max_tokens or None,
        temperature=settings.temperature or None,
        environ=dict(os.environ),
    )


def _templates(settings: Settings) -> Templates:
    """The wordings that are set; the others are the usual ones."""
    from interpreter.models.options import Templates

    wordings = {field.name: getattr(settings, field.name) for field in fields(Templates)}
    given = {name: value for name, value in wordings.items() if value not in ("", None)}
    if settings.execution_instructions == "":  # set to nothing: the model is told nothing
        given["execution_instructions"] = ""
    return Templates(**given)


def _opened_model(
    name: str, options: ModelOptions, completions: Callable[..., Iterable[Any]] | None
) -> Model:
    from interpreter.models.callable import from_function
    from interpreter.models.names import resolve

    return from_function(completions, options, name) if completions else resolve(name, options)
