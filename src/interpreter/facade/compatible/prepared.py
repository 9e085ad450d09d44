"""What a turn is made from: the attributes of this moment as settings, languages and a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from interpreter.assembly import Workshop
from interpreter.assembly.model_choice import Wishes
from interpreter.facade.compatible import display as show
from interpreter.facade.compatible.computer import Computer
from interpreter.facade.compatible.llm import Llm
from interpreter.facade.compatible.narration import LOG
from interpreter.facade.compatible.prompt import rendered, split, usual
from interpreter.facade.compatible.translation import settings_of
from interpreter.facade.compatible.vision_renderer import Sight
from interpreter.facade.typed.going_back import GoingBack
from interpreter.facade.workplace import Premises
from interpreter.lmc.languages import language_of
from interpreter.protocol.ports import Model
from interpreter.session.engine import Engine
from interpreter.settings.described_languages import described
from interpreter.settings.settings import Settings
from interpreter.terminal.desk import Desk
from interpreter.terminal.opening import progress


class Prepared(GoingBack):
    """Reads `llm`, `computer` and the options anew for each turn."""

    llm: Llm
    computer: Computer
    _system_message: str | None
    _premises: Premises
    _sight: Sight
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

    def _prepare(self) -> Workshop:
        """The workshop with the languages and skills of this moment."""
        workshop = self._open_workshop()
        if self.computer.languages_changed:
            workshop.choose_runtimes(self.computer.choose)
        if (self.import_skills or self.computer.import_skills) and not self._skills_imported:
            self._skills_imported = True
            self.computer.skills.import_skills()
        return workshop

    def _engine(self) -> Engine:
        workshop = self._prepare()
        workshop.use_completions(self.llm.own_completions)
        engine = workshop.engine(self._settings())
        return replace(engine, model=self._sight.for_model(engine.model, self.llm.vision_renderer))

    def _open_workshop(self) -> Workshop:
        is_new = not self._premises.is_open
        workshop = self._premises.open(lambda: self._settings(render=False))
        if is_new:
            workshop.choose_runtimes(self.computer.choose)
        return workshop

    def _settings(self, *, render: bool = True) -> Settings:
        custom = (getattr(language, "system_message", "") for language in self.computer.languages)
        computer = self.computer.system_message if self.computer.import_computer_api else ""
        wishes = (self.custom_instructions, computer, *custom)
        text, instructions = split(self._system_message, self._usual_system_message(), wishes)
        if render and self.runs_templates:
            text = rendered(text, self.computer.run)
        settings = settings_of(self, self.llm, text, instructions)
        return replace(settings, languages=described(self.computer.languages))

    def _usual_system_message(self) -> str:
        return usual(language_of(language).name for language in self.computer.languages)

    def _model(self) -> Model:
        return self._engine().model

    def _model_beside(self, name: str, settings: dict[str, Any]) -> Model:
        """A model itself, while the conversation asks a function of the program's own."""
        wanted = replace(self._settings(render=False), model=name, **settings)
        return self._open_workshop().model_beside(wanted)

    def _wishes(self) -> Wishes:
        """What choosing a model says and asks: to whoever sees a display, else to the log."""
        return Wishes(self._notice, self._may_download, progress())

    def _notice(self, text: str) -> None:
        if self._desk is None:
            LOG.info("%s", text)
        else:
            self._desk.note(text)

    def _may_download(self, question: str) -> bool:
        return self._desk is not None and show.may_download(question)
