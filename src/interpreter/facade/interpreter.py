"""`OpenInterpreter`: the object that programs hold, as Open Interpreter's programs know it."""

from __future__ import annotations

import atexit
from collections.abc import Generator, Iterator
from typing import Any

from interpreter import lmc
from interpreter.assembly import Workshop
from interpreter.facade.computer import Computer
from interpreter.facade.llm import Llm
from interpreter.facade.messages import LiveMessages
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ApprovalRequested, Event, MessageFinished
from interpreter.protocol.messages import Message, user_says
from interpreter.session.session import Session
from interpreter.settings.settings import Settings
from interpreter.terminal import chat as terminal
from interpreter.terminal.plain import PlainFace


class OpenInterpreter:
    """A conversation with a model that runs code. Nothing starts before it is needed."""

    def __init__(
        self,
        messages: list[dict[str, Any]] | None = None,
        auto_run: bool = False,
        system_message: str = "",
        custom_instructions: str = "",
        conversation_history: bool = True,
    ) -> None:
        self.auto_run = auto_run
        self.system_message = system_message
        self.custom_instructions = custom_instructions
        self.conversation_history = conversation_history
        self.llm = Llm()
        self.computer = Computer(self._open_workshop)
        self._workshop: Workshop | None = None
        self._session: Session | None = None
        self._display = False
        self._messages = LiveMessages(messages or [])
        self._messages.edited = bool(messages)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation; changing it changes what the model sees next."""
        return self._messages

    @messages.setter
    def messages(self, messages: list[dict[str, Any]]) -> None:
        self._messages = LiveMessages(messages)
        self._messages.edited = True

    def chat(
        self,
        message: str | dict[str, Any] | list[dict[str, Any]] | None = None,
        display: bool = True,
        stream: bool = False,
    ) -> list[dict[str, Any]] | Iterator[dict[str, Any]] | None:
        """Say something. Returns the new messages, or with `stream` an iterator of chunks.

        Without a message, and with `display`, it is a conversation in the terminal.
        """
        self._display = display
        if message is None and display:
            self._chat_in_terminal()
            return None
        if message is None:
            raise ConfigurationError("chat() needs a message when there is no display.")
        if stream:
            return self._chunks(message)
        return self._new_messages(message)

    def reset(self) -> None:
        """Forget the conversation and end every REPL."""
        if self._workshop is not None:
            self._workshop.restart_runtimes()
        self._session = None
        self._messages = LiveMessages()

    def close(self) -> None:
        """End every process that was started."""
        if self._workshop is not None:
            self._workshop.close()
        self._workshop = self._session = None

    def _chat_in_terminal(self) -> None:
        terminal.chat(self._ready_session(), PlainFace.for_terminal())
        assert self._session is not None
        self._messages = LiveMessages()
        for message in self._session.transcript:
            self._messages.grow(message)

    def _new_messages(
        self, message: str | dict[str, Any] | list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        events = self._events(message)
        before = len(self._messages)
        if self._display:
            PlainFace.for_terminal().show(events)
        else:
            _drain(events)
        return list(self._messages[before:])

    def _chunks(
        self, message: str | dict[str, Any] | list[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        writer = lmc.ChunkWriter(confirmations=not self.auto_run)
        yield from writer.chunks(self._events(message))

    def _events(
        self, message: str | dict[str, Any] | list[dict[str, Any]]
    ) -> Generator[Event, None, None]:
        """Take the message in at once; the turn runs as the result is iterated."""
        new = self._taken(message)
        session = self._ready_session()
        for said in new:
            self._messages.grow(said)
        return self._followed(session, new)

    def _taken(self, message: str | dict[str, Any] | list[dict[str, Any]]) -> list[Message]:
        if isinstance(message, str):
            return [user_says(message)]
        if isinstance(message, dict):
            return [lmc.decode(message)]
        self.messages = message
        return []

    def _followed(self, session: Session, new: list[Message]) -> Generator[Event, None, None]:
        events = session.send(new[0]) if new else session.proceed()
        for event in events:
            if isinstance(event, MessageFinished):
                self._messages.grow(event.message)
            yield event

    def _ready_session(self) -> Session:
        """The session with the settings of this moment, and the messages as the user left them."""
        workshop = self._open_workshop()
        if self._session is None or self._messages.edited:
            history = [lmc.decode(dictionary) for dictionary in self._messages]
            self._session = workshop.open_session(self._settings(), messages=history)
            self._messages.edited = False
        else:
            self._session.engine = workshop.engine(self._settings())
        return self._session

    def _open_workshop(self) -> Workshop:
        if self._workshop is None:
            self._workshop = Workshop(self._settings(), self._approve, terminal.answer)
            atexit.register(self.close)
        return self._workshop

    def _approve(self, request: ApprovalRequested) -> Decision:
        if self._display:
            return terminal.approve(request)
        return Decision("yes")  # the caller saw the confirmation chunk and went on

    def _settings(self) -> Settings:
        return Settings(
            model=self.llm.model,
            api_base=self.llm.api_base or "",
            api_key=self.llm.api_key or "",
            api_version=self.llm.api_version or "",
            context_window=self.llm.context_window or 0,
            max_tokens=self.llm.max_tokens or 0,
            temperature=self.llm.temperature,
            auto_run=self.auto_run,
            system_message=self.system_message,
            custom_instructions=self.custom_instructions,
            keep_history=self.conversation_history,
        )


def _drain(events: Generator[Event, None, None]) -> None:
    """Let a turn run with nobody watching: what needs approval stays proposed, and is not run."""
    for event in events:
        if isinstance(event, ApprovalRequested):
            events.close()
            return
