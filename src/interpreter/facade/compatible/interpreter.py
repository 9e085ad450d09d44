"""`OpenInterpreter`: the object that programs hold, as Open Interpreter's programs know it."""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter import lmc
from interpreter.assembly.computer.desktop import why_no_desktop
from interpreter.facade.compatible import display as show
from interpreter.facade.compatible.background import BackgroundWork
from interpreter.facade.compatible.computer import Computer
from interpreter.facade.compatible.conversation_file import ConversationFile, file_name
from interpreter.facade.compatible.messages import Ledger, user_dictionary
from interpreter.facade.compatible.model.llm import Llm
from interpreter.facade.compatible.model.vision_renderer import VisionRenderer
from interpreter.facade.compatible.narration import narrated, with_warnings
from interpreter.facade.compatible.prepared import Prepared
from interpreter.facade.compatible.profile import apply_profile
from interpreter.facade.workplace import OwnedFactory
from interpreter.models.nobody import NobodyToAsk
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ApprovalRequested, Event, InputRequested, MessageFinished
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import nobody_approves
from interpreter.session.loop import looped
from interpreter.session.session import Session
from interpreter.settings.paths import config_directory
from interpreter.settings.profiles import Confirm, nobody_confirms
from interpreter.terminal.desk import Desk

if TYPE_CHECKING:
    from interpreter.assembly.attempts import Attempt
    from interpreter.terminal.voice import TerminalVoice

BUSY = "This interpreter is in the middle of a turn; wait() for it first, or make another one."
Said = str | dict[str, Any] | list[dict[str, Any]]


class OpenInterpreter(Prepared):
    """A conversation with a model that runs code. Nothing starts before it is needed."""

    def __post_init__(
        self,
        messages: list[dict[str, Any]] | None,
        llm: Llm | None,
        system_message: str | None,
        computer: Computer | None,
    ) -> None:
        self.responding = False
        self.last_messages_count = 0
        self.llm = llm or Llm(self._model, self._model_beside)
        self.computer = computer or Computer(
            self._open_factory,
            lambda text, picture: self.llm.answer(text, picture),
            self.skills_directory,
        )
        self.computer.import_computer_api = self.import_computer_api
        self._system_message = system_message
        self._ledger = Ledger(messages)
        self._owned_factory = OwnedFactory(self._approve, self._answer, self._wishes)
        self._session: Session | None = None
        self._desk: Desk | None = None
        self._voice: TerminalVoice | None = None
        self._turn: Generator[Event, None, None] | None = None
        self._talking = threading.Lock()
        self._background = BackgroundWork()
        self._file = ConversationFile()
        self._skills_imported = False
        self._vision = VisionRenderer()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation; changing it in any way changes what the model sees next."""
        return self._ledger.messages

    @messages.setter
    def messages(self, messages: list[dict[str, Any]]) -> None:
        self._ledger.messages = messages

    # Talking.

    def chat(
        self,
        message: Said | None = None,
        display: bool = True,
        stream: bool = False,
        blocking: bool = True,
    ) -> list[dict[str, Any]] | Iterator[dict[str, Any]] | None:
        """Say something. Returns the new messages, or with `stream` an iterator of chunks.

        A list replaces the conversation; a dictionary is added to it. Without a message, and with
        `display`, it is a conversation in the terminal. With `blocking=False` it goes on in a
        thread: see `wait`.
        """
        if not blocking:
            self._background.start(lambda: self.chat(message, display, stream=False))
            return None
        if not message and display:
            self._converse()
            return None
        if message is None:
            raise ConfigurationError("chat() needs a message when there is no display.")
        with self._alone():
            if stream:
                return self._streaming_chat(message, display)
            self._drain(self._events(message, display=display, stream=False))
            return self._new_messages()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Two threads cannot talk at once: the later one is told so, and disturbs nothing."""
        if not self._talking.acquire(blocking=False):
            raise ConfigurationError(BUSY)
        try:
            yield
        finally:
            self._talking.release()

    def wait(self) -> list[dict[str, Any]]:
        """Wait for a chat that does not block; its new messages."""
        self._background.wait()
        return self._new_messages()

    def reset(self) -> None:
        """Forget the conversation and end every REPL."""
        self._end_turn()
        if self._owned_factory.is_open:
            self.computer.terminate()
        self._skills_imported = False
        self._session = None
        self._ledger, self._file = Ledger(), ConversationFile()

    def close(self) -> None:
        """End every process that was started."""
        self._end_turn()
        self.computer.end_own_languages()
        self._drop_attempt()
        self._owned_factory.close()
        self._session = None

    def use_profile(self, name: str, confirm: Confirm = nobody_confirms) -> None:
        """Apply a profile, by name, path or address; one from elsewhere must be confirmed."""
        apply_profile(self, name, confirm)

    def display_message(self, markdown: str) -> None:
        """Show a text in the terminal."""
        show.note(markdown)

    @staticmethod
    def get_oi_dir() -> str:
        """Where settings, profiles and skills are."""
        return str(config_directory())

    def local_setup(self) -> None:
        """Pick a model of this machine, as `interpreter --local` does."""
        for name, value in show.choose_local().items():
            setattr(self.llm if hasattr(self.llm, name) else self, name, value)

    def _streaming_chat(
        self, message: Said | None = None, display: bool = True
    ) -> Iterator[dict[str, Any]]:
        return self._chunks(self._events(message, display=display))

    def _respond_and_store(self) -> Iterator[dict[str, Any]]:
        """A turn without a new message: code that was proposed is run, or the model goes on."""
        return self._streaming_chat(None, display=False)

    def _chunks(self, events: Generator[Event, None, None]) -> Iterator[dict[str, Any]]:
        writer = lmc.ChunkWriter(confirmations=not self.auto_run)
        with closing(events):
            yield from writer.chunks(events)

    def _new_messages(self) -> list[dict[str, Any]]:
        return list(self.messages[self.last_messages_count :])

    def _drain(self, events: Generator[Event, None, None]) -> None:
        """Let a turn run; code that needs approval, with nobody to ask, stays proposed."""
        with closing(events):
            if self._desk is not None:
                self._show(events, self._desk)
                return
            for event in events:
                if isinstance(event, ApprovalRequested) and self._confirms(event):
                    return

    def _confirms(self, request: ApprovalRequested) -> bool:
        """Whether it is a confirmation that the program sees, and answers by going on."""
        return request.proposed and not self.auto_run

    def _show(self, events: Generator[Event, None, None], desk: Desk) -> None:
        session = self._ready_session()
        aloud = False
        if self.speak_messages:
            self._voice = self._voice or show.voice(self._settings(render=False))
            aloud = self._voice.can_speak
            events = self._voice.spoken(events) if aloud else events
        with desk.attend(session.interrupt):
            end = desk.show(events)
        if self.speak_messages and not aloud and end.end == "answered":
            show.say(session.transcript[-1].text)

    def _converse(self) -> None:
        """A conversation in the terminal; what its commands changed is so afterwards, too."""
        settings = self._settings()
        self._desk = show.desk(settings)
        session = self._ready_session()
        chat = show.converse(self._desk, self._open_factory(), session, settings)
        self.llm.model, self.auto_run = chat.settings.model, chat.settings.auto_run
        self.verbose, self._session = chat.settings.verbose, chat.session
        self._ledger.mirror(chat.session.transcript, most_output=self.max_output)
        self._save()

    # One turn.

    def _events(
        self, message: Said | None, *, display: bool, stream: bool = True
    ) -> Generator[Event, None, None]:
        """Take the message in at once; the turn runs as the result is iterated."""
        if self.os and (why := why_no_desktop()):
            warnings.warn(why, stacklevel=3)
        self._end_turn()
        self._desk = show.desk(self._settings(render=False)) if display else None
        if isinstance(message, list):
            self.messages = message
        session = self._ready_session()
        new = self._take_in(message)
        self.last_messages_count = len(self.messages)
        self._turn = self._followed(session, new, shown=display and stream)
        return self._turn

    def _take_in(self, message: Said | None) -> Message | None:
        if message is None or isinstance(message, list):
            return None
        said = user_dictionary(message) if isinstance(message, str) else message
        decoded = lmc.decode({"role": "user", "type": "message", **said})
        self._ledger.add({"role": "user", "type": "message", **said})
        return decoded

    def _followed(
        self, session: Session, new: Message | None, *, shown: bool
    ) -> Generator[Event, None, None]:
        """The events of the turn; whatever ends it, `messages` has all that was recorded."""
        events = session.send(new) if new else session.proceed()
        if self.loop:
            events = looped(session, events, self.loop_message, self.loop_breakers)
        if self.verbose or self.debug:
            events = narrated(events, debug=self.debug)
        elif self._desk is None:
            events = with_warnings(events)
        if shown:
            events = show.shown(events)
        with self._responding(session), closing(events):
            for event in events:
                if isinstance(event, MessageFinished):
                    self._follow(session)
                if isinstance(event, ApprovalRequested):
                    self._warn_if_unconfined()
                yield event

    def _warn_if_unconfined(self) -> None:
        """Say why something is asked although it need not be."""
        if self.auto_run and (why := self._open_factory().unconfined):
            warnings.warn(f"{why} Set sandbox='off' to run anyway.", stacklevel=2)

    @contextmanager
    def _responding(self, session: Session) -> Iterator[None]:
        self.responding = True
        try:
            yield
        finally:
            self._follow(session)
            self.responding = False
            self._save()

    def _end_turn(self) -> None:
        """A generator that was left in the middle is closed before anything else begins."""
        turn, self._turn = self._turn, None
        if turn is not None:
            if inspect.getgeneratorstate(turn) == inspect.GEN_CREATED:
                self._session = None  # it has not heard what was said; the next one reads all
            try:
                turn.close()
            except ValueError as busy:
                self._turn = turn
                raise ConfigurationError(BUSY) from busy

    def _follow(self, session: Session) -> None:
        self._ledger.follow(session.transcript, most_output=self.max_output)

    def _save(self) -> None:
        if not self.conversation_history or not self.messages:
            return
        if self.conversation_filename is None:
            self.conversation_filename = file_name(self.messages)
        path = Path(self.conversation_history_path) / self.conversation_filename
        self._file.save(path, self.messages, self._ledger.revision)

    # What a turn is made from.

    def _ready_session(self) -> Session:
        """The session with the settings of this moment, and the messages as the user left them."""
        engine = self._engine()
        session = self._session_by_hand()
        session.engine = engine
        return session

    def _session_to_go_back(self) -> Session:
        self._end_turn()
        return self._session_by_hand()

    def _move_into(self, attempt: Attempt) -> None:
        """Work in a copy of another interpreter's place, with a copy of its conversation."""
        self._attempt, self._session = attempt, attempt.session
        self._owned_factory.move_into(attempt.factory)
        self._ledger.mirror(attempt.session.transcript, most_output=self.max_output)

    def _session_by_hand(self) -> Session:
        """The session for work that needs no model."""
        self._prepare()
        news = self._ledger.news() if self._session is not None else None
        if self._session is None or news is None:
            history = lmc.decode_all(self.messages)
            factory = self._open_factory()
            self._session = factory.open_session(
                self._settings(), messages=history, model=NobodyToAsk()
            )
        elif news:
            for message in lmc.decode_all(news):
                self._session.add(message)
        if news != []:
            self._ledger.settle(len(self._session.transcript))
        return self._session

    def _approve(self, request: ApprovalRequested) -> Decision:
        """Whoever went on past the confirmation has approved; with a display, somebody is asked.

        What nobody was shown is refused: the model is told, and the turn goes on.
        """
        if self._desk is not None:
            decision = self._desk.approve(request)
        elif self._confirms(request):
            decision = Decision("yes")
        else:
            return nobody_approves(request)
        changed = self._ledger.edit_of(request.action)
        if changed is not None and decision.allows and decision.edited is None:
            return replace(decision, edited=changed)
        return decision

    def _answer(self, request: InputRequested) -> str | None:
        return self._desk.answer(request) if self._desk else None
