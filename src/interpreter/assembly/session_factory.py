"""Settings become a session, and a session gets the engine that settings ask for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.assembly.cell.environment import Environment
from interpreter.assembly.computer.agents import Within, agent_functions
from interpreter.assembly.computer.desktop import OsMode
from interpreter.assembly.computer.own_functions import import_skills
from interpreter.assembly.conversation import Conversation
from interpreter.assembly.conversation_log import notes_about
from interpreter.assembly.hooks import SessionHooks
from interpreter.assembly.model_choice import FaceCallbacks, ModelChoice
from interpreter.assembly.policy import SessionPolicies, ceiling, check_policy
from interpreter.assembly.system_words import SystemWords
from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import (
    Answerer,
    Approver,
    Model,
    Policy,
    Runtimes,
    Tool,
    ToolContext,
    ToolSpec,
)
from interpreter.protocol.system.host_programs import never_from
from interpreter.session.budget import Budget, PartOfBudget
from interpreter.session.engine import Asking, Engine, TurnLimits
from interpreter.session.request.context import Notes
from interpreter.session.session import Past, Session
from interpreter.session.store.database import Store
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.tools.toolbox import FOR_SMALL_MODELS, USUAL

if TYPE_CHECKING:
    from interpreter.assembly.cell.permissions import Permission
    from interpreter.guidance.project import ProjectGuidance
    from interpreter.session.request.rewritten_model import RewrittenModel
    from interpreter.tools.calls.functions import HostFunctions

QUIET = FaceCallbacks()


class SessionFactory:
    """What outlives a turn: store, cell, runtimes, model. It makes engines out of settings."""

    def __init__(
        self,
        settings: Settings,
        approve: Approver,
        answer: Answerer,
        face: FaceCallbacks = QUIET,
        within: Within | None = None,
    ) -> None:
        self._settings = settings
        never_from(settings.directory())
        self._now = settings
        """Those of the last turn."""
        self._asked: Model | None = None
        """The model that it was given."""
        self._approve = approve
        self._answer = answer
        self._face = face
        self._store = Lazy(lambda: Store(data_directory()))
        self._within = within
        self._budget = PartOfBudget(within.budget) if within else Budget()
        self._guidance = Lazy(within.guidance if within else self._read_guidance)
        self._screen = OsMode()
        self._conversation = Conversation(within.said if within else None)
        self.environment = self._new_environment()
        """What code runs in now."""
        self.hooks = self._session_hooks()
        """Who is told of what happens here, and may refuse it."""
        self._models = ModelChoice(face, self._notes())
        self._models_beside = ModelChoice(face, self._notes())
        self._policies = SessionPolicies()
        self._words = SystemWords(self.run)
        self._shown: RewrittenModel | None = None
        self._open_session = ""
        self._resumed = False

    def open_session(
        self,
        settings: Settings,
        *,
        resume: str = "",
        messages: Iterable[Message] = (),
        in_this_environment: bool = False,
        model: Model | None = None,
        within: str = "",
    ) -> Session:
        """A new session, or one that goes on where it was left, or among what is live here.

        A session that works by hand is given a model of its own, which it never asks.
        """
        check_policy(settings)
        self.environment.check()
        session_id = self.store.find(resume, str(settings.directory())) if resume else ""
        self._resumed = bool(resume)
        if resume:
            self._take(session_id)
        if (
            resume
            and not in_this_environment
            and self.environment.session_cell.first_session not in ("", session_id)
        ):
            self.start_over()
        goes_on = bool(resume) and not self.environment.session_cell.first_session
        if resume:
            self.store.settle(session_id)
            messages = tuple(self.store.messages(session_id))
            if not in_this_environment:  # a copy goes on with what was spent until now
                self._budget.resume(self.store.spent(session_id))
            goes_on = goes_on and any(message.role == "computer" for message in messages)
        elif settings.keep_history:
            session_id = self._new_session(settings, messages := tuple(messages), within)
            self._take(session_id)
        self.environment.session_cell.serve(session_id)
        engine = self.engine(settings, model)
        if goes_on:
            self.environment.session_cell.resumption.begin()
        if settings.import_skills:
            import_skills(settings.skills_path, self.run, self._face.notice)
        store = self.store if session_id else None
        session = Session(
            engine,
            store=store,
            session_id=session_id,
            messages=messages,
            describe=self._describe,
            past=Past(store if store and self._is_at_home(session_id) else None, session_id),
        )
        self._conversation.messages = session.transcript
        return session

    def _take(self, session_id: str) -> None:
        """Be the only process in which the session is open; the one before it is left."""
        self.store.owners.take(session_id)
        if self._open_session:
            self.store.owners.release(self._open_session)
        self._open_session = session_id

    def _is_at_home(self, session_id: str) -> bool:
        """Whether what is kept of files here is this session's, in the place where it began."""
        place = str(self._settings.directory())
        is_first = self.environment.session_cell.first_session == session_id
        return is_first and self.store.directory(session_id) == place

    def another(
        self,
        settings: Settings,
        approve: Approver | None,
        answer: Answerer | None,
        within: Within | None = None,
    ) -> SessionFactory:
        """A factory like this one, for other settings."""
        other = SessionFactory(
            settings, approve or self._approve, answer or self._answer, self._face, within
        )
        other.choose_runtimes(self.environment.choose)
        other.use_completions(self._models.completions)
        return other

    def start_over(self) -> None:
        """Leave the session with its variables; the next one begins elsewhere."""
        old = self.environment
        self.environment = self._new_environment(old.choose)
        old.close()

    def _new_environment(
        self, choose: Callable[[Runtimes], Runtimes] = lambda runtimes: runtimes
    ) -> Environment:
        from interpreter.assembly.computer.offers import offer_all
        from interpreter.session.side_questions import SideQuestions

        def policy() -> Policy:
            return self._policy(self._now)

        environment = Environment(
            self._settings, self._face.notice, policy, self._conversation, choose
        )
        environment.tool_servers.approve = self._approve
        questions = SideQuestions(self._model_now, self._budget)
        offer_all(
            environment,
            self._settings,
            questions,
            self._screen,
            self._guidance,
            skills_path=lambda: self._now.skills_path,
        )
        if self._within is None:
            environment.calls.functions.add(
                *agent_functions(self, lambda: self._now, self._model_now)
            )
        return environment

    def _model_now(self) -> Model:
        """The model of the last turn, without what helps a small one to write code."""
        if self._models.small and self._asked is None:
            return self._models.plain(self._now)
        return self._asked or self._shown_model(self._now)

    def engine(self, settings: Settings, model: Model | None = None) -> Engine:
        """What a turn works with under these settings, with their model unless one is given."""
        self._now, self._asked, environment = settings, model, self.environment
        asked = model or self._shown_model(settings)
        tools = self._tools(settings)
        return Engine(
            model=asked,
            tools={**self.hooks.tools(tools), environment.drafts.spec.name: environment.drafts},
            asking=self._asking(settings, tuple(tool.spec for tool in tools.values())),
            policy=partial(self._policy, settings),
            checkpoints=environment.session_cell.checkpoints,
            approve=self.hooks.approver(self._approve),
            answer=self._answer,
            limits=TurnLimits(steps=settings.max_steps),
            before_block=environment.session_cell.before_block,
            hooks=self.hooks.run,
        )

    def run(
        self, action: Code, interrupt: Interrupt | None = None
    ) -> Generator[RuntimeEvent, None, None]:
        """Run code by hand, without a model; it is a block only if the caller makes it one."""
        self.environment.session_cell.touched(action.language)
        context = ToolContext(self._answer, interrupt or Interrupt(), self._approve)
        yield from self.environment.execute.run(action, context)

    def warm(self) -> None:
        """Begin what the first block will need; else it begins when the model is first asked."""
        self.environment.session_cell.warm()

    def background(self) -> bool:
        """Let the block that runs now go on alone; False if there is none. From any thread."""
        return self.environment.background()

    def choose_runtimes(self, choose: Callable[[Runtimes], Runtimes]) -> None:
        """Let the caller add languages of its own, or leave some out."""
        self.environment.choose_runtimes(choose)

    def use_completions(self, completions: Callable[..., Iterable[Any]] | None) -> None:
        """Ask a function of the caller's own instead of the model that the settings name."""
        self._models.completions = completions

    def model_beside(self, settings: Settings) -> Model:
        """The model of these settings, beside the one of the session, whoever answers there."""
        return self._models_beside.model(settings)

    def restart_runtimes(self) -> None:
        """End every REPL; they start again when they are needed."""
        self.environment.session_cell.restart_runtimes()

    def close(self, tell: Callable[[str], None] | None = None) -> None:
        """End everything that was started; `tell` hears at once what takes long."""
        self.hooks.end()
        self.environment.close(tell)
        self._models.close()
        self._models_beside.close()
        if self._store.made is not None:
            self._store.made.close()

    @property
    def store(self) -> Store:
        """The sessions of this user."""
        return self._store.get()

    @property
    def guidance(self) -> ProjectGuidance:
        """What the project and its user tell the model, and the user's commands."""
        return self._guidance.get()

    def _read_guidance(self) -> ProjectGuidance:
        from interpreter.assembly.project import project_guidance

        return project_guidance(self._settings, self._face.notice)

    @property
    def unconfined(self) -> str:
        """Why there is no sandbox although one was asked for; empty where there is one."""
        return self.environment.session_cell.unconfined

    @property
    def host_functions(self) -> HostFunctions:
        """What code may call of the host's: add to it at any time."""
        return self.environment.calls.functions

    def granted(self) -> tuple[Permission, ...]:
        """The hosts and places that the user has allowed."""
        return self.environment.granted()

    def take_back(self, value: str) -> tuple[Permission, ...]:
        """Ask again about a host or a place that was allowed; what that was."""
        return self.environment.take_back(value)

    @property
    def exchange(self) -> Path:
        """The directory that has the same path for us and for the code."""
        return self.environment.session_cell.exchange

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self.environment.languages

    @property
    def budget(self) -> Budget:
        """What this session has cost."""
        return self._budget

    def _describe(self, text: str) -> str:
        """What the model should know before it reads what the user says."""
        begun = self.hooks.begin(resumed=self._resumed)
        news = self.environment.session_cell.resumption.news()
        files = self.environment.describe_files(text, nearby=self._models.small)
        return "\n\n".join(filter(None, (begun, news, files)))

    def _new_session(self, settings: Settings, messages: tuple[Message, ...], within: str) -> str:
        directory = str(settings.directory())
        session_id = self.store.create(model=settings.model, directory=directory, within=within)
        for place, message in enumerate(messages):
            self.store.append(session_id, place, message)
        return session_id

    def _notes(self) -> Notes:
        notes = notes_about(
            lambda: self.environment.execute, lambda: self.exchange / "conversation"
        )
        return replace(notes, log=self.hooks.compacting(notes.log))

    def _tools(self, settings: Settings) -> dict[str, Tool]:
        """What the model can do: as the settings say. A small one has less to choose from, and is
        also told which variables there are."""
        from interpreter.tools.guarded import WithNearInstructions
        from interpreter.tools.live_variables import WithLiveVariables

        small = self._models.small
        names = settings.tools or (FOR_SMALL_MODELS if small else USUAL)
        tools = self.environment.toolbox.tools(names)
        if "execute" in tools:
            near = WithNearInstructions(tools["execute"], self._guidance.get().near)
            tools["execute"] = WithLiveVariables(near) if small else near
        tools |= self._screen.tools(settings, self.environment.calls)
        return {**self.environment.native_tools(small=small), **tools}

    def _shown_model(self, settings: Settings) -> Model:
        """The model, shown pictures of a size that providers take, unless the settings say no."""
        from interpreter.session.request.rewritten_model import with_small_pictures

        model = self._models.model(settings)
        if not settings.shrink_images:
            return model
        if self._shown is None or self._shown.model is not model:
            self._shown = with_small_pictures(model)
        return self._shown

    def _asking(self, settings: Settings, specs: tuple[ToolSpec, ...]) -> Asking:
        small = self._models.small
        project = self._guidance.get().text(small=small, hints=not settings.system_message)
        system = self._words.about(
            settings, self.environment, project, small=small, tools=self._models.calls_tools
        )
        self._models.context.most_output = settings.max_output
        self._budget.limit(ceiling(settings), self._models.pricing)
        return Asking(self._models.context, self._budget, system, specs, meanwhile=self.warm)

    def _policy(self, settings: Settings) -> Policy:
        policy = self._policies.of(settings, self.environment)
        if settings.os:
            policy = self._screen.policy(policy, settings, self.environment.calls)
        return self.hooks.policy(policy)

    def _session_hooks(self) -> SessionHooks:
        if self._within:
            return self._within.hooks(lambda: self._open_session)
        return SessionHooks(
            lambda: self._now,
            lambda *words, **options: self.environment.session_cell.launch(*words, **options),
            self._face.notice,
            lambda: self._open_session,
        )
