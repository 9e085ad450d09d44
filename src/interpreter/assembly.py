"""The only module that knows every concrete class: settings become a session."""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from interpreter.protocol.errors import CheckpointError, SandboxUnavailable
from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Capabilities,
    Cell,
    Checkpoints,
    Model,
    Policy,
    Process,
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
from interpreter.settings.paths import config_directory, data_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.checkpoints.files import FileKeeper
    from interpreter.checkpoints.journal import FileJournal
    from interpreter.checkpoints.variables import PythonVariables
    from interpreter.models.options import ModelOptions, Templates
    from interpreter.runtimes.pool import RuntimePool
    from interpreter.sandboxes.confinement import Level

DEMO = "scripted/demo"
T = TypeVar("T")


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
        self._choose: Callable[[Runtimes], Runtimes] = lambda runtimes: runtimes
        self._completions: Callable[..., Iterable[Any]] | None = None
        self._session_id = ""
        self._journal: FileJournal | None = None
        self._closing: list[Callable[[], None]] = [self._close_model]
        self._cell = Later(self._open_cell)
        self._keeping = Later(self._open_checkpoints)

    # What faces use.

    def open_session(
        self, settings: Settings, *, resume: str = "", messages: Iterable[Message] = ()
    ) -> Session:
        """A new session, or one that goes on where it was left."""
        self._cell.begin()
        if resume:
            self._session_id = self.store.find(resume)
            self.store.settle(self._session_id)
            messages = self.store.messages(self._session_id)
        elif settings.keep_history:
            self._session_id = self._new_session(messages := tuple(messages))
        self._keeping.begin()
        self._runtimes.warm("python")  # it starts while the first request is on its way
        engine = self.engine(settings)
        store = self.store if self._session_id else None
        return Session(engine, store=store, session_id=self._session_id, messages=messages)

    def engine(self, settings: Settings) -> Engine:
        """What a turn works with under these settings."""
        from interpreter.checkpoints.late import LateCheckpoints

        model = self._model(settings)
        return Engine(
            model=model,
            tools=self._tools,
            asking=self._asking(settings),
            policy=self._policy(settings),
            checkpoints=LateCheckpoints(self._keeping.get),
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
        return self._cell.get().exchange

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

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._choose(self._runtimes).names()

    # The model.

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

    def _asking(self, settings: Settings) -> Asking:
        facts = Facts(
            system=platform.system(),
            date=time.strftime("%Y-%m-%d"),
            directory=str(settings.directory()),
            languages=self.languages,
            sandbox=self._cell.get().describe(),
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

    # The cell, what runs in it, and what is kept of it.

    def _new_session(self, messages: tuple[Message, ...]) -> str:
        model = self._settings.model or DEMO
        session_id = self.store.create(model=model, directory=str(self._settings.directory()))
        for place, message in enumerate(messages):
            self.store.append(session_id, place, message)
        return session_id

    def _open_cell(self) -> Cell:
        """A cell at the level of the settings; where none can be had, an open one that says so."""
        from interpreter.sandboxes.none import NoSandbox

        workspace = self._settings.directory()
        cell: Cell
        try:
            cell = self._confined_cell(workspace)
        except SandboxUnavailable as reason:
            self.unconfined = str(reason)
            cell = NoSandbox().open(workspace)
        self._closing.append(cell.close)
        return cell

    def _confined_cell(self, workspace: Path) -> Cell:
        from interpreter.sandboxes.none import NoSandbox

        if self._settings.sandbox == "off":
            return NoSandbox().open(workspace)
        from interpreter.sandboxes.bubblewrap import BubblewrapSandbox
        from interpreter.sandboxes.confinement import Confinement, interpreter_places

        confinement = Confinement(
            level=cast("Level", self._settings.sandbox),  # checked there
            programs=interpreter_places(),
            hidden=(config_directory(), data_directory()),
        )
        return BubblewrapSandbox(confinement, os.environ).open(workspace)

    def _open_checkpoints(self) -> Checkpoints:
        from interpreter.checkpoints.transaction import Transaction

        workspace = self._settings.directory().resolve()
        kept = Transaction(self._file_keeper(workspace), workspace)
        kept.attach("python", self._variables)
        self._closing.insert(0, kept.close)  # the journal ends when the cell is empty
        return kept

    def _file_keeper(self, workspace: Path) -> FileKeeper:
        from interpreter.checkpoints.journal import FileJournal, JournalOptions
        from interpreter.checkpoints.shadow_git import ShadowGit, ShadowOptions

        cell = self._cell.get()
        store = data_directory() / "undo" / (self._session_id or f"unkept-{os.getpid()}")
        try:
            options = JournalOptions(store, (workspace,), cell.exchange)
            journal = FileJournal(options)
        except CheckpointError:
            return ShadowGit(ShadowOptions(store, workspace))
        self._journal = journal
        return journal

    @cached_property
    def _variables(self) -> PythonVariables:
        from interpreter.checkpoints.variables import PythonVariables

        return PythonVariables(self._cell.get().exchange)

    def _launch(self, argv: Any, **options: Any) -> Process:
        """Start a program in the cell, under the journal."""
        self._keeping.get()
        words = self._journal.wrap(argv) if self._journal is not None else argv
        return self._cell.get().launch(words, **options)

    @cached_property
    def _runtimes(self) -> RuntimePool:
        from interpreter.runtimes.pool import PoolOptions, RuntimePool
        from interpreter.runtimes.python import PythonOptions

        python = PythonOptions(companion=self._variables)
        pool = RuntimePool(
            self._launch, self._cell.get().exchange, PoolOptions(settings={"python": python})
        )
        self._closing.append(pool.close)
        return pool

    @cached_property
    def _tools(self) -> dict[str, Tool]:
        from interpreter.tools.run_code import RunCode

        return {"execute": RunCode(self._choose(self._runtimes))}


class Later(Generic[T]):
    """Something that is made in the background once it is wanted, and waited for when used."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._made: T
        self._error: BaseException | None = None

    def begin(self) -> None:
        """Start making it."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def get(self) -> T:
        """The thing itself, or the error that making it ended with."""
        self.begin()
        assert self._thread is not None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made

    def _work(self) -> None:
        try:
            self._made = self._make()
        except BaseException as error:  # noqa: BLE001  (whoever waits for it gets it)
            self._error = error


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
