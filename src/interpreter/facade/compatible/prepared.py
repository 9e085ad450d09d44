"""What a turn is made from: the attributes of this moment as settings, languages and a model."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from interpreter.assembly import SessionFactory
from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.facade.compatible import display as show
from interpreter.facade.compatible.computer import Computer
from interpreter.facade.compatible.model.llm import Llm
from interpreter.facade.compatible.model.vision_renderer import VisionRenderer
from interpreter.facade.compatible.narration import LOG
from interpreter.facade.compatible.options import Options
from interpreter.facade.typed.going_back import GoingBack
from interpreter.facade.workplace import OwnedFactory
from interpreter.lmc.languages import language_of
from interpreter.protocol.ports import Model
from interpreter.session.engine import Engine
from interpreter.session.request import system_text as prompt
from interpreter.session.request.system_text import PromptFacts, system_prompt
from interpreter.settings.described_languages import described
from interpreter.settings.settings import Settings, as_safe_mode
from interpreter.terminal.desk import Desk
from interpreter.terminal.opening import progress


def settings_of(options: Options, llm: Llm, system_message: str, instructions: str) -> Settings:
    """The settings of this moment."""
    return Settings(
        model=llm.named,
        api_base=llm.api_base or "",
        api_key=llm.api_key or "",
        api_version=llm.api_version or "",
        context_window=llm.context_window or 0,
        max_tokens=llm.max_tokens or 0,
        temperature=llm.temperature or None,  # 0 is the default, and never sent
        supports_functions=llm.supports_functions,
        supports_vision=llm.supports_vision,
        max_budget=llm.max_budget or 0.0,
        reasoning_effort=llm.reasoning_effort or "",
        dialect=llm.dialect or "",
        model_timeout=llm.timeout or 0.0,
        execution_instructions=_text(llm.execution_instructions),
        auto_run=options.auto_run,
        offline=options.offline,
        safe_mode=as_safe_mode(options.safe_mode),
        system_message=system_message,
        custom_instructions=instructions,
        keep_history=options.conversation_history,
        max_output=options.max_output,
        shrink_images=options.shrink_images,
        os=options.os,
        user_message_template=options.user_message_template,
        always_apply_user_message_template=options.always_apply_user_message_template,
        code_output_template=options.code_output_template,
        empty_code_output_template=options.empty_code_output_template,
        code_output_sender=options.code_output_sender,
        verbose=options.verbose,
        debug=options.debug,
        plain=options.plain_text_display,
        highlight_active_line=options.highlight_active_line,
        multi_line=options.multi_line,
        speak_messages=options.speak_messages,
        loop=options.loop,
        loop_message=options.loop_message,
        loop_breakers=tuple(options.loop_breakers),
        sandbox=options.sandbox,
        workspace=options.workspace,
        approval=options.approval,
        rules=options.rules,
        env=tuple(f"{name}={value}" for name, value in options.env.items()),
        max_memory=options.max_memory,
        max_programs=options.max_programs,
        max_turn_budget=options.max_turn_budget,
        max_turn_tokens=options.max_turn_tokens,
        max_turn_seconds=options.max_turn_seconds,
        max_session_tokens=options.max_session_tokens,
        max_session_steps=options.max_session_steps,
        max_session_seconds=options.max_session_seconds,
    )


def _text(instructions: str | bool | None) -> str:
    return instructions if isinstance(instructions, str) else ""


def rendered(text: str, run: Callable[[str, str], Any]) -> str:
    """The text with every span replaced by what it prints."""

    def output(source: str) -> str:
        printed = run("python", source)
        return "".join(m["content"] for m in printed if m["type"] == "console")

    return prompt.rendered(text, output)


def usual(languages: Iterable[str]) -> str:
    """The system message of an interpreter whose program has set none."""
    date = time.strftime("%Y-%m-%d")
    return system_prompt(PromptFacts(platform.system(), date, str(Path.cwd()), tuple(languages)))


def split(message: str | None, usual_one: str, wishes: Iterable[str]) -> tuple[str, str]:
    """The program's own system message, if it has one, and the instructions beside it."""
    instructions = "\n\n".join(filter(None, wishes))
    if message is None or not message.startswith(usual_one):
        return message or "", instructions
    # Somebody added to the usual text, which says more in a session.
    return "", f"{message.removeprefix(usual_one)}\n\n{instructions}"


class Prepared(GoingBack):
    """Reads `llm`, `computer` and the options anew for each turn."""

    llm: Llm
    computer: Computer
    _system_message: str | None
    _owned_factory: OwnedFactory
    _vision: VisionRenderer
    _skills_imported: bool
    _desk: Desk | None

    @property
    def system_message(self) -> str:
        """What the model is told before the conversation; `+=` adds to the usual text."""
        if self._system_message is not None:
            return self._system_message
        return self._usual_system_message()

    @system_message.setter
    def system_message(self, text: str) -> None:
        self._system_message = text
        self.runs_templates = True

    def _prepare(self) -> SessionFactory:
        """The factory with the languages and skills of this moment."""
        factory = self._open_factory()
        if self.computer.languages_changed:
            factory.choose_runtimes(self.computer.choose)
        if (self.import_skills or self.computer.import_skills) and not self._skills_imported:
            self._skills_imported = True
            self.computer.skills.import_skills()
        return factory

    def _engine(self) -> Engine:
        factory = self._prepare()
        factory.use_completions(self.llm.own_completions)
        engine = factory.engine(self._settings())
        return replace(engine, model=self._vision.for_model(engine.model, self.llm.vision_renderer))

    def _open_factory(self) -> SessionFactory:
        is_new = not self._owned_factory.is_open
        factory = self._owned_factory.open(lambda: self._settings(render=False))
        if is_new:
            factory.choose_runtimes(self.computer.choose)
        return factory

    def _settings(self, *, render: bool = True) -> Settings:
        custom = (getattr(language, "system_message", "") for language in self.computer.languages)
        computer = self.computer.system_message if self.computer.import_computer_api else ""
        wishes = (self.custom_instructions, computer, *custom)
        text, instructions = split(self._system_message, self._usual_system_message(), wishes)
        if render and self.runs_templates:
            text = rendered(text, self.computer.run)
        settings = settings_of(self, self.llm, text, instructions)
        skills = self.computer.skills.path
        return replace(settings, languages=described(self.computer.languages), skills_path=skills)

    def _usual_system_message(self) -> str:
        return usual(language_of(language).name for language in self.computer.languages)

    def _model(self) -> Model:
        return self._engine().model

    def _model_beside(self, name: str, settings: dict[str, Any]) -> Model:
        """A model itself, while the conversation asks a function of the program's own."""
        wanted = replace(self._settings(render=False), model=name, **settings)
        return self._open_factory().model_beside(wanted)

    def _wishes(self) -> FaceCallbacks:
        """What choosing a model says and asks: to whoever sees a display, else to the log."""
        return FaceCallbacks(self._notice, self._may_download, progress())

    def _notice(self, text: str) -> None:
        if self._desk is None:
            LOG.info("%s", text)
        else:
            self._desk.note(text)

    def _may_download(self, question: str) -> bool:
        return self._desk is not None and show.may_download(question)
